package store

import (
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Client returns the client of a store for tests that damage data.
func Client(s *Store) (client goredis.UniversalClient, prefix string) { return s.Client, s.Prefix }

// Name returns the name of a key in Redis.
func Name(s *Store, key redis.Key) string { return s.Name(key) }

// Unfence makes commits valid in any generation.
func Unfence(s *Store) { s.HasGenerations = false }

// ContentName returns the Redis key of some content of a space.
func ContentName(s *Store, space string) string { return s.Name(txn.ObjectKey(space, 0)) }

// AlwaysUseOutbox makes every commit add its objects to the outbox, as if there were replicas.
func AlwaysUseOutbox(s *Store) { s.AlwaysUseOutbox = true }
