package txn

import (
	"docspace.dev/wsd/store/redis"
)

// EntriesKey is the HASH of the entries of an organization, by id: what decides
// about access to a space, a collection, a team or a member. It is written by
// txn.Tx.SetAccess.
func EntriesKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.HashKind, "shapes") }

// LogKey is the STREAM of the changes of EntriesKey.
func LogKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.StreamKind, "shape") }
