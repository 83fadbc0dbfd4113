package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
)

// Cursor is a place in a list: behind (or, reversed, before) the item with the
// sort key. It stays right when that item goes away.
type Cursor struct {
	After   string // sort key: the member of the index
	Reverse bool
}

const (
	cursorVersion = 1
	cursorFilter  = 6                // bytes of the hash of the filters
	cursorHead    = 2 + cursorFilter // version, direction, filters
	cursorMax     = 1024             // characters
)

// EncodeCursor returns the opaque text of a cursor, bound to the list's filters:
// everything but the limit that decides what the list has, its path included.
func EncodeCursor(c Cursor, filters ...string) string {
	direction := byte(0)
	if c.Reverse {
		direction = 1
	}
	raw := append([]byte{cursorVersion, direction}, filterHash(filters)...)
	return base64.RawURLEncoding.EncodeToString(append(raw, c.After...))
}

// DecodeCursor reads a cursor of a list with these filters. Anything else, a
// cursor of another list included, is an ErrCursor.
func DecodeCursor(text string, filters ...string) (Cursor, error) {
	if len(text) > cursorMax {
		return Cursor{}, ErrCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodeToString(raw) != text { // line feeds are skipped
		return Cursor{}, ErrCursor
	}
	if len(raw) <= cursorHead || raw[0] != cursorVersion || raw[1] > 1 {
		return Cursor{}, ErrCursor
	}
	if !bytes.Equal(raw[2:cursorHead], filterHash(filters)) {
		return Cursor{}, ErrCursor
	}
	return Cursor{After: string(raw[cursorHead:]), Reverse: raw[1] == 1}, nil
}

// filterHash separates the filters by a byte that none of them contains.
func filterHash(filters []string) []byte {
	hash := sha256.New()
	for _, filter := range filters {
		hash.Write([]byte(filter))
		hash.Write([]byte{0})
	}
	return hash.Sum(nil)[:cursorFilter]
}
