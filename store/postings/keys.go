package postings

import "docspace.dev/wsd/store/redis"

// StaleKey is the SET of the spaces whose search index is behind their head.
func StaleKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.SetKind, "stale") }

// keys are the keys of the search index of a space: the organization's
// part of it helps to find the spaces to ask. Their names are all known: those
// of the terms stand in the documents (see Index.Drop).
type keys struct{ organization, space redis.Shard }

func keysOf(org, space string) keys {
	return keys{redis.NewShard("", org), redis.NewShard("", space)}
}

func (k keys) state() redis.Key     { return k.space.Key(redis.StringKind, "index") }
func (k keys) documents() redis.Key { return k.space.Key(redis.HashKind, "docs") }
func (k keys) sections() redis.Key  { return k.space.Key(redis.HashKind, "sections") }
func (k keys) words() redis.Key     { return k.space.Key(redis.OrderKind, "words") }

func (k keys) term(hash string) redis.Key { return k.space.Key(redis.OrderKind, "term", hash) }

func (k keys) allWords() redis.Key { return k.organization.Key(redis.OrderKind, "words") }

func (k keys) spaces(hash string) redis.Key {
	return k.organization.Key(redis.SetKind, "term", hash)
}

func dash(root string) string {
	if root == "" {
		return "-"
	}
	return root
}

// AllKeys are keys of every kind that an index has, with those of a term: the
// catalogue of package store is held against them.
func AllKeys(org, space, term string) []redis.Key {
	k, hash := keysOf(org, space), idOfTerm(term).hash()
	return []redis.Key{
		k.allWords(), k.spaces(hash), k.state(), k.documents(), k.sections(), k.words(), k.term(hash),
	}
}
