package objects

import (
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// ErrMissing is returned for a referenced object that is not stored.
var ErrMissing = errors.New("store: object is missing")

// UnreadableError is the error of an object that is missing or damaged. It wraps ErrMissing or ErrCorrupt.
type UnreadableError struct {
	Space string
	Hash  string
	Lost  *Placeholder // placeholder of the object, if any
	cause error
}

// Error implements error.
func (u *UnreadableError) Error() string { return u.cause.Error() }

// Unwrap returns ErrMissing or ErrCorrupt.
func (u *UnreadableError) Unwrap() error { return u.cause }

// AsUnreadable returns the UnreadableError in the chain of err.
func AsUnreadable(err error) (*UnreadableError, bool) { return errors.AsType[*UnreadableError](err) }

// IsLost reports whether err is about content that a repair has replaced with a placeholder.
func IsLost(err error) bool {
	u, unreadable := AsUnreadable(err)
	return unreadable && u.Lost != nil
}

// Placeholder is the placeholder of an object that cannot be recovered. It contains the known references of the object, so
// that history before it is readable and not swept. If the object is stored again, it replaces the placeholder.
type Placeholder struct {
	Refs []string // known references of the object
	Note []byte   // opaque note of the writer
}

// codecLost is the first byte of a placeholder: see Codec. An object follows it.
const codecLost = 2

// lostObject decodes a placeholder.
func lostObject(stored []byte) (*Placeholder, bool) {
	if len(stored) == 0 || stored[0] != codecLost {
		return nil, false
	}
	object := NewObject(slices.Clone(stored[1:]))
	note, refs, err := object.Split()
	if err != nil {
		return nil, false
	}
	return &Placeholder{Refs: refs, Note: note}, true
}

// Bytes returns the stored form of the placeholder.
func (l Placeholder) Bytes() []byte {
	return append([]byte{codecLost}, NewNode(l.Refs, l.Note).data...)
}

// NewUnreadable returns the UnreadableError of an object that is missing or has the wrong bytes: stored has the stored bytes if
// present is set.
func NewUnreadable(space, hash string, stored []byte, present bool) error {
	u := &UnreadableError{Space: space, Hash: hash, cause: fmt.Errorf("%w: %s of space %s", ErrMissing, hash, space)}
	lost, isLost := lostObject(stored)
	switch {
	case isLost:
		u.Lost = lost
		u.cause = fmt.Errorf("%w: %s of space %s was given up", ErrMissing, hash, space)
	case present:
		u.cause = redis.Corrupt("object %s of space %s does not match its hash", hash, space)
	}
	return u
}
