package rest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// Cursor is a place in a list: behind (or, reversed, before) the item with the
// sort key. It stays right when that item goes away.
type Cursor struct {
	After   string // sort key: the member of the index
	Reverse bool
}

const (
	cursorVersion = 2
	cursorSum     = 8             // bytes of the keyed hash over all the rest, the list's filters included
	cursorHead    = 2 + cursorSum // version, direction, sum
	cursorMax     = 1024          // characters

	// Cursors of version 1 had 6 bytes of the plain hash of the filters, and no sum.
	oldCursorVersion = 1
	oldCursorHead    = 8
)

// ErrInvalid is the error of a cursor that is malformed, or belongs to another list.
var ErrInvalid = errors.New("store: invalid cursor")

// ErrOld is the ErrInvalid of a cursor that an earlier version of wsd gave
// out: nothing is wrong with it but its age.
var ErrOld = fmt.Errorf("%w: of an earlier version", ErrInvalid)

// Codec writes and reads the opaque texts of cursors. Nobody but who has the key
// can make one or change one.
type Codec struct{ key []byte }

// NewCursors derives the key of cursors from a secret that all nodes share.
func NewCursors(secret []byte) Codec {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("cursors"))
	return Codec{key: mac.Sum(nil)}
}

// Encode returns the text of a cursor, bound to the list's filters: everything
// but the limit that decides what the list has, its path included.
func (c Codec) Encode(at Cursor, filters ...string) string {
	direction := byte(0)
	if at.Reverse {
		direction = 1
	}
	raw := append([]byte{cursorVersion, direction}, c.sum(direction, at.After, filters)...)
	return base64.RawURLEncoding.EncodeToString(append(raw, at.After...))
}

// Decode reads a cursor of a list with these filters. Anything else, a cursor of
// another list or one that was changed included, is an ErrInvalid.
func (c Codec) Decode(text string, filters ...string) (Cursor, error) {
	if len(text) > cursorMax {
		return Cursor{}, ErrInvalid
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(raw) != text { // line feeds are skipped
		return Cursor{}, ErrInvalid
	}
	if isOldCursor(raw, filters) {
		return Cursor{}, ErrOld
	}
	if len(raw) <= cursorHead || raw[0] != cursorVersion || raw[1] > 1 {
		return Cursor{}, ErrInvalid
	}
	after := string(raw[cursorHead:])
	if !hmac.Equal(raw[2:cursorHead], c.sum(raw[1], after, filters)) {
		return Cursor{}, ErrInvalid
	}
	return Cursor{After: after, Reverse: raw[1] == 1}, nil
}

// sum is the keyed hash of all that a cursor says. The texts are separated by a
// byte that none of them contains.
func (c Codec) sum(direction byte, after string, filters []string) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte{cursorVersion, direction})
	for _, text := range append([]string{after}, filters...) {
		mac.Write([]byte(text))
		mac.Write([]byte{0})
	}
	return mac.Sum(nil)[:cursorSum]
}

// isOldCursor recognises what version 1 gave out for the same list.
func isOldCursor(raw []byte, filters []string) bool {
	if len(raw) <= oldCursorHead || raw[0] != oldCursorVersion || raw[1] > 1 {
		return false
	}
	hash := sha256.New()
	for _, filter := range filters {
		hash.Write([]byte(filter))
		hash.Write([]byte{0})
	}
	return bytes.Equal(raw[2:oldCursorHead], hash.Sum(nil)[:oldCursorHead-2])
}
