package storetest

import (
	"encoding/binary"
	"math/rand/v2"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SeededIDs returns a deterministic generator: the same seed and clock yield the same identifiers.
func SeededIDs(clock redis.Clock, seed uint64) txn.IDGenerator {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return txn.NewIDGeneratorFrom(clock, rand.NewChaCha8(key))
}
