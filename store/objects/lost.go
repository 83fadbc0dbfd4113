package objects

import (
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// ErrMissing is the error of an object that is referred to and not stored.
var ErrMissing = errors.New("store: object is missing")

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
	object := NewObject(slices.Clone(stored[1:]))
	note, refs, err := object.Split()
	if err != nil {
		return nil, false
	}
	return &Lost{Refs: refs, Note: note}, true
}

// Bytes is what is written in the place of the object.
func (l Lost) Bytes() []byte { return append([]byte{codecLost}, NewNode(l.Refs, l.Note).data...) }

// Damaged is what verifyObject says of an object that is not stored as it has to
// be: found are the bytes in its place, if there are some.
func Damaged(space, hash string, found []byte, there bool) error {
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
