package txn

import (
	"context"

	"docspace.dev/wsd/store/redis"
)

// Rehearsal is the set of orders, indexes, fields and counts that a closure would write.
type Rehearsal struct {
	Members []KeyMember // of orders and indexes
	Fields  []Field     // of a HASH
	Counts  []Count
	Misused bool // set if the returned error is a misuse of Tx
}

// Field is a field of a HASH and the value written to it.
type Field struct {
	Key           redis.Key
	Member, Value string
}

// Rehearse runs a closure without sending anything and returns its writes. reads must contain everything the closure
// reads. Package fsck uses it to derive the index entries that a record implies.
//
//nolint:contextcheck,nolintlint // there is nothing to wait for
func (s *Store) Rehearse(shard redis.Shard, reads map[redis.Key]Reading, fn func(tx *Tx) error) (Rehearsal, error) {
	u := update{store: s, shard: shard}
	tx := u.begin(context.Background())
	tx.reads = reads
	if err := fn(tx); err != nil {
		return Rehearsal{}, err
	}
	if tx.err != nil {
		return Rehearsal{Misused: true}, tx.err
	}
	rehearsal := Rehearsal{Counts: tx.counts}
	for _, write := range tx.writes {
		switch write.opcode {
		case "Z":
			rehearsal.Members = append(rehearsal.Members, KeyMember{write.key, write.args[1].(string)})
		case "J":
			rehearsal.Members = append(rehearsal.Members, KeyMember{write.key, write.args[2].(string)})
		case "F":
			rehearsal.Fields = append(rehearsal.Fields, Field{write.key, write.args[0].(string), write.args[1].(string)})
		}
	}
	return rehearsal, nil
}
