package txn

import (
	"context"
	"strconv"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Model is what the entries of an organization mean: levels, parents, roles. It is told every entry
// once and then every change, under the feed's lock.
type Model interface {
	// Apply sets the entry of an id (JSON; nil = gone). It may be told the same
	// change twice. The bytes may be kept.
	Apply(id string, entry []byte)
	// Reset drops everything.
	Reset()
	// Size is how many bytes it holds, roughly.
	Size() int
}

// shared is the model of one organization that all requests of this process
// look at, fed by the organization's stream of changes. Every Batch that names it
// reads the news with its other values, from
// the last change that was seen, inclusive: if that change is not the first
// answer, the stream was trimmed or rewound (a failover), and all entries are
// read again. So what is decided by it after Do is never older than the batch.
//
// One model behind a lock, instead of an immutable copy per change: applying a
// change to 100,000 entries costs as much as to ten, and readers only look.
type shared struct {
	feeds *Feeds
	org   string

	reload chan struct{} // held while all entries are read

	mu    sync.RWMutex
	model Model    // nil until something was read
	seen  position // the last change that the model has
}

// position is one place in the history of the entries.
type position struct {
	id         string // of the stream entry; "" = nothing was read yet
	op         string // of the commit that wrote it
	generation int    // how often all entries were read
}

func (f *Feeds) newShared(org string) *shared {
	return &shared{feeds: f, org: org, reload: make(chan struct{}, 1)}
}

// reading is a batch's part in keeping a model fresh.
type reading struct {
	of   *shared
	from position
	news *goredis.XMessageSliceCmd // changes since from
	mark *goredis.XMessageSliceCmd // or, before the first read: the last change,
	scan *goredis.ScanCmd          // and the first entries
}

const (
	pageSize   = 2000 // entries that one HSCAN asks for
	maxReloads = 3    // times that one request reads all entries
)

// queue adds the read to a pipeline.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (sh *shared) queue(pipe goredis.Pipeliner) *reading {
	sh.mu.RLock()
	read := &reading{of: sh, from: sh.seen}
	sh.mu.RUnlock()
	if read.from.id == "" {
		read.all(pipe)
	} else {
		read.news = pipe.XRange(context.Background(), sh.stream(), read.from.id, "+")
	}
	return read
}

// all queues a read of everything: the last change first, so that what is
// written meanwhile is told again by the next news.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (r *reading) all(pipe goredis.Pipeliner) {
	r.mark = pipe.XRevRangeN(context.Background(), r.of.stream(), "+", "-", 1)
	r.scan = pipe.HScan(context.Background(), r.of.entries(), 0, "", pageSize)
}

func (sh *shared) stream() string  { return sh.feeds.conn.Name(LogKey(sh.org)) }
func (sh *shared) entries() string { return sh.feeds.conn.Name(EntriesKey(sh.org)) }

// apply brings the model up to the read's replies.
func (r *reading) apply(ctx context.Context) error {
	if r.mark != nil {
		return r.of.load(ctx, r)
	}
	if r.of.follow(r.from, r.news.Val()) {
		return nil
	}
	return r.of.refresh(ctx)
}

