package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Unreadable is the error of content that cannot be read: an object that
// something refers to is not stored, or is not what it has to be. It is an
// ErrMissing, or an ErrCorrupt.
type Unreadable struct {
	Space string
	Hash  string
	Lost  *Lost // what is known of it, once it was given up
	cause error
}

// Error implements error.
func (u *Unreadable) Error() string { return u.cause.Error() }

// Unwrap returns ErrMissing or ErrCorrupt.
func (u *Unreadable) Unwrap() error { return u.cause }

// AsUnreadable finds an Unreadable in a chain.
func AsUnreadable(err error) (*Unreadable, bool) { return errors.AsType[*Unreadable](err) }

// Lost stands in the place of an object that was given up. History goes on behind
// it, as far as that is known, and nothing that it leads to is swept. The object
// itself, stored again, takes its place back.
type Lost struct {
	Refs []string // what it led to, as far as that is known
	Note []byte   // for whoever gave it up
}

// codecLost is the first byte of what stands for a lost object: see codec. The
// rest is an object of its own.
const codecLost = 2

// lostObject decodes what stands for a lost object.
func lostObject(stored []byte) (*Lost, bool) {
	if len(stored) == 0 || stored[0] != codecLost {
		return nil, false
	}
	object := newObject(slices.Clone(stored[1:]))
	note, refs, err := object.split()
	if err != nil {
		return nil, false
	}
	return &Lost{Refs: refs, Note: note}, true
}

// damaged is what verifyObject says of an object that is not stored as it has to
// be: found are the bytes in its place, if there are some.
func damaged(space, hash string, found []byte, there bool) error {
	u := &Unreadable{Space: space, Hash: hash, cause: fmt.Errorf("%w: %s of space %s", ErrMissing, hash, space)}
	lost, given := lostObject(found)
	switch {
	case given:
		u.Lost = lost
		u.cause = fmt.Errorf("%w: %s of space %s was given up", ErrMissing, hash, space)
	case there:
		u.cause = redis.Corrupt("object %s of space %s does not match its hash", hash, space)
	}
	return u
}

// GiveUp lets something stand in the place of objects that cannot be read, so
// that nobody looks for them any more. No head may need them: the caller moves
// the heads first. What can be read by now stays as it is.
func (s *Store) GiveUp(ctx context.Context, space string, lost map[string]Lost) error {
	for hash, l := range lost {
		found, err := s.fetch(ctx, space, []string{hash})
		if err != nil {
			return err
		}
		u, unreadable := AsUnreadable(found[0].err)
		if !unreadable || u.Lost != nil {
			continue
		}
		first, _ := firstByte(hash)
		key, stored := s.Name(objectKey(space, first)), append([]byte{codecLost}, NewNode(l.Refs, l.Note).data...)
		pipe := s.Client.Pipeline()
		if errors.Is(u, redis.ErrCorrupt) {
			pipe.HSet(ctx, key, hash, stored)
		} else {
			pipe.HSetNX(ctx, key, hash, stored)
		}
		if err := redis.Execute(ctx, "objects.lose", pipe); err != nil {
			return err
		}
	}
	_, err := s.Measure(ctx, space)
	return err
}

// ObjectsIn visits all objects of a space that can be read, in no order. It is
// for repairs: it reads everything.
func (s *Store) ObjectsIn(ctx context.Context, space string, visit func(Object) error) error {
	for first := range 256 {
		key := s.Name(objectKey(space, byte(first)))
		for cursor := uint64(0); ; {
			redis.FailBefore("objects.scan")
			page, next, err := s.Client.HScan(ctx, key, cursor, "", walkPage).Result()
			redis.FailAfter("objects.scan")
			if err != nil {
				return redis.Wrap(ctx, err)
			}
			for i := 0; i+1 < len(page); i += 2 {
				reply := goredis.NewStringCmd(ctx)
				reply.SetVal(page[i+1])
				object, err := s.verifyObject(space, page[i], reply)
				if err != nil {
					continue
				}
				if err := visit(object); err != nil {
					return err
				}
			}
			if cursor = next; cursor == 0 {
				break
			}
		}
	}
	return nil
}

// Refs returns what the object refers to.
func (o Object) Refs() ([]string, error) {
	_, refs, err := o.split()
	return refs, err
}

// IsNode reports whether the object was made by NewNode.
func (o Object) IsNode() bool { return len(o.data) > 0 && o.data[0] == tagNode }
