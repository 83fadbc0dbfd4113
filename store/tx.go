package store

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/store/redis"
)

// BaseTx is one run of an Update's closure: it reads through the methods below and
// collects writes, which are applied together when the closure returns nil.
//
// What it reads is its read set: if any of it has changed at the commit, the
// closure runs again with fresh reads. Its writes of records and fields are
// visible to its reads; orders, indexes, sets and streams are write-only but
// for their cardinality and two neighbours. A Tx is used by one goroutine, and
// not after the closure has returned. A broken rule is kept and returned by
// Update as ErrMisuse.
type BaseTx struct {
	ctx   context.Context // of the Update that the Tx lives in
	store *Base
	shard redis.Shard
	op    string
	now   time.Time
	told  time.Time // see Time; zero = not asked yet
	dry   bool

	reads     map[redis.Key]reading
	readOrder []redis.Key
	places    []neighbours
	trips     int                   // made by reading
	records   map[redis.Key]reading // written records, as they will be read
	fields    map[redis.Key]reading // written fields, likewise

	writes  []write
	numbers map[slot]int // where a write to the same place stands
	news    []news
	events  [][]string
	counts  []count
	before  preparation
	carried int // bytes of objects that the commit carries
	answer  *Answer
	held    []held // content that is counted otherwise from now on
	adds    bool   // see Adds
	charged bool   // see UpdateOptions.Charged
	err     error

	roomKnown bool  // what room there is for objects was read
	use       int64 // of the organization, then
}

// reading is one value of the read set.
type reading struct {
	present bool
	record  Record
	text    string
	count   int64
	size    int // of a record, as it is stored
}

// write is one write of the program.
type write struct {
	letter string
	key    redis.Key
	args   []any
}

// slot is what two writes have in common when the later replaces the earlier.
type slot struct {
	key    redis.Key
	member string
}

// news is one change of the shape.
type news struct{ id, entry string }

// count is one field of the counts and the indexes that it counts.
type count struct {
	id   string
	keys []redis.Key
}

// Now is the time of the Update, in UTC with milliseconds. It is the same in
// every run of the closure.
func (tx *BaseTx) Now() time.Time { return tx.now }

// DryRun reports whether the writes will be dropped.
func (tx *BaseTx) DryRun() bool { return tx.dry }

// Context is the context of the Update.
func (tx *BaseTx) Context() context.Context { return tx.ctx }

// NewID makes an identifier (see IDs and HomePrefix).
func (tx *BaseTx) NewID(prefix string) string { return tx.store.ids.New(prefix) }

// fail keeps the first broken rule.
func (tx *BaseTx) fail(format string, args ...any) {
	if tx.err == nil {
		tx.err = redis.Misuse(format, args...)
	}
}

// owns reports whether the key is of the kind and of this shard.
func (tx *BaseTx) owns(key redis.Key, kind redis.Kind) bool {
	if key.Valid() && key.Kind() == kind && key.Tag() == tx.shard.Tag() {
		return true
	}
	tx.fail("%q is not a key of this kind in shard %s", key, tx.shard.Tag())
	return false
}

// Prefetch reads several records, fields (Key.Field) and cardinalities in one
// trip. Reading them later costs none.
func (tx *BaseTx) Prefetch(keys ...redis.Key) error {
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
	values, err := tx.store.read(tx.ctx, append(wanted, tx.roomKeys(wanted)...))
	if err != nil {
		return err
	}
	tx.setRoom(values[len(wanted):])
	for i, key := range wanted {
		tx.reads[key] = values[i]
		tx.readOrder = append(tx.readOrder, key)
	}
	return nil
}

// value reads one key through the read set.
func (tx *BaseTx) value(key redis.Key) (reading, error) {
	if err := tx.Prefetch(key); err != nil {
		return reading{}, err
	}
	return tx.reads[key], nil
}

// Record reads a record; ok is false if there is none.
func (tx *BaseTx) Record(key redis.Key) (record Record, ok bool, err error) {
	if key.Kind() != redis.RecordKind {
		return Record{}, false, redis.Misuse("%q is not a record", key)
	}
	if written, have := tx.records[key]; have {
		return written.record, written.present, nil
	}
	value, err := tx.value(key)
	return value.record, value.present, err
}

// Field reads one field of a HASH; ok is false if it is absent.
func (tx *BaseTx) Field(hash redis.Key, field string) (value string, ok bool, err error) {
	if hash.Kind() != redis.HashKind || field == "" {
		return "", false, redis.Misuse("%q is not a field of a hash", hash)
	}
	key := hash.Field(field)
	if written, have := tx.fields[key]; have {
		return written.text, written.present, nil
	}
	read, err := tx.value(key)
	return read.text, read.present, err
}

// Card reads the number of members of an order, index or set, as it was before
// the transaction's own writes.
func (tx *BaseTx) Card(key redis.Key) (int64, error) {
	if key.Kind() != redis.OrderKind && key.Kind() != redis.SetKind {
		return 0, redis.Misuse("%q has no cardinality", key)
	}
	value, err := tx.value(key)
	return value.count, err
}

