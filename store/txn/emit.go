package txn

import (
	"strconv"

	"docspace.dev/wsd/store/redis"
)

// buildProgram assembles the checks and writes of a transaction.
func (u *update) buildProgram(tx *Tx) (*program, error) {
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
	p.guardCount = len(p.checks)
	tx.expectReads(p)
	p.checksBeforeTypes = len(p.checks)
	if tx.outboxBytes > 0 {
		p.check("m", tx.shard.Key(redis.HashKind, "outbox"), strconv.Itoa(tx.outboxBytes), strconv.Itoa(u.store.outboxMax))
		p.outboxCheck = len(p.checks)
	}
	tx.emitWrites(p)
	p.size -= tx.outboxBytes // limited separately
	answer, short, err := u.saveAnswer(tx, p)
	if err != nil {
		return nil, err
	}
	u.accountUsage(tx, p, answer, short)
	return p, p.checkSize()
}

// expectReads adds a check of every value in the read set.
func (tx *Tx) expectReads(p *program) {
	for _, key := range tx.readOrder {
		if key.Valid() {
			p.expect(key, tx.reads[key])
		}
	}
	for _, a := range tx.adjacencies {
		p.check("n", a.children, a.left, a.right, a.self)
	}
}

// expect adds a check that a key still has the value.
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

// emitWrites appends the writes. They are preceded by a type check of every key, so that no write can fail.
func (tx *Tx) emitWrites(p *program) {
	writes := tx.writes
	for _, change := range tx.accessChanges {
		writes = append(writes, streamWrite(tx.shard.Key(redis.StreamKind, "shape"), maxLogEntries,
			"id", change.id, "entry", change.entry, "op", tx.op))
	}
	for _, event := range tx.events {
		writes = append(writes, streamWrite(EventsKey(tx.shard), tx.store.maxEvents, event...))
	}
	if tx.eventsBefore > 0 {
		writes = append(writes, trimWrite(EventsKey(tx.shard), "MINID", strconv.FormatInt(tx.eventsBefore, 10)+"-0"))
	}
	if tx.eventsKept > 0 {
		writes = append(writes, trimWrite(EventsKey(tx.shard), "MAXLEN", strconv.FormatInt(tx.eventsKept, 10)))
	}
	for _, count := range tx.counts {
		writes = append(writes, countsWrite(tx.shard.Key(redis.HashKind, "counts"), count))
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

// streamWrite returns a write that appends an entry to a stream of at most maxLen entries.
func streamWrite(key redis.Key, maxLen int, entry ...string) write {
	args := []any{strconv.Itoa(maxLen), strconv.Itoa(len(entry))}
	for _, part := range entry {
		args = append(args, part)
	}
	return write{opcode: "X", key: key, args: args}
}

// trimWrite returns a write that removes the oldest entries of a stream, by a strategy of XTRIM.
func trimWrite(key redis.Key, strategy, threshold string) write {
	return write{opcode: "Y", key: key, args: []any{strategy, threshold}}
}

// countsWrite returns a write of one field of the counts.
func countsWrite(key redis.Key, c Count) write {
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

// saveAnswer appends the answer to the idempotency key. It returns the sizes of the answer and of the shortened form that
// is stored when the quota is exhausted.
func (u *update) saveAnswer(tx *Tx, p *program) (answer, short int, err error) {
	idempotency := u.options.Idempotency
	if idempotency == nil || tx.answer == nil {
		return 0, 0, nil
	}
	most := u.store.maxSavedBody
	data, err := encodeAnswer(idempotency.Fingerprint, *tx.answer, idempotency.Save && len(tx.answer.Body) <= most)
	if err != nil {
		return 0, 0, err
	}
	without, err := encodeAnswer(idempotency.Fingerprint, *tx.answer, false)
	if err != nil {
		return 0, 0, err
	}
	key := IdempotencyKey(u.shard, idempotency.Key)
	p.push("I", key, strconv.FormatInt(idempotencyRetention.Milliseconds(), 10), data, without)
	return len(data), len(without), nil
}
