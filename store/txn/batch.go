package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Batch queues reads and makes them in one trip (per node, on a Cluster).
// A result is in its Future after Do. A Batch is used by one goroutine, once.
type Batch struct {
	Store   *Store
	Pipe    goredis.Pipeliner
	strings []*gathered
	settle  []func() // read the replies
	lacking []lacking
	feeds   []*Feed
}

// lacking is an object that its space does not have.
type lacking struct {
	space, hash string
	cause       error // to say where it is nowhere
	settle      func(objects.Object, error)
}

// gathered are the strings of one hash tag: they are read by one command, which
// costs Redis and the client much less than one each.
type gathered struct {
	tag   string
	names []string
	read  []func(value string, ok bool)
}

// Reply is what Redis answers to a plain read of a Batch: it cannot fail by itself,
// as there is nothing to decode. Before Batch.Do it is absent.
type Reply[T any] struct {
	value  T
	ok     bool
	target *T
}

// Get returns the value; ok is false if there is none.
func (r *Reply[T]) Get() (value T, ok bool) { return r.value, r.ok }

// Value returns the value, or the zero value if there is none.
func (r *Reply[T]) Value() T { return r.value }

// Into has Batch.Do write the value to target, where there is one.
func (r *Reply[T]) Into(target *T) { r.target = target }

// settle takes the answer.
func (r *Reply[T]) settle(value T, ok bool) {
	r.value, r.ok = value, ok
	if ok && r.target != nil {
		*r.target = value
	}
}

// Future is what a Batch reads and decodes: a record or an object.
type Future[T any] struct {
	value T
	err   error
	ok    bool
	done  bool
}

// errNotDone is the error of a Future before Batch.Do.
var errNotDone = fmt.Errorf("%w: future read before Do", redis.ErrMisuse)

// Get returns the value; ok is false if there is none. err is an ErrCorrupt of
// this value alone: what concerns the whole trip is returned by Do.
func (f *Future[T]) Get() (value T, ok bool, err error) {
	if !f.done {
		return value, false, errNotDone
	}
	return f.value, f.ok, f.err
}

// settle takes the answer.
func (f *Future[T]) settle(value T, ok bool, err error) {
	f.value, f.ok, f.err, f.done = value, ok, err, true
}

// Pipeline returns an empty Batch.
func (s *Store) Pipeline() *Batch {
	return &Batch{Store: s, Pipe: s.Client.Pipeline()}
}

// Do makes the trip; there is none if everything is in memory or nothing was
// queued. Large organizations may take some trips more.
func (b *Batch) Do(ctx context.Context) error {
	if err := b.Store.Refusal(); err != nil {
		return err
	}
	for _, g := range b.strings {
		b.queueStrings(g)
	}
	if err := redis.Execute(ctx, "batch", b.Pipe); err != nil {
		return err
	}
	for _, settle := range b.settle {
		settle()
	}
	if err := b.rescue(ctx); err != nil {
		return err
	}
	for _, f := range b.feeds {
		if err := f.Apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Queue adds a read and what takes its answer. A key that cannot be sent, or of
// another kind, is absent.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func Queue[T any](b *Batch, key redis.Key, kind redis.Kind, queue func(ctx context.Context, name string) (goredis.Cmder, func() (T, bool))) *Reply[T] {
	reply := &Reply[T]{}
	if !key.Valid() || key.Kind() != kind {
		return reply
	}
	command, read := queue(context.Background(), b.Store.Name(key))
	b.settle = append(b.settle, func() {
		if !errors.Is(command.Err(), goredis.Nil) {
			reply.settle(read())
		}
	})
	return reply
}

// gather adds a string to those of its hash tag; read gets its value.
func (b *Batch) gather(key redis.Key, read func(value string, ok bool)) {
	at := slices.IndexFunc(b.strings, func(g *gathered) bool { return g.tag == key.Tag() })
	if at < 0 {
		at, b.strings = len(b.strings), append(b.strings, &gathered{tag: key.Tag()})
	}
	g := b.strings[at]
	g.names = append(g.names, b.Store.Name(key))
	g.read = append(g.read, read)
}

// queueStrings adds the one command that reads them.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (b *Batch) queueStrings(g *gathered) {
	reply := b.Pipe.MGet(context.Background(), g.names...)
	b.settle = append(b.settle, func() {
		for i, value := range reply.Val() {
			text, ok := value.(string)
			g.read[i](text, ok)
		}
	})
}

// Record reads a record.
func (b *Batch) Record(key redis.Key) *Future[Record] {
	future := &Future[Record]{}
	if !key.Valid() || key.Kind() != redis.RecordKind {
		future.done = true
		return future
	}
	b.gather(key, func(value string, ok bool) {
		if !ok {
			future.done = true
			return
		}
		record, err := b.Store.Decode([]byte(value))
		future.settle(record, err == nil, err)
	})
	return future
}

// Value reads a plain string, such as UsedKey.
func (b *Batch) Value(key redis.Key) *Reply[string] {
	reply := &Reply[string]{}
	if key.Valid() && key.Kind() == redis.StringKind {
		b.gather(key, reply.settle)
	}
	return reply
}

// Field reads one field of a HASH.
func (b *Batch) Field(hash redis.Key, field string) *Reply[string] {
	return Queue(b, hash.Whole(), redis.HashKind, func(ctx context.Context, name string) (goredis.Cmder, func() (string, bool)) {
		reply := b.Pipe.HGet(ctx, name, field)
		return reply, func() (string, bool) { return reply.Val(), true }
	})
}

