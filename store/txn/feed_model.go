package txn

import (
	"context"
	"strconv"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Model is the in-memory form of an organization's access entries: levels, parents and roles. It receives every entry
// once and then every change, under the feed's lock.
type Model interface {
	// Apply sets the entry of an id (JSON; nil = deleted). It may be called twice with the same change and may retain
	// the bytes.
	Apply(id string, entry []byte)
	// Reset removes all entries.
	Reset()
	// Size returns the approximate memory use in bytes.
	Size() int
}

// sharedModel is the model of one organization, used by all requests of this process and fed by the organization's stream
// of changes. Every Batch that names the organization reads the changes from the last applied one, inclusive. If that
// change is not the first in the reply, the stream was trimmed or rewound (a failover), and all entries are read
// again. After Do the model is therefore never older than the batch.
//
// There is one model with a lock instead of an immutable copy per change because readers only read, and a change then
// costs the same for 100,000 entries as for ten.
type sharedModel struct {
	feeds *Feeds
	org   string

	reloadLock chan struct{} // acquired to read all entries

	mu       sync.RWMutex
	model    Model    // nil before the first load
	position position // last applied change
}

// position is a point in the history of the entries.
type position struct {
	id         string // stream entry id; "" = nothing was read yet
	op         string // operation of the commit that wrote the stream entry
	generation int    // number of full reloads
}

func (f *Feeds) newSharedModel(org string) *sharedModel {
	return &sharedModel{feeds: f, org: org, reloadLock: make(chan struct{}, 1)}
}

// feedRead is the read of a batch that updates a model.
type feedRead struct {
	model      *sharedModel
	from       position
	changes    *goredis.XMessageSliceCmd // changes since from
	lastChange *goredis.XMessageSliceCmd // last change; read only before the first load
	scan       *goredis.ScanCmd          // first entries; read only before the first load
}

const (
	pageSize   = 2000 // entries per HSCAN
	maxReloads = 3    // full reloads per request
)

// queueRead adds the read to a pipeline.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (sh *sharedModel) queueRead(pipe goredis.Pipeliner) *feedRead {
	sh.mu.RLock()
	read := &feedRead{model: sh, from: sh.position}
	sh.mu.RUnlock()
	if read.from.id == "" {
		read.queueAll(pipe)
	} else {
		read.changes = pipe.XRange(context.Background(), sh.stream(), read.from.id, "+")
	}
	return read
}

// queueAll queues a read of all entries. The last change is read first, so that concurrent changes are applied again from
// the stream.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (r *feedRead) queueAll(pipe goredis.Pipeliner) {
	r.lastChange = pipe.XRevRangeN(context.Background(), r.model.stream(), "+", "-", 1)
	r.scan = pipe.HScan(context.Background(), r.model.entries(), 0, "", pageSize)
}

func (sh *sharedModel) stream() string  { return sh.feeds.conn.Name(LogKey(sh.org)) }
func (sh *sharedModel) entries() string { return sh.feeds.conn.Name(EntriesKey(sh.org)) }

// apply updates the model with the replies of the read.
func (r *feedRead) apply(ctx context.Context) error {
	if r.lastChange != nil {
		return r.model.load(ctx, r)
	}
	if r.model.applyChanges(r.from, r.changes.Val()) {
		return nil
	}
	return r.model.refresh(ctx)
}