// Put writes a record that was read: its version becomes the one read plus one.
// Private and public are JSON without line feeds. created says that there was none.
func (tx *BaseTx) Put(key redis.Key, private, public []byte) (created bool) {
	old, read := tx.reads[key]
	if !tx.owns(key, redis.RecordKind) {
		return false
	}
	if !read {
		tx.fail("put of %q, which was not read", key)
		return false
	}
	record := Record{Version: old.record.Version + 1, Schema: recordSchema, Private: private, Public: public}
	data, err := EncodeRecord(record)
	if err != nil {
		tx.fail("put of %q: %v", key, err)
		return false
	}
	tx.records[key] = reading{present: true, record: record}
	tx.write("P", key, "", data)
	return !old.present
}

// Delete removes a record that was read.
func (tx *BaseTx) Delete(key redis.Key) {
	if !tx.owns(key, redis.RecordKind) {
		return
	}
	if _, read := tx.reads[key]; !read {
		tx.fail("delete of %q, which was not read", key)
		return
	}
	tx.records[key] = reading{}
	tx.write("D", key, "")
}

// SetField writes one field of a HASH.
func (tx *BaseTx) SetField(hash redis.Key, field, value string) {
	if tx.owns(hash, redis.HashKind) && tx.named(field) {
		tx.fields[hash.Field(field)] = reading{present: true, text: value}
		tx.write("F", hash, field, field, value)
	}
}

// DeleteField removes one field of a HASH.
func (tx *BaseTx) DeleteField(hash redis.Key, field string) {
	if tx.owns(hash, redis.HashKind) && tx.named(field) {
		tx.fields[hash.Field(field)] = reading{}
		tx.write("G", hash, field, field)
	}
}

// Add puts a member into an order or index, sorted by its bytes.
func (tx *BaseTx) Add(index redis.Key, member string) {
	if tx.owns(index, redis.OrderKind) && tx.named(member) {
		tx.write("Z", index, member, "0", member)
	}
}

// Remove takes a member out of an order or index.
func (tx *BaseTx) Remove(index redis.Key, member string) {
	if tx.owns(index, redis.OrderKind) && tx.named(member) {
		tx.write("R", index, member, member)
	}
}

// SetAdd puts a member into a SET.
func (tx *BaseTx) SetAdd(set redis.Key, member string) {
	if tx.owns(set, redis.SetKind) && tx.named(member) {
		tx.write("S", set, member, member)
	}
}

// SetRemove takes a member out of a SET.
func (tx *BaseTx) SetRemove(set redis.Key, member string) {
	if tx.owns(set, redis.SetKind) && tx.named(member) {
		tx.write("T", set, member, member)
	}
}

// named refuses the empty field or member.
func (tx *BaseTx) named(member string) bool {
	if member == "" {
		tx.fail("empty field or member")
	}
	return member != ""
}

// write collects a write; a later one to the same place replaces an earlier.
func (tx *BaseTx) write(letter string, key redis.Key, member string, args ...any) {
	next := write{letter: letter, key: key, args: args}
	place := slot{key: key, member: member}
	if at, have := tx.numbers[place]; have {
		tx.writes[at] = next
		return
	}
	tx.numbers[place] = len(tx.writes)
	tx.writes = append(tx.writes, next)
}

// Shape writes the shape entry of an id (JSON; nil = gone) and tells every
// process about it. Only in the shard of an organization.
func (tx *BaseTx) Shape(id string, entry []byte) {
	shapes := tx.shard.Key(redis.HashKind, "shapes")
	if entry == nil {
		tx.DeleteField(shapes, id)
	} else {
		tx.SetField(shapes, id, string(entry))
	}
	tx.news = append(tx.news, news{id: id, entry: string(entry)})
}

// Event appends to the events of the shard. Fields are sorted by name.
func (tx *BaseTx) Event(fields map[string]string) {
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

// Counts makes the commit write the cardinalities that the indexes and sets
// will have then to the field id of the counts, in this order. Every
// transaction that changes one of them has to name all of them.
func (tx *BaseTx) Counts(id string, indexes ...redis.Key) {
	if len(indexes) == 0 || !tx.named(id) {
		tx.fail("counts of no index")
		return
	}
	for _, index := range indexes {
		if index.Kind() != redis.SetKind && !tx.owns(index, redis.OrderKind) {
			return
		}
	}
	next := count{id: id, keys: indexes}
	for i := range tx.counts {
		if tx.counts[i].id == id {
			tx.counts[i] = next
			return
		}
	}
	tx.counts = append(tx.counts, next)
}

// dropCounts removes what Counts wrote for something that is being deleted,
// also by this transaction.
func (tx *BaseTx) dropCounts(org, id string) {
	tx.counts = slices.DeleteFunc(tx.counts, func(c count) bool { return c.id == id })
	tx.DeleteField(CountsKey(org), id)
}

// Answer is what the commit saves under the Update's idempotency key.
func (tx *BaseTx) Answer(answer Answer) { tx.answer = &answer }

// Time is the time of the Redis that has the shard (see Store.Time): that of the
// transaction's deadlines. One trip.
func (tx *BaseTx) Time() (now time.Time, err error) {
	if tx.told.IsZero() {
		tx.told, err = tx.store.TimeAt(tx.ctx, tx.shard.Key(redis.OrderKind, "due"))
	}
	return tx.told, err
}

// setVersion gives a record that was written the version that it had elsewhere.
func (tx *BaseTx) setVersion(key redis.Key, version int64) error {
	written := tx.records[key]
	written.record.Version = version
	data, err := EncodeRecord(written.record)
	if err != nil {
		return err
	}
	tx.records[key] = written
	tx.write("P", key, "", data)
	return nil
}
