package server

import (
	"slices"
	"strings"

	"docspace.dev/wsd/store"
)

// storedKey names, in a cache, what was made of something that is stored. Only keyOf and recordKey make one, so that
// nothing which is merely planned (a merge that somebody looks at, an edit that fails in the end) is ever found by
// others: they would build on objects that nobody has. Caches keep nothing under the zero key.
type storedKey struct{ name string }

func (k storedKey) isZero() bool { return k.name == "" }

// keyOf names what was made of objects of a space, given by their hashes, and of more that does not change. It is zero
// where one of the objects was made by the reader and is not known to be stored.
func keyOf(c *store.Content, hashes []string, more ...string) storedKey {
	if slices.ContainsFunc(hashes, c.IsStaged) {
		return storedKey{}
	}
	return storedKey{c.Space() + " " + strings.Join(hashes, " ") + "\x00" + strings.Join(more, "\x00")}
}

// recordKey names what was made of a record that was read and never changes.
func recordKey(id string) storedKey { return storedKey{id} }

// recall finds what was made of an object: among what is shared, or with the reader where it is only planned.
func recall[T any](shared *cache[T], c *store.Content, hash string) (v T, ok bool) {
	if key := keyOf(c, []string{hash}); !key.isZero() {
		return shared.get(key)
	}
	v, ok = c.Kept(hash).(T)
	return v, ok
}

// remember keeps what was made of an object for recall.
func remember[T any](shared *cache[T], c *store.Content, hash string, v T) {
	if key := keyOf(c, []string{hash}); !key.isZero() {
		shared.put(key, v)
		return
	}
	c.Keep(hash, v)
}
