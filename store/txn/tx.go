package txn

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/store/redis"
)

// Tx is one run of an Update's closure: it reads through the methods below and
// collects writes, which are applied together when the closure returns nil.
//
// What it reads is its read set: if any of it has changed at the commit, the
// closure runs again with fresh reads. Its writes of records and fields are
// visible to its reads; orders, indexes, sets and streams are write-only but
// for their cardinality and two neighbours. A Tx is used by one goroutine, and
// not after the closure has returned. A broken rule is kept and returned by
// Update as ErrMisuse.
type Tx struct {
	ctx   context.Context // of the Update that the Tx lives in
	store *Store
	shard redis.Shard
	op    string
	now   time.Time
	told  time.Time // see Time; zero = not asked yet
	dry   bool

	reads     map[redis.Key]Reading
	readOrder []redis.Key
	places    []neighbours
	trips     int                   // made by reading
	records   map[redis.Key]Reading // written records, as they will be read
	fields    map[redis.Key]Reading // written fields, likewise

	writes  []write
	numbers map[Cell]int // where a write to the same place stands
	news    []news
	events  [][]string
	counts  []Count
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

// Reading is one value of the read set.
type Reading struct {
	Present bool
	Record  Record
	Text    string
	count   int64
	size    int // of a record, as it is stored
}

// write is one write of the program.
type write struct {
	opcode string
	key    redis.Key
	args   []any
}

// Cell is what two writes have in common when the later replaces the earlier.
type Cell struct {
	Key    redis.Key
	Member string
}

// news is one change of an access entry.
type news struct{ id, entry string }

// Count is one field of the counts and the indexes that it counts.
type Count struct {
	ID   string
	Keys []redis.Key
}

// Now is the time of the Update, in UTC with milliseconds. It is the same in
// every run of the closure.
func (tx *Tx) Now() time.Time { return tx.now }

// DryRun reports whether the writes will be dropped.
func (tx *Tx) DryRun() bool { return tx.dry }

// Context is the context of the Update.
func (tx *Tx) Context() context.Context { return tx.ctx }

// NewID makes an identifier (see IDs and HomePrefix).
func (tx *Tx) NewID(prefix string) string { return tx.store.ids.New(prefix) }

// fail keeps the first broken rule.
func (tx *Tx) fail(format string, args ...any) {
	if tx.err == nil {
		tx.err = redis.Misuse(format, args...)
	}
}

// Owns reports whether the key is of the kind and of this shard.
func (tx *Tx) Owns(key redis.Key, kind redis.Kind) bool {
	if key.Valid() && key.Kind() == kind && key.Tag() == tx.shard.Tag() {
		return true
	}
	tx.fail("%q is not a key of this kind in shard %s", key, tx.shard.Tag())
	return false
}

// Prefetch reads several records, fields (Key.Field) and cardinalities in one
// trip. Reading them later costs none.
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
	values, err := tx.store.Read(tx.ctx, append(wanted, tx.roomKeys(wanted)...))
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
func (tx *Tx) value(key redis.Key) (Reading, error) {
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
	value, err := tx.value(key)
	return value.Record, value.Present, err
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
	read, err := tx.value(key)
	return read.Text, read.Present, err
}

// Card reads the number of members of an order, index or set, as it was before
// the transaction's own writes.
func (tx *Tx) Card(key redis.Key) (int64, error) {
	if key.Kind() != redis.OrderKind && key.Kind() != redis.SetKind {
		return 0, redis.Misuse("%q has no cardinality", key)
	}
	value, err := tx.value(key)
	return value.count, err
}

// Put writes a record that was read: its version becomes the one read plus one.
// Private and public are JSON without line feeds. created says that there was none.
func (tx *Tx) Put(key redis.Key, private, public []byte) (created bool) {
	old, read := tx.reads[key]
	if !tx.Owns(key, redis.RecordKind) {
		return false
	}
	if !read {
		tx.fail("put of %q, which was not read", key)
		return false
	}
	record := Record{Version: old.Record.Version + 1, Schema: tx.store.WrittenForm(), Private: private, Public: public}
	data, err := EncodeRecord(record)
	if err != nil {
		tx.fail("put of %q: %v", key, err)
		return false
	}
	tx.records[key] = Reading{Present: true, Record: record}
	tx.write("P", key, "", data)
	return !old.Present
}

// Delete removes a record that was read.
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
	if tx.Owns(hash, redis.HashKind) && tx.named(field) {
		tx.fields[hash.Field(field)] = Reading{Present: true, Text: value}
		tx.write("F", hash, field, field, value)
	}
}

