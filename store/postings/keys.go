package postings

import (
	"strconv"

	"docspace.dev/wsd/store/redis"
)

// StaleKey is the SET of the spaces whose search index is behind their head.
func StaleKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.SetKind, "stale") }

// keys are the keys of the search index of a space. Their names are all known:
// those of the segments stand in the manifest (see Index.Drop). Those of the
// directory of an organization are those of a space with its id.
type keys struct{ organization, space redis.Shard }

func keysOf(org, space string) keys {
	return keys{redis.NewShard("", org), redis.NewShard("", space)}
}

func (k keys) state() redis.Key    { return k.space.Key(redis.StringKind, "index") }
func (k keys) manifest() redis.Key { return k.space.Key(redis.StringKind, "segments") }

func (k keys) segment(number int) redis.Key {
	return k.space.Key(redis.HashKind, "segment", strconv.Itoa(number))
}

func dash(root string) string {
	if root == "" {
		return "-"
	}
	return root
}

// AllKeys are keys of every kind that an index and a directory have, with those of
// a segment, and those of former forms: the catalogue of package store is held against them.
func AllKeys(org, space string, segment int) []redis.Key {
	k := keysOf(org, space)
	ofSpace, ofOrganization := k.formerOfTerm("AAAAAAAAAAA")
	d := keysOf(org, org)
	return append(
		k.former(), ofSpace, ofOrganization, k.state(), k.manifest(), k.segment(segment), d.state(), d.manifest(), d.segment(segment),
	)
}
