package cache

import (
	"slices"
	"strings"

	"docspace.dev/wsd/store/objects"
)

// Key identifies a cached value derived from stored data. It is created by ObjectsKey and RecordKey only, so that values
// derived from uncommitted objects (a merge preview, a failing edit) are not shared: others would refer to objects
// that are not stored. The zero Key is never cached.
type Key struct{ name string }

func (k Key) isZero() bool { return k.name == "" }

// ObjectsKey returns the key of a value derived from objects of a space, given by their hashes, and from other immutable
// data. It is zero if one of the objects is staged and may not be stored.
func ObjectsKey(c *objects.Content, hashes []string, more ...string) Key {
	if slices.ContainsFunc(hashes, c.IsStaged) {
		return Key{}
	}
	return Key{c.Space() + " " + strings.Join(hashes, " ") + "\x00" + strings.Join(more, "\x00")}
}

// RecordKey returns the key of a value derived from an immutable record.
func RecordKey(id string) Key { return Key{id} }

// Load returns the cached value of an object: from the shared cache, or from c if the object is staged.
func Load[T any](shared *Cache[T], c *objects.Content, hash string) (v T, ok bool) {
	if key := ObjectsKey(c, []string{hash}); !key.isZero() {
		return shared.Get(key)
	}
	v, ok = c.Attached(hash).(T)
	return v, ok
}

// Store caches the value of an object for Load.
func Store[T any](shared *Cache[T], c *objects.Content, hash string, v T) {
	if key := ObjectsKey(c, []string{hash}); !key.isZero() {
		shared.Put(key, v)
		return
	}
	c.Attach(hash, v)
}
