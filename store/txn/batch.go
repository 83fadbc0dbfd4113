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

// Batch queues reads and sends them in one trip (one per node on a Cluster). Results are available from their Reply
// or Future after Do. A Batch is used by one goroutine, for one Do.
type Batch struct {
	Store    *Store
	Pipe     goredis.Pipeliner
	strings  []*stringGroup
	decoders []func() // decode the replies
	missing  []missingObject
	feeds    []*Feed
}

// missingObject is an object that its space does not contain.
type missingObject struct {
	space, hash string
	cause       error // reported if no other location has the object
	complete    func(objects.Object, error)
}

// stringGroup are the strings with one hash tag. One command reads them all, which costs Redis and the client much less
// than a command per string.
type stringGroup struct {
	tag     string
	names   []string
	readers []func(value string, ok bool)
}

// Reply is the result of a plain read of a Batch. There is nothing to decode, so it has no error of its own. Before
// Batch.Do it is absent.
type Reply[T any] struct {
	value  T
	ok     bool
	target *T
}

// Get returns the value; ok is false if there is none.
func (r *Reply[T]) Get() (value T, ok bool) { return r.value, r.ok }

// Value returns the value, or the zero value if there is none.
func (r *Reply[T]) Value() T { return r.value }

// Into makes Batch.Do store the value in target if the value exists.
func (r *Reply[T]) Into(target *T) { r.target = target }

// set sets the result and, if there is a value, the target of Into.
func (r *Reply[T]) set(value T, ok bool) {
	r.value, r.ok = value, ok
	if ok && r.target != nil {
		*r.target = value
	}
}

// Future is the result of a read that a Batch decodes: a record or an object.
type Future[T any] struct {
	value T
	err   error
	ok    bool
	done  bool
}

// errNotDone is the error of a Future that is read before Batch.Do.
var errNotDone = fmt.Errorf("%w: future read before Do", redis.ErrMisuse)

// Get returns the value; ok is false if there is none. err is an ErrCorrupt of this value only; errors of the whole
// trip are returned by Do.
func (f *Future[T]) Get() (value T, ok bool, err error) {
	if !f.done {
		return value, false, errNotDone
	}
	return f.value, f.ok, f.err
}

// set sets the result and marks the Future as done.
func (f *Future[T]) set(value T, ok bool, err error) {
	f.value, f.ok, f.err, f.done = value, ok, err, true
}

// NewBatch returns an empty Batch.
func (s *Store) NewBatch() *Batch {
	return &Batch{Store: s, Pipe: s.Client.Pipeline()}
}

