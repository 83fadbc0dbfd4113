package txn

import (
	"strconv"

	"docspace.dev/wsd/store/redis"
)

// program writes down the checks and the writes of a transaction.
func (u *update) program(tx *Tx) (*program, error) {
	p := newProgram(u.store.Prefix, OpKey(u.shard, u.op))
	if u.options.Idempotency != nil {
		p.check("i", IdempotencyKey(u.shard, u.options.Idempotency.Key))
	}
	for _, guard := range u.options.Guards {
		if !guard.key.Valid() || guard.key.Tag() != u.shard.Tag() {
			return nil, redis.Misuse("guard %q is not in shard %s", guard.key, u.shard.Tag())
		}
		p.expect(guard.key, guard.want)
	}
	p.guards = len(p.checks)
	tx.expectReads(p)
	p.types = len(p.checks)
	if tx.carried > 0 {
		p.check("m", tx.shard.Key(redis.HashKind, "outbox"), strconv.Itoa(tx.carried), strconv.Itoa(u.store.outboxMax))
		p.room = len(p.checks)
	}
	tx.emit(p)
	p.size -= tx.carried // it has a limit of its own
	answer, short, err := u.save(tx, p)
	if err != nil {
		return nil, err
	}
	u.account(tx, p, answer, short)
	return p, p.fits()
}

// expectReads checks that the whole read set still holds.
func (tx *Tx) expectReads(p *program) {
	for _, key := range tx.readOrder {
		if key.Valid() {
			p.expect(key, tx.reads[key])
		}
	}
	for _, place := range tx.places {
		p.check("n", place.children, place.left, place.right, place.self)
	}
}

// expect checks that a key still has the value.
func (p *program) expect(key redis.Key, want Reading) {
	switch key.Kind() {
	case redis.RecordKind:
		p.check("v", key, strconv.FormatInt(want.Record.Version, 10))
	case redis.HashKind:
		if want.Present {
			p.check("f", key, key.FieldName(), want.Text)
		} else {
			p.check("a", key, key.FieldName())
		}
	case redis.OrderKind:
		p.check("z", key, strconv.FormatInt(want.count, 10))
	case redis.SetKind:
		p.check("s", key, strconv.FormatInt(want.count, 10))
	case redis.StringKind, redis.StreamKind: // never in a read set
	}
}

// emit writes down the writes, and before them a check of every type, so that
// none of them can fail.
func (tx *Tx) emit(p *program) {
	writes := tx.writes
	for _, news := range tx.news {
		writes = append(writes, stream(tx.shard.Key(redis.StreamKind, "shape"), logKept,
			"id", news.id, "entry", news.entry, "op", tx.op))
	}
	for _, event := range tx.events {
		writes = append(writes, stream(EventsKey(tx.shard), eventsKept, event...))
	}
	for _, count := range tx.counts {
		writes = append(writes, cardinalities(tx.shard.Key(redis.HashKind, "counts"), count))
	}
	checked := map[redis.Key]bool{}
	for _, write := range writes {
		if kind := write.key.Kind(); kind != redis.RecordKind && kind != redis.StringKind && !checked[write.key] {
			checked[write.key] = true
			p.check("t", write.key, kind.RedisType())
		}
	}
	for _, write := range writes {
		p.push(write.opcode, write.key, write.args...)
	}
}

// stream appends an entry to a stream.
func stream(key redis.Key, kept int, entry ...string) write {
	args := []any{strconv.Itoa(kept), strconv.Itoa(len(entry))}
	for _, part := range entry {
		args = append(args, part)
	}
	return write{opcode: "X", key: key, args: args}
}

// cardinalities writes one field of the counts.
func cardinalities(key redis.Key, c Count) write {
	args := []any{c.ID, strconv.Itoa(len(c.Keys))}
	for _, index := range c.Keys {
		command := "ZCARD"
		if index.Kind() == redis.SetKind {
			command = "SCARD"
		}
		args = append(args, command, index)
	}
	return write{opcode: "C", key: key, args: args}
}

// save writes down the answer to the idempotency key, and returns the sizes of it
// and of the one that is kept instead when the quota is used up.
func (u *update) save(tx *Tx, p *program) (answer, short int, err error) {
	idempotency := u.options.Idempotency
	if idempotency == nil || tx.answer == nil {
		return 0, 0, nil
	}
	most := u.store.keptAnswer
	data, err := encodeAnswer(idempotency.Fingerprint, *tx.answer, idempotency.Save && len(tx.answer.Body) <= most)
	if err != nil {
		return 0, 0, err
	}
	without, err := encodeAnswer(idempotency.Fingerprint, *tx.answer, false)
	if err != nil {
		return 0, 0, err
	}
	key := IdempotencyKey(u.shard, idempotency.Key)
	p.push("I", key, strconv.FormatInt(idempotencyMemory.Milliseconds(), 10), data, without)
	return len(data), len(without), nil
}
