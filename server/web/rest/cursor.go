package rest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/web/auth"
)

// Cursor is a position in a list: after (or, reversed, before) the item with the sort key. It remains valid when that
// item is removed.
type Cursor struct {
	After   string // sort key: a member of the index
	Reverse bool
}

const (
	cursorVersion   = 2
	cursorSumSize   = 8                 // bytes of the keyed hash over the rest and the list's filters
	cursorHeadSize  = 2 + cursorSumSize // version, direction, sum
	maxCursorLength = 1024              // characters

	// Cursors of version 1 had 6 bytes of an unkeyed hash of the filters and no sum.
	oldCursorVersion  = 1
	oldCursorHeadSize = 8
)

// ErrInvalidCursor is returned for a cursor that is malformed or belongs to another list.
var ErrInvalidCursor = errors.New("store: invalid cursor")

// ErrOldCursor is the ErrInvalidCursor of a cursor that was issued by an earlier version of wsd and is otherwise well-formed.
var ErrOldCursor = fmt.Errorf("%w: of an earlier version", ErrInvalidCursor)

// Codec encodes and decodes cursors as opaque strings. Without the server's secret, cursors can neither be made nor changed.
type Codec struct{ secrets auth.Ring }

// NewCodec returns a Codec whose keys are derived from the server's secrets.
func NewCodec(secrets auth.Ring) Codec { return Codec{secrets} }

// cursorKey returns the key of cursors that is derived from a secret.
func cursorKey(secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("cursors"))
	return mac.Sum(nil)
}

// Encode returns the text of a cursor, bound to the list's filters: its path and every parameter except the limit
// that selects its items.
func (c Codec) Encode(at Cursor, filters ...string) string {
	direction := byte(0)
	if at.Reverse {
		direction = 1
	}
	raw := append([]byte{cursorVersion, direction}, cursorSum(c.secrets.Current(), direction, at.After, filters)...)
	return base64.RawURLEncoding.EncodeToString(append(raw, at.After...))
}

// Decode parses a cursor of a list with these filters. It returns ErrInvalidCursor for anything else, including cursors of
// other lists and modified ones.
func (c Codec) Decode(text string, filters ...string) (Cursor, error) {
	if len(text) > maxCursorLength {
		return Cursor{}, ErrInvalidCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(raw) != text { // the decoder skips line feeds
		return Cursor{}, ErrInvalidCursor
	}
	if isOldCursor(raw, filters) {
		return Cursor{}, ErrOldCursor
	}
	if len(raw) <= cursorHeadSize || raw[0] != cursorVersion || raw[1] > 1 {
		return Cursor{}, ErrInvalidCursor
	}
	after := string(raw[cursorHeadSize:])
	if !slices.ContainsFunc(c.secrets.Accepted(), func(secret []byte) bool {
		return hmac.Equal(raw[2:cursorHeadSize], cursorSum(secret, raw[1], after, filters))
	}) {
		return Cursor{}, ErrInvalidCursor
	}
	return Cursor{After: after, Reverse: raw[1] == 1}, nil
}

// cursorSum returns the keyed hash of a cursor. The texts are separated by a byte that none of them contains.
func cursorSum(secret []byte, direction byte, after string, filters []string) []byte {
	mac := hmac.New(sha256.New, cursorKey(secret))
	mac.Write([]byte{cursorVersion, direction})
	for _, text := range append([]string{after}, filters...) {
		mac.Write([]byte(text))
		mac.Write([]byte{0})
	}
	return mac.Sum(nil)[:cursorSumSize]
}

// isOldCursor reports whether raw is a cursor of version 1 for the same list.
func isOldCursor(raw []byte, filters []string) bool {
	if len(raw) <= oldCursorHeadSize || raw[0] != oldCursorVersion || raw[1] > 1 {
		return false
	}
	hash := sha256.New()
	for _, filter := range filters {
		hash.Write([]byte(filter))
		hash.Write([]byte{0})
	}
	return bytes.Equal(raw[2:oldCursorHeadSize], hash.Sum(nil)[:oldCursorHeadSize-2])
}
