package txn

import (
	"docspace.dev/wsd/store/redis"
)

// EntriesKey returns the key of the HASH of an organization's access entries by id: the data that determines access to spaces,
// collections, teams and members. It is written by txn.Tx.SetAccess.
func EntriesKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.HashKind, "shapes") }

// LogKey returns the key of the STREAM of the changes to EntriesKey.
func LogKey(org string) redis.Key { return redis.NewShard("", org).Key(redis.StreamKind, "shape") }