// applyChanges applies changes if they begin with the change from. It reports whether they do and whether the model still has
// the same history.
func (sh *sharedModel) applyChanges(from position, changes []goredis.XMessage) bool {
	if len(changes) == 0 || changes[0].ID != from.id || stringField(changes[0], "op") != from.op {
		return false
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.position.generation != from.generation {
		return false
	}
	for _, change := range changes {
		if laterID(change.ID, sh.position.id) {
			sh.applyChange(change)
		}
	}
	return true
}

// applyChange applies one change. sh.mu must be locked.
func (sh *sharedModel) applyChange(change goredis.XMessage) {
	var entry []byte
	if value := stringField(change, "entry"); value != "" {
		entry = []byte(value)
	}
	sh.model.Apply(stringField(change, "id"), entry)
	sh.position.id, sh.position.op = change.ID, stringField(change, "op")
}

// refresh updates the model after a read whose changes could not be applied. If no other request has reloaded the entries in
// the meantime, it reloads them. It returns ErrBusy if the stream is trimmed faster than the entries are read.
func (sh *sharedModel) refresh(ctx context.Context) error {
	release, err := sh.lockReload(ctx)
	if err != nil {
		return err
	}
	defer release()
	for range maxReloads {
		if fresh, err := sh.catchUp(ctx); fresh || err != nil {
			return err
		}
		pipe := sh.feeds.conn.Client.Pipeline()
		read := &feedRead{model: sh}
		read.queueAll(pipe)
		if err := redis.Execute(ctx, "shape.reload", pipe); err != nil {
			return err
		}
		if fresh, err := sh.reloadAll(ctx, read); fresh || err != nil {
			return err
		}
	}
	return redis.ErrBusy
}

// catchUp reads the changes and applies them if possible.
func (sh *sharedModel) catchUp(ctx context.Context) (fresh bool, err error) {
	pipe := sh.feeds.conn.Client.Pipeline()
	read := sh.queueRead(pipe)
	if err := redis.Execute(ctx, "shape.news", pipe); err != nil {
		return false, err
	}
	if read.lastChange != nil {
		return sh.reloadAll(ctx, read)
	}
	return sh.applyChanges(read.from, read.changes.Val()), nil
}

// load fills the model from a first read. If another request has loaded it in the meantime, that model is updated
// instead.
func (sh *sharedModel) load(ctx context.Context, read *feedRead) error {
	fresh, err := sh.loadFirst(ctx, read)
	if fresh || err != nil {
		return err
	}
	return sh.refresh(ctx)
}

func (sh *sharedModel) loadFirst(ctx context.Context, read *feedRead) (fresh bool, err error) {
	release, err := sh.lockReload(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	sh.mu.RLock()
	first := sh.position == read.from
	sh.mu.RUnlock()
	if !first {
		return false, nil
	}
	return sh.reloadAll(ctx, read)
}

// lockReload waits until no other request reads all entries, and returns the function that lets the next one do so. It returns
// an error if ctx is done first.
func (sh *sharedModel) lockReload(ctx context.Context) (release func(), err error) {
	select {
	case sh.reloadLock <- struct{}{}:
		return func() { <-sh.reloadLock }, nil
	case <-ctx.Done():
		return nil, redis.Wrap(ctx, ctx.Err())
	}
}

// reloadAll fills the model with all entries and the changes since read.lastChange. fresh is false if these changes could not
// be applied. The caller has called lockReload.
func (sh *sharedModel) reloadAll(ctx context.Context, read *feedRead) (fresh bool, err error) {
	entries, cursor := read.scan.Val()
	atOnce := cursor == 0 // the entries are then as recent as the batch
	for cursor != 0 {
		redis.FailBefore("shape.page")
		page, next, err := sh.feeds.conn.Client.HScan(ctx, sh.entries(), cursor, "", pageSize).Result()
		redis.FailAfter("shape.page")
		if err != nil {
			return false, redis.Wrap(ctx, err)
		}
		entries, cursor = append(entries, page...), next
	}
	mark := sh.reset(entries, read.lastChange.Val())
	if mark.id == "" || atOnce {
		return true, nil
	}
	redis.FailBefore("shape.since")
	changes, err := sh.feeds.conn.Client.XRange(ctx, sh.stream(), mark.id, "+").Result()
	redis.FailAfter("shape.since")
	if err != nil {
		return false, redis.Wrap(ctx, err)
	}
	return sh.applyChanges(mark, changes), nil
}

// reset replaces the contents of the model with entries, which were read after the change in last, and returns the position of
// that change.
func (sh *sharedModel) reset(entries []string, last []goredis.XMessage) position {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.model == nil {
		sh.model = sh.feeds.newModel(sh.org)
	}
	sh.model.Reset()
	for i := 0; i+1 < len(entries); i += 2 {
		sh.model.Apply(entries[i], []byte(entries[i+1]))
	}
	mark := position{generation: sh.position.generation + 1}
	if len(last) > 0 {
		mark.id, mark.op = last[0].ID, stringField(last[0], "op")
	}
	sh.position = mark
	return mark
}

// stringField returns a field of a stream entry.
func stringField(message goredis.XMessage, field string) string {
	value, _ := message.Values[field].(string)
	return value
}

// laterID reports whether stream id a is after b ("" = the beginning).
func laterID(a, b string) bool {
	if b == "" {
		return true
	}
	aTime, aSequence := splitStreamID(a)
	bTime, bSequence := splitStreamID(b)
	return aTime > bTime || aTime == bTime && aSequence > bSequence
}

// splitStreamID parses `<milliseconds>-<sequence>`.
func splitStreamID(id string) (millis, sequence uint64) {
	before, after, _ := strings.Cut(id, "-")
	millis, _ = strconv.ParseUint(before, 10, 64)
	sequence, _ = strconv.ParseUint(after, 10, 64)
	return millis, sequence
}
