package txn

import (
	"context"

	"docspace.dev/wsd/store/redis"
)

// Rehearsal is what a closure would write to orders, indexes, fields and counts.
type Rehearsal struct {
	Members []Cell  // of orders and indexes
	Fields  []Field // of a HASH
	Counts  []Count
	Broken  bool // the closure broke a rule: that is the error
}

// Field is a field of a HASH that is written.
type Field struct {
	Key           redis.Key
	Member, Value string
}

// Rehearse runs a closure without sending anything, and returns what it would
// write: everything that it reads has to be among reads. The check of the
// database calls it, to learn what a record implies.
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
		return Rehearsal{Broken: true}, tx.err
	}
	found := Rehearsal{Counts: tx.counts}
	for _, write := range tx.writes {
		switch write.opcode {
		case "Z":
			found.Members = append(found.Members, Cell{write.key, write.args[1].(string)})
		case "J":
			found.Members = append(found.Members, Cell{write.key, write.args[2].(string)})
		case "F":
			found.Fields = append(found.Fields, Field{write.key, write.args[0].(string), write.args[1].(string)})
		}
	}
	return found, nil
}