// follow applies news that begin with the change seen before. It reports
// whether they do, and whether the model is still in the history of that change.
func (sh *shared) follow(from position, news []goredis.XMessage) bool {
	if len(news) == 0 || news[0].ID != from.id || text(news[0], "op") != from.op {
		return false
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.seen.generation != from.generation {
		return false
	}
	for _, change := range news {
		if laterID(change.ID, sh.seen.id) {
			sh.tell(change)
		}
	}
	return true
}

// tell applies one change. The lock is held.
func (sh *shared) tell(change goredis.XMessage) {
	var entry []byte
	if value := text(change, "entry"); value != "" {
		entry = []byte(value)
	}
	sh.model.Apply(text(change, "id"), entry)
	sh.seen.id, sh.seen.op = change.ID, text(change, "op")
}

// refresh makes the model fresh after news could not be followed: somebody else
// may have read all entries meanwhile, else they are read here. If the stream is
// trimmed faster than the entries are read, it gives up with ErrBusy.
func (sh *shared) refresh(ctx context.Context) error {
	release, err := sh.exclusive(ctx)
	if err != nil {
		return err
	}
	defer release()
	for range maxReloads {
		if fresh, err := sh.catchUp(ctx); fresh || err != nil {
			return err
		}
		pipe := sh.feeds.conn.Client.Pipeline()
		read := &reading{of: sh}
		read.all(pipe)
		if err := redis.Execute(ctx, "shape.reload", pipe); err != nil {
			return err
		}
		if fresh, err := sh.replace(ctx, read); fresh || err != nil {
			return err
		}
	}
	return redis.ErrBusy
}

// catchUp reads the news and applies them, if they can be followed.
func (sh *shared) catchUp(ctx context.Context) (fresh bool, err error) {
	pipe := sh.feeds.conn.Client.Pipeline()
	read := sh.queue(pipe)
	if err := redis.Execute(ctx, "shape.news", pipe); err != nil {
		return false, err
	}
	if read.mark != nil {
		return sh.replace(ctx, read)
	}
	return sh.follow(read.from, read.news.Val()), nil
}

// load makes use of a first read. If somebody else has loaded the model since,
// that model is brought up to date instead.
func (sh *shared) load(ctx context.Context, read *reading) error {
	fresh, err := sh.loadFirst(ctx, read)
	if fresh || err != nil {
		return err
	}
	return sh.refresh(ctx)
}

func (sh *shared) loadFirst(ctx context.Context, read *reading) (fresh bool, err error) {
	release, err := sh.exclusive(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	sh.mu.RLock()
	first := sh.seen == read.from
	sh.mu.RUnlock()
	if !first {
		return false, nil
	}
	return sh.replace(ctx, read)
}

// exclusive waits for the right to read all entries.
func (sh *shared) exclusive(ctx context.Context) (release func(), err error) {
	select {
	case sh.reload <- struct{}{}:
		return func() { <-sh.reload }, nil
	case <-ctx.Done():
		return nil, redis.Wrap(ctx, ctx.Err())
	}
}

// replace fills the model with all entries and the changes since the mark. It is
// not fresh if those cannot be followed. The right to do so is held.
func (sh *shared) replace(ctx context.Context, read *reading) (fresh bool, err error) {
	entries, cursor := read.scan.Val()
	atOnce := cursor == 0 // then the entries are as fresh as the batch
	for cursor != 0 {
		redis.FailBefore("shape.page")
		page, next, err := sh.feeds.conn.Client.HScan(ctx, sh.entries(), cursor, "", pageSize).Result()
		redis.FailAfter("shape.page")
		if err != nil {
			return false, redis.Wrap(ctx, err)
		}
		entries, cursor = append(entries, page...), next
	}
	mark := sh.fill(entries, read.mark.Val())
	if mark.id == "" || atOnce {
		return true, nil
	}
	redis.FailBefore("shape.since")
	news, err := sh.feeds.conn.Client.XRange(ctx, sh.stream(), mark.id, "+").Result()
	redis.FailAfter("shape.since")
	if err != nil {
		return false, redis.Wrap(ctx, err)
	}
	return sh.follow(mark, news), nil
}

// fill starts the model again with entries as they were after the mark.
func (sh *shared) fill(entries []string, last []goredis.XMessage) position {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.model == nil {
		sh.model = sh.feeds.newModel(sh.org)
	}
	sh.model.Reset()
	for i := 0; i+1 < len(entries); i += 2 {
		sh.model.Apply(entries[i], []byte(entries[i+1]))
	}
	mark := position{generation: sh.seen.generation + 1}
	if len(last) > 0 {
		mark.id, mark.op = last[0].ID, text(last[0], "op")
	}
	sh.seen = mark
	return mark
}

// text returns a field of a stream entry.
func text(message goredis.XMessage, field string) string {
	value, _ := message.Values[field].(string)
	return value
}

// laterID reports whether stream id a is behind b ("" = the beginning).
func laterID(a, b string) bool {
	if b == "" {
		return true
	}
	aTime, aSequence := splitStreamID(a)
	bTime, bSequence := splitStreamID(b)
	return aTime > bTime || aTime == bTime && aSequence > bSequence
}

// splitStreamID reads `<milliseconds>-<sequence>`.
func splitStreamID(id string) (millis, sequence uint64) {
	before, after, _ := strings.Cut(id, "-")
	millis, _ = strconv.ParseUint(before, 10, 64)
	sequence, _ = strconv.ParseUint(after, 10, 64)
	return millis, sequence
}