// DeleteField removes one field of a HASH.
func (tx *Tx) DeleteField(hash redis.Key, field string) {
	if tx.Owns(hash, redis.HashKind) && tx.named(field) {
		tx.fields[hash.Field(field)] = Reading{}
		tx.write("G", hash, field, field)
	}
}

// Add puts a member into an order or index, sorted by its bytes.
func (tx *Tx) Add(index redis.Key, member string) {
	if tx.Owns(index, redis.OrderKind) && tx.named(member) {
		tx.write("Z", index, member, "0", member)
	}
}

// Remove takes a member out of an order or index.
func (tx *Tx) Remove(index redis.Key, member string) {
	if tx.Owns(index, redis.OrderKind) && tx.named(member) {
		tx.write("R", index, member, member)
	}
}

// SetAdd puts a member into a SET.
func (tx *Tx) SetAdd(set redis.Key, member string) {
	if tx.Owns(set, redis.SetKind) && tx.named(member) {
		tx.write("S", set, member, member)
	}
}

// SetRemove takes a member out of a SET.
func (tx *Tx) SetRemove(set redis.Key, member string) {
	if tx.Owns(set, redis.SetKind) && tx.named(member) {
		tx.write("T", set, member, member)
	}
}

// named refuses the empty field or member.
func (tx *Tx) named(member string) bool {
	if member == "" {
		tx.fail("empty field or member")
	}
	return member != ""
}

// write collects a write; a later one to the same place replaces an earlier.
func (tx *Tx) write(opcode string, key redis.Key, member string, args ...any) {
	next := write{opcode: opcode, key: key, args: args}
	place := Cell{Key: key, Member: member}
	if at, have := tx.numbers[place]; have {
		tx.writes[at] = next
		return
	}
	tx.numbers[place] = len(tx.writes)
	tx.writes = append(tx.writes, next)
}

// SetAccess writes the access entry of an id (JSON; nil = gone) and tells every
// process about it. Only in the shard of an organization.
func (tx *Tx) SetAccess(id string, entry []byte) {
	entries := tx.shard.Key(redis.HashKind, "shapes")
	if entry == nil {
		tx.DeleteField(entries, id)
	} else {
		tx.SetField(entries, id, string(entry))
	}
	tx.news = append(tx.news, news{id: id, entry: string(entry)})
}

// Event appends to the events of the shard. Fields are sorted by name.
func (tx *Tx) Event(fields map[string]string) {
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
func (tx *Tx) Counts(id string, indexes ...redis.Key) {
	if len(indexes) == 0 || !tx.named(id) {
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

// DropCounts removes what Counts wrote for something that is being deleted,
// also by this transaction.
func (tx *Tx) DropCounts(org, id string) {
	tx.counts = slices.DeleteFunc(tx.counts, func(c Count) bool { return c.ID == id })
	tx.DeleteField(CountsKey(org), id)
}

// Answer is what the commit saves under the Update's idempotency key.
func (tx *Tx) Answer(answer Answer) { tx.answer = &answer }

// Time is the time of the Redis that has the shard (see Store.Time): that of the
// transaction's deadlines. One trip.
func (tx *Tx) Time() (now time.Time, err error) {
	if tx.told.IsZero() {
		tx.told, err = tx.store.TimeAt(tx.ctx, tx.shard.Key(redis.OrderKind, "due"))
	}
	return tx.told, err
}

// SetVersion gives a record that was written the version that it had elsewhere.
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
