package txn

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/store/redis"
)

// Tx is one run of an Update's closure. It reads through the methods below and collects writes, which are applied
// together when the closure returns nil.
//
// All values read form the read set: if any of them has changed at the commit, the closure runs again with fresh
// reads. Its writes of records and fields are visible to its reads; orders, indexes, sets and streams are write-only
// except for cardinalities and neighbours. A Tx is used by one goroutine and not after the closure has returned.
// Misuse is recorded and returned by Update as ErrMisuse.
type Tx struct {
	ctx       context.Context // context of the Update
	store     *Store
	shard     redis.Shard
	op        string
	now       time.Time
	redisTime time.Time // see Time; zero = not read yet
	dry       bool

	reads       map[redis.Key]Reading
	readOrder   []redis.Key
	adjacencies []adjacency
	trips       int                   // trips of its reads
	records     map[redis.Key]Reading // written records, as read by this Tx
	fields      map[redis.Key]Reading // written fields, likewise

	writes        []write
	writeIndex    map[KeyMember]int // index in writes of the write to a cell
	accessChanges []accessChange
	events        [][]string
	eventsBefore  int64 // time in milliseconds before which events are removed; 0 = none are
	eventsKept    int64 // number of the latest events that are kept; 0 = all
	counts        []Count
	preparation   preparation
	outboxBytes   int // object bytes that the commit adds to the outbox
	answer        *Answer
	contentSizes  []contentSize // changed content sizes
	addsContent   bool          // see MarkAddsContent
	enforceQuota  bool          // see UpdateOptions.EnforceQuota
	err           error

	quotaKnown bool  // whether the remaining quota was read
	usage      int64 // usage of the organization if quotaKnown
}

// Reading is one value of the read set.
type Reading struct {
	Present bool
	Record  Record
	Text    string
	count   int64
	size    int // stored size of a record
}

// write is one write of the commit script: its opcode, key and arguments.
type write struct {
	opcode string
	key    redis.Key
	args   []any
}

// KeyMember identifies the target of a write, a key or a member of it. A later write to the same target replaces an earlier
// one.
type KeyMember struct {
	Key    redis.Key
	Member string
}

// accessChange is one change of an access entry.
type accessChange struct{ id, entry string }

// Count is one field of the counts and the indexes it counts.
type Count struct {
	ID   string
	Keys []redis.Key
}

// Now returns the start time of the Update in UTC with millisecond precision. It is the same in every run of the
// closure.
func (tx *Tx) Now() time.Time { return tx.now }

// DryRun reports whether the writes will be discarded.
func (tx *Tx) DryRun() bool { return tx.dry }

// Context returns the context of the Update.
func (tx *Tx) Context() context.Context { return tx.ctx }

// NewID returns a new identifier (see IDGenerator and HomePrefix).
func (tx *Tx) NewID(prefix string) string { return tx.store.ids.New(prefix) }

// fail records a misuse, which Update returns, unless one was recorded before.
func (tx *Tx) fail(format string, args ...any) {
	if tx.err == nil {
		tx.err = redis.Misuse(format, args...)
	}
}

// Owns reports whether the key is of the kind and belongs to this shard.
func (tx *Tx) Owns(key redis.Key, kind redis.Kind) bool {
	if key.Valid() && key.Kind() == kind && key.Tag() == tx.shard.Tag() {
		return true
	}
	tx.fail("%q is not a key of this kind in shard %s", key, tx.shard.Tag())
	return false
}

// Prefetch reads several records, fields (Key.Field) and cardinalities in one trip. Later reads of them need no trip.
func (tx *Tx) Prefetch(keys ...redis.Key) error {
	wanted := make([]redis.Key, 0, len(keys))
	for _, key := range keys {
		if _, have := tx.reads[key]; have || slices.Contains(wanted, key) {
			continue
		}
		if !key.Readable() || (key.Valid() && key.Tag() != tx.shard.Tag()) {
			return redis.Misuse("%q cannot be read in shard %s", key, tx.shard.Tag())
		}
		wanted = append(wanted, key)
	}
	if len(wanted) == 0 {
		return nil
	}
	tx.trips++
	values, err := tx.store.Read(tx.ctx, append(wanted, tx.quotaKeys(wanted)...))
	if err != nil {
		return err
	}
	tx.setQuota(values[len(wanted):])
	for i, key := range wanted {
		tx.reads[key] = values[i]
		tx.readOrder = append(tx.readOrder, key)
	}
	return nil
}