// Fields reads several fields of a HASH; absent ones are not in the map.
func (b *Batch) Fields(hash redis.Key, fields ...string) *Reply[map[string]string] {
	if len(fields) == 0 {
		hash = redis.Key{}
	}
	return Queue(b, hash, redis.HashKind, func(ctx context.Context, name string) (goredis.Cmder, func() (map[string]string, bool)) {
		reply := b.Pipe.HMGet(ctx, name, fields...)
		return reply, func() (map[string]string, bool) {
			found := make(map[string]string, len(fields))
			for i, value := range reply.Val() {
				if text, ok := value.(string); ok {
					found[fields[i]] = text
				}
			}
			return found, len(found) > 0
		}
	})
}

// HashAll reads a whole HASH.
func (b *Batch) HashAll(hash redis.Key) *Reply[map[string]string] {
	return Queue(b, hash, redis.HashKind, func(ctx context.Context, name string) (goredis.Cmder, func() (map[string]string, bool)) {
		reply := b.Pipe.HGetAll(ctx, name)
		return reply, func() (map[string]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Members reads a SET, in no particular order.
func (b *Batch) Members(set redis.Key) *Reply[[]string] {
	return Queue(b, set, redis.SetKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		reply := b.Pipe.SMembers(ctx, name)
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Range reads up to limit members of an order or index behind the member after
// (empty = from the start), in rising or, reversed, in falling order. The member
// after need not be there any more.
func (b *Batch) Range(index redis.Key, after string, limit int, reverse bool) *Reply[[]string] {
	return Queue(b, index, redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		by := goredis.ZRangeBy{Min: "-", Max: "+", Count: int64(limit)}
		var reply *goredis.StringSliceCmd
		switch {
		case reverse && after != "":
			by.Max = "(" + after
			fallthrough
		case reverse:
			reply = b.Pipe.ZRevRangeByLex(ctx, name, &by)
		case after != "":
			by.Min = "(" + after
			fallthrough
		default:
			reply = b.Pipe.ZRangeByLex(ctx, name, &by)
		}
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Due reads up to limit members of an index by time that are due at a time, the
// earliest first.
func (b *Batch) Due(index redis.Key, at time.Time, limit int) *Reply[[]string] {
	return Queue(b, index, redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		by := goredis.ZRangeBy{Min: "-inf", Max: fmt.Sprint(at.UnixMilli()), Count: int64(limit)}
		reply := b.Pipe.ZRangeByScore(ctx, name, &by)
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Card reads the number of members of an order, index or set.
func (b *Batch) Card(key redis.Key) *Reply[int64] {
	return Queue(b, key, key.Kind(), func(ctx context.Context, name string) (goredis.Cmder, func() (int64, bool)) {
		var reply *goredis.IntCmd
		if key.Kind() == redis.SetKind {
			reply = b.Pipe.SCard(ctx, name)
		} else {
			reply = b.Pipe.ZCard(ctx, name)
		}
		return reply, func() (int64, bool) { return reply.Val(), true }
	})
}

// Object reads the payload of a blob or node, from memory if it is there. The
// payload must not be changed.
func (b *Batch) Object(space, hash string) *Future[[]byte] {
	future := &Future[[]byte]{}
	if object, ok := b.Store.Cache.Get(space, hash); ok {
		payload, err := object.Payload()
		future.settle(payload, err == nil, err)
		return future
	}
	reply, err := b.Store.queueObject(context.Background(), b.Pipe, space, hash)
	if err != nil {
		future.settle(nil, false, err)
		return future
	}
	settle := func(object objects.Object, err error) {
		if err != nil {
			future.settle(nil, false, err)
			return
		}
		payload, err := object.Payload()
		future.settle(payload, err == nil, err)
	}
	b.settle = append(b.settle, func() {
		object, err := b.Store.readObject(space, hash, reply)
		if errors.Is(err, objects.ErrMissing) {
			b.lacking = append(b.lacking, lacking{space, hash, err, settle})
			return
		}
		settle(object, err)
	})
	return future
}

// rescue looks for objects elsewhere.
func (b *Batch) rescue(ctx context.Context) error {
	bySpace := map[string][]string{}
	for _, l := range b.lacking {
		bySpace[l.space] = append(bySpace[l.space], l.hash)
	}
	type place struct{ space, hash string }
	found := map[place]objects.Object{}
	for space, hashes := range bySpace {
		rescued, err := b.Store.rescue(ctx, space, hashes)
		if err != nil {
			return err
		}
		for hash, object := range rescued {
			found[place{space, hash}] = object
		}
	}
	for _, l := range b.lacking {
		object, ok := found[place{l.space, l.hash}]
		if !ok {
			l.settle(object, l.cause)
			continue
		}
		l.settle(object, nil)
	}
	return nil
}

// Follow reads the news of an organization's access entries. After Do it is as fresh as
// the other values of the batch, or fresher.
func (b *Batch) Follow(org string) *Feed {
	f := b.News(org)
	b.feeds = append(b.feeds, f)
	return f
}

// News is Follow for a caller that is not known yet: the news are read in the
// same trip, and taken into memory by Feed.Apply. Who is refused before that
// leaves nothing behind.
func (b *Batch) News(org string) *Feed {
	return b.Store.feeds.Queue(b.Pipe, org)
}