// Do sends the queued reads in one trip, or in none if all of them are cached. Large organizations may need a few
// more trips.
func (b *Batch) Do(ctx context.Context) error {
	if err := b.Store.FormatError(); err != nil {
		return err
	}
	for _, g := range b.strings {
		b.queueGroup(g)
	}
	if err := redis.Execute(ctx, "batch", b.Pipe); err != nil {
		return err
	}
	for _, decode := range b.decoders {
		decode()
	}
	if err := b.findMissing(ctx); err != nil {
		return err
	}
	for _, f := range b.feeds {
		if err := f.Apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Queue adds a read to b. queue returns the command to send and the function that decodes its reply. A key that
// cannot be sent or is of another kind reads as absent.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func Queue[T any](
	b *Batch, key redis.Key, kind redis.Kind, queue func(ctx context.Context, name string) (goredis.Cmder, func() (T, bool)),
) *Reply[T] {
	reply := &Reply[T]{}
	if !key.Valid() || key.Kind() != kind {
		return reply
	}
	command, read := queue(context.Background(), b.Store.Name(key))
	b.decoders = append(b.decoders, func() {
		if !errors.Is(command.Err(), goredis.Nil) {
			reply.set(read())
		}
	})
	return reply
}

// addString adds a string to the group of its hash tag; read receives its value.
func (b *Batch) addString(key redis.Key, read func(value string, ok bool)) {
	index := slices.IndexFunc(b.strings, func(g *stringGroup) bool { return g.tag == key.Tag() })
	if index < 0 {
		index, b.strings = len(b.strings), append(b.strings, &stringGroup{tag: key.Tag()})
	}
	g := b.strings[index]
	g.names = append(g.names, b.Store.Name(key))
	g.readers = append(g.readers, read)
}

// queueGroup adds the one command that reads the strings of a group.
//
//nolint:contextcheck,nolintlint // queued commands run under the context of the trip
func (b *Batch) queueGroup(g *stringGroup) {
	reply := b.Pipe.MGet(context.Background(), g.names...)
	b.decoders = append(b.decoders, func() {
		for i, value := range reply.Val() {
			text, ok := value.(string)
			g.readers[i](text, ok)
		}
	})
}

// Record queues the read of a record.
func (b *Batch) Record(key redis.Key) *Future[Record] {
	future := &Future[Record]{}
	if !key.Valid() || key.Kind() != redis.RecordKind {
		future.done = true
		return future
	}
	b.addString(key, func(value string, ok bool) {
		if !ok {
			future.done = true
			return
		}
		record, err := b.Store.Decode([]byte(value))
		future.set(record, err == nil, err)
	})
	return future
}

// Value queues the read of a plain string, such as UsedKey.
func (b *Batch) Value(key redis.Key) *Reply[string] {
	reply := &Reply[string]{}
	if key.Valid() && key.Kind() == redis.StringKind {
		b.addString(key, reply.set)
	}
	return reply
}

// Field queues the read of one field of a HASH.
func (b *Batch) Field(hash redis.Key, field string) *Reply[string] {
	return Queue(b, hash.WithoutField(), redis.HashKind, func(ctx context.Context, name string) (goredis.Cmder, func() (string, bool)) {
		reply := b.Pipe.HGet(ctx, name, field)
		return reply, func() (string, bool) { return reply.Val(), true }
	})
}

// Fields queues the read of several fields of a HASH; absent fields are not in the map.
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

// HashAll queues the read of a whole HASH.
func (b *Batch) HashAll(hash redis.Key) *Reply[map[string]string] {
	return Queue(b, hash, redis.HashKind, func(ctx context.Context, name string) (goredis.Cmder, func() (map[string]string, bool)) {
		reply := b.Pipe.HGetAll(ctx, name)
		return reply, func() (map[string]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Members queues the read of a SET, in no particular order.
func (b *Batch) Members(set redis.Key) *Reply[[]string] {
	return Queue(b, set, redis.SetKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		reply := b.Pipe.SMembers(ctx, name)
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Range queues the read of up to limit members of an order or index that follow the member after (empty = from the
// start), ascending, or descending if reverse is set. The member after need not exist.
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

// Due queues the read of up to limit members of a time index that are due at the given time, earliest first.
func (b *Batch) Due(index redis.Key, at time.Time, limit int) *Reply[[]string] {
	return Queue(b, index, redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		by := goredis.ZRangeBy{Min: "-inf", Max: fmt.Sprint(at.UnixMilli()), Count: int64(limit)}
		reply := b.Pipe.ZRangeByScore(ctx, name, &by)
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}

// Cardinality queues the read of the number of members of an order, index or set.
func (b *Batch) Cardinality(key redis.Key) *Reply[int64] {
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

// Object queues the read of the payload of a blob or node unless it is cached. The payload must not be modified.
func (b *Batch) Object(space, hash string) *Future[[]byte] {
	future := &Future[[]byte]{}
	if object, ok := b.Store.Cache.Get(space, hash); ok {
		payload, err := object.Payload()
		future.set(payload, err == nil, err)
		return future
	}
	reply, err := b.Store.queueObject(context.Background(), b.Pipe, space, hash)
	if err != nil {
		future.set(nil, false, err)
		return future
	}
	complete := func(object objects.Object, err error) {
		if err != nil {
			future.set(nil, false, err)
			return
		}
		payload, err := object.Payload()
		future.set(payload, err == nil, err)
	}
	b.decoders = append(b.decoders, func() {
		object, err := b.Store.readObject(space, hash, reply)
		if errors.Is(err, objects.ErrMissing) {
			b.missing = append(b.missing, missingObject{space, hash, err, complete})
			return
		}
		complete(object, err)
	})
	return future
}

// findMissing looks up the missing objects of the batch in the outboxes and again in their spaces.
func (b *Batch) findMissing(ctx context.Context) error {
	bySpace := map[string][]string{}
	for _, l := range b.missing {
		bySpace[l.space] = append(bySpace[l.space], l.hash)
	}
	type objectID struct{ space, hash string }
	found := map[objectID]objects.Object{}
	for space, hashes := range bySpace {
		rescued, err := b.Store.findElsewhere(ctx, space, hashes)
		if err != nil {
			return err
		}
		for hash, object := range rescued {
			found[objectID{space, hash}] = object
		}
	}
	for _, l := range b.missing {
		object, ok := found[objectID{l.space, l.hash}]
		if !ok {
			l.complete(object, l.cause)
			continue
		}
		l.complete(object, nil)
	}
	return nil
}

// Follow queues the read of the changes of an organization's access entries. After Do the feed is at least as recent
// as the other values of the batch.
func (b *Batch) Follow(org string) *Feed {
	f := b.FollowDeferred(org)
	b.feeds = append(b.feeds, f)
	return f
}

// FollowDeferred is Follow for a caller who is not authenticated yet. The changes are read in the same trip but applied only by
// Feed.Apply, so that a refused caller does not cause a model to be loaded.
func (b *Batch) FollowDeferred(org string) *Feed {
	return b.Store.feeds.Queue(b.Pipe, org)
}