// readValue reads one key through the read set.
func (tx *Tx) readValue(key redis.Key) (Reading, error) {
	if err := tx.Prefetch(key); err != nil {
		return Reading{}, err
	}
	return tx.reads[key], nil
}

// Record reads a record; ok is false if there is none.
func (tx *Tx) Record(key redis.Key) (record Record, ok bool, err error) {
	if key.Kind() != redis.RecordKind {
		return Record{}, false, redis.Misuse("%q is not a record", key)
	}
	if written, have := tx.records[key]; have {
		return written.Record, written.Present, nil
	}
	value, err := tx.readValue(key)
	return value.Record, value.Present, err
}

// Change returns a record before and after the transaction. ok is false if the transaction does not write it. The version of an
// absent record is 0.
func (tx *Tx) Change(key redis.Key) (before, after Record, ok bool) {
	written, ok := tx.records[key]
	return tx.reads[key].Record, written.Record, ok
}

// Field reads one field of a HASH; ok is false if it is absent.
func (tx *Tx) Field(hash redis.Key, field string) (value string, ok bool, err error) {
	if hash.Kind() != redis.HashKind || field == "" {
		return "", false, redis.Misuse("%q is not a field of a hash", hash)
	}
	key := hash.Field(field)
	if written, have := tx.fields[key]; have {
		return written.Text, written.Present, nil
	}
	read, err := tx.readValue(key)
	return read.Text, read.Present, err
}

// Cardinality reads the number of members of an order, index or set before the transaction's own writes.
func (tx *Tx) Cardinality(key redis.Key) (int64, error) {
	if key.Kind() != redis.OrderKind && key.Kind() != redis.SetKind {
		return 0, redis.Misuse("%q has no cardinality", key)
	}
	value, err := tx.readValue(key)
	return value.count, err
}

// Put writes a record that was read before; its version becomes the read version plus one. Private and public are
// JSON without line feeds. created reports whether the record did not exist.
func (tx *Tx) Put(key redis.Key, private, public []byte) (created bool) {
	old, read := tx.reads[key]
	if !tx.Owns(key, redis.RecordKind) {
		return false
	}
	if !read {
		tx.fail("put of %q, which was not read", key)
		return false
	}
	record := Record{Version: old.Record.Version + 1, Schema: tx.store.WriteFormat(), Private: private, Public: public}
	data, err := EncodeRecord(record)
	if err != nil {
		tx.fail("put of %q: %v", key, err)
		return false
	}
	tx.records[key] = Reading{Present: true, Record: record}
	tx.write("P", key, "", data)
	return !old.Present
}

// RequireFormat returns a redis.ErrUpgradePending if records are currently written in an older format than the given one.
// A transaction calls it before it writes what programs that do not support the format would misread.
func (tx *Tx) RequireFormat(format int) error { return tx.store.CheckWriteFormat(format) }

// Delete removes a record that was read before.
func (tx *Tx) Delete(key redis.Key) {
	if !tx.Owns(key, redis.RecordKind) {
		return
	}
	if _, read := tx.reads[key]; !read {
		tx.fail("delete of %q, which was not read", key)
		return
	}
	tx.records[key] = Reading{}
	tx.write("D", key, "")
}

// SetField writes one field of a HASH.
func (tx *Tx) SetField(hash redis.Key, field, value string) {
	if tx.Owns(hash, redis.HashKind) && tx.requireMember(field) {
		tx.fields[hash.Field(field)] = Reading{Present: true, Text: value}
		tx.write("F", hash, field, field, value)
	}
}

// DeleteField removes one field of a HASH.
func (tx *Tx) DeleteField(hash redis.Key, field string) {
	if tx.Owns(hash, redis.HashKind) && tx.requireMember(field) {
		tx.fields[hash.Field(field)] = Reading{}
		tx.write("G", hash, field, field)
	}
}

// Add adds a member to an order or index, which is sorted by bytes.
func (tx *Tx) Add(index redis.Key, member string) {
	if tx.Owns(index, redis.OrderKind) && tx.requireMember(member) {
		tx.write("Z", index, member, "0", member)
	}
}

// Remove removes a member from an order or index.
func (tx *Tx) Remove(index redis.Key, member string) {
	if tx.Owns(index, redis.OrderKind) && tx.requireMember(member) {
		tx.write("R", index, member, member)
	}
}

