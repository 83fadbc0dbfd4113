package store

import (
	"context"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Client is the client of a store, for tests that damage data.
func Client(s *Store) (client goredis.UniversalClient, prefix string) { return s.Client, s.Prefix }

// WriteRawObject stores bytes under the hash of others.
func WriteRawObject(t *testing.T, s *Store, space, hash, stored string) {
	t.Helper()
	first, _ := objects.FirstByte(hash)
	if err := s.Client.HSet(context.Background(), s.Name(txn.ObjectKey(space, first)), hash, stored).Err(); err != nil {
		t.Fatal(err)
	}
}

// ReadAsMap reads bytes as any object.
func ReadAsMap(data []byte) error {
	_, _, err := objects.NewObject(data).Split()
	return err
}

// Name is a key as Redis knows it.
func Name(s *Store, key redis.Key) string { return s.Name(key) }

// ObjectName is the Redis key of an object.
func ObjectName(prefix, space, hash string) string {
	first, _ := objects.FirstByte(hash)
	return prefix + txn.ObjectKey(space, first).Name()
}

// Unfence makes commits hold whatever master they come to.
func Unfence(s *Store) { s.Fenced = false }

// ContentName is the Redis key of some content of a space.
func ContentName(s *Store, space string) string { return s.Name(txn.ObjectKey(space, 0)) }

// ShapesKept is how many models of organizations a store keeps in memory, and what they cost.
func ShapesKept(s *Store) (n, bytes int) { return s.ModelsKept() }

// CarryAll makes every commit carry its objects, as if there were replicas.
func CarryAll(s *Store) { s.CarryAll = true }
