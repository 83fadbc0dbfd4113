package cache

import (
	"slices"
	"strings"

	"docspace.dev/wsd/store/objects"
)

// Key names, in a cache, what was made of something that is stored. Only KeyOf and RecordKey make one, so that
// nothing which is merely planned (a merge that somebody looks at, an edit that fails in the end) is ever found by
// others: they would build on objects that nobody has. Caches keep nothing under the zero key.
type Key struct{ name string }

func (k Key) isZero() bool { return k.name == "" }

// KeyOf names what was made of objects of a space, given by their hashes, and of more that does not change. It is zero
// where one of the objects was made by the reader and is not known to be stored.
func KeyOf(c *objects.Content, hashes []string, more ...string) Key {
	if slices.ContainsFunc(hashes, c.IsStaged) {
		return Key{}
	}
	return Key{c.Space() + " " + strings.Join(hashes, " ") + "\x00" + strings.Join(more, "\x00")}
}

// RecordKey names what was made of a record that was read and never changes.
func RecordKey(id string) Key { return Key{id} }

// Recall finds what was made of an object: among what is shared, or with the reader where it is only planned.
func Recall[T any](shared *Cache[T], c *objects.Content, hash string) (v T, ok bool) {
	if key := KeyOf(c, []string{hash}); !key.isZero() {
		return shared.Get(key)
	}
	v, ok = c.Kept(hash).(T)
	return v, ok
}

// Remember keeps what was made of an object for recall.
func Remember[T any](shared *Cache[T], c *objects.Content, hash string, v T) {
	if key := KeyOf(c, []string{hash}); !key.isZero() {
		shared.Put(key, v)
		return
	}
	c.Keep(hash, v)
}
