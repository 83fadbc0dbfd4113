package txn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"docspace.dev/wsd/store/redis"
)

// Keys that transactions use internally. The catalogue in package store lists all of them.

// organizationShard returns the shard of an organization.
func organizationShard(org string) redis.Shard { return redis.NewShard("", org) }

// CountsKey returns the key of the HASH written by Tx.Counts: id -> cardinalities.
func CountsKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "counts") }

// DueKey returns the key of the index of the organization's jobs by due time.
func DueKey(org string) redis.Key { return organizationShard(org).Key(redis.OrderKind, "due") }

// LeasesKey returns the key of the HASH of job leases.
func LeasesKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "leases") }

// EventsKey returns the key of the STREAM of the events of a shard. Every change appends an event.
func EventsKey(s redis.Shard) redis.Key { return s.Key(redis.StreamKind, "events") }

// GCEpochsKey returns the key of the HASH of GC epochs by space.
func GCEpochsKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "epochs") }

// ObjectKey returns the key of the HASH of a space's objects whose hash starts with the byte first.
func ObjectKey(space string, first byte) redis.Key {
	return redis.NewShard("", space).Key(redis.HashKind, "o", hex.EncodeToString([]byte{first}))
}

// OutboxKey returns the key of the HASH of objects that commits add to the outbox: see outbox.go.
func OutboxKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "outbox") }

// OpKey returns the key of the record of a committed operation.
func OpKey(s redis.Shard, op string) redis.Key { return s.Key(redis.StringKind, "op", op) }

// IdempotencyKey returns the key of the answer to an idempotency key.
func IdempotencyKey(s redis.Shard, hash string) redis.Key {
	return s.Key(redis.StringKind, "idem", hash)
}

// RegistryParts is the number of keys of the registry of organizations.
const RegistryParts = 16

// DueRegistryKey returns the key of the part of the job registry that contains the organization.
func DueRegistryKey(org string) redis.Key { return DueRegistryPart(RegistryPart(org)) }

// RegistryPart returns the registry part that contains the organization.
func RegistryPart(org string) int {
	sum := sha256.Sum256([]byte(org))
	return int(sum[0]) % RegistryParts
}

// DueRegistryPart returns the key of one part of the registry of organizations with jobs.
func DueRegistryPart(part int) redis.Key {
	return redis.NamedKey(redis.OrderKind, fmt.Sprintf("{g:%02x}:due", part))
}

// SizeKey returns the key of the HASH of the stored bytes of a space's objects.
func SizeKey(space string) redis.Key { return redis.NewShard("", space).Key(redis.HashKind, "size") }
