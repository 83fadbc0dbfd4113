package postings

import (
	"strconv"

	"docspace.dev/wsd/store/redis"
)

// StaleKey returns the key of the SET of the spaces whose search index is older than their head.
func StaleKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.SetKind, "stale") }

// keys are the keys of the search index of a space. All their names are known; those of segments are listed in the
// manifest (see Index.Drop). The keys of an organization's directory are those of a space with its id.
type keys struct{ organization, space redis.Shard }

func keysOf(org, space string) keys {
	return keys{redis.NewShard("", org), redis.NewShard("", space)}
}

func (k keys) state() redis.Key    { return k.space.Key(redis.StringKind, "index") }
func (k keys) manifest() redis.Key { return k.space.Key(redis.StringKind, "segments") }

func (k keys) segment(number int) redis.Key {
	return k.space.Key(redis.HashKind, "segment", strconv.Itoa(number))
}

func rootOrDash(root string) string {
	if root == "" {
		return "-"
	}
	return root
}

// AllKeys returns the keys of every kind of an index and a directory, including those of a segment and of former
// forms. Tests compare them with the catalogue of package store.
func AllKeys(org, space string, segment int) []redis.Key {
	k := keysOf(org, space)
	ofSpace, ofOrganization := k.formerTermKeys("AAAAAAAAAAA")
	d := keysOf(org, org)
	return append(
		k.formerKeys(), ofSpace, ofOrganization, k.state(), k.manifest(), k.segment(segment), d.state(), d.manifest(), d.segment(segment),
	)
}