// SetAdd adds a member to a SET.
func (tx *Tx) SetAdd(set redis.Key, member string) {
	if tx.Owns(set, redis.SetKind) && tx.requireMember(member) {
		tx.write("S", set, member, member)
	}
}

// SetRemove removes a member from a SET.
func (tx *Tx) SetRemove(set redis.Key, member string) {
	if tx.Owns(set, redis.SetKind) && tx.requireMember(member) {
		tx.write("T", set, member, member)
	}
}

// requireMember reports whether member is not empty; otherwise the transaction fails.
func (tx *Tx) requireMember(member string) bool {
	if member == "" {
		tx.fail("empty field or member")
	}
	return member != ""
}

// write collects a write. It replaces an earlier write to the same key and member.
func (tx *Tx) write(opcode string, key redis.Key, member string, args ...any) {
	next := write{opcode: opcode, key: key, args: args}
	target := KeyMember{Key: key, Member: member}
	if index, have := tx.writeIndex[target]; have {
		tx.writes[index] = next
		return
	}
	tx.writeIndex[target] = len(tx.writes)
	tx.writes = append(tx.writes, next)
}

// SetAccess writes the access entry of an id (JSON; nil = deleted) and publishes the change to every process. It is
// allowed only in the shard of an organization.
func (tx *Tx) SetAccess(id string, entry []byte) {
	entries := tx.shard.Key(redis.HashKind, "shapes")
	if entry == nil {
		tx.DeleteField(entries, id)
	} else {
		tx.SetField(entries, id, string(entry))
	}
	tx.accessChanges = append(tx.accessChanges, accessChange{id: id, entry: string(entry)})
}

// Event appends to the events of the shard. Fields are sorted by name.
func (tx *Tx) Event(fields map[string]string) {
	if tx.store.command != nil {
		fields = tx.store.command.describe(fields)
	}
	if len(fields) == 0 || 2*len(fields) > maxEventPart {
		tx.fail("event of %d fields", len(fields))
		return
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var entry []string
	for _, name := range names {
		entry = append(entry, name, fields[name])
	}
	tx.events = append(tx.events, entry)
}

// RemoveEvents removes the events of the shard that were appended before a time, by the clock of Redis. The caller has the permission
// of store.Tx.RemovalDelay.
func (tx *Tx) RemoveEvents(before time.Time) { tx.eventsBefore = before.UnixMilli() }

// KeepEvents removes all but the latest most events of the shard; 0 removes none. The caller has the permission of
// store.Tx.RemovalDelay.
func (tx *Tx) KeepEvents(most int64) { tx.eventsKept = most }

// Counts makes the commit write the resulting cardinalities of the indexes and sets, in this order, to the field id
// of the counts. Every transaction that changes one of them must name all of them.
func (tx *Tx) Counts(id string, indexes ...redis.Key) {
	if len(indexes) == 0 || !tx.requireMember(id) {
		tx.fail("counts of no index")
		return
	}
	for _, index := range indexes {
		if index.Kind() != redis.SetKind && !tx.Owns(index, redis.OrderKind) {
			return
		}
	}
	next := Count{ID: id, Keys: indexes}
	for i := range tx.counts {
		if tx.counts[i].ID == id {
			tx.counts[i] = next
			return
		}
	}
	tx.counts = append(tx.counts, next)
}

// DropCounts removes the field written by Counts for a resource that is deleted, possibly by this transaction.
func (tx *Tx) DropCounts(org, id string) {
	tx.counts = slices.DeleteFunc(tx.counts, func(c Count) bool { return c.ID == id })
	tx.DeleteField(CountsKey(org), id)
}

// Answer sets the answer that the commit saves under the Update's idempotency key.
func (tx *Tx) Answer(answer Answer) { tx.answer = &answer }

// Time returns the time of the Redis master of the shard (see Store.Time), which applies to the deadlines of the
// transaction. It needs one trip.
func (tx *Tx) Time() (now time.Time, err error) {
	if tx.redisTime.IsZero() {
		tx.redisTime, err = tx.store.KeyTime(tx.ctx, tx.shard.Key(redis.OrderKind, "due"))
	}
	return tx.redisTime, err
}

// SetVersion sets the version of a written record, for records copied from elsewhere.
func (tx *Tx) SetVersion(key redis.Key, version int64) error {
	written := tx.records[key]
	written.Record.Version = version
	data, err := EncodeRecord(written.Record)
	if err != nil {
		return err
	}
	tx.records[key] = written
	tx.write("P", key, "", data)
	return nil
}
