package objects

import (
	"slices"
	"strings"
)

// DerivedKey identifies a cached value derived from stored data. It is created by KeyOf and RecordKey only, so that values
// derived from uncommitted objects (a merge preview, a failing edit) are not shared: others would refer to objects
// that are not stored. The zero DerivedKey is never cached.
type DerivedKey struct{ name string }

func (k DerivedKey) isZero() bool { return k.name == "" }

// KeyOf returns the key of a value derived from objects of a space, given by their hashes, and from other immutable
// data. It is zero if one of the objects is staged and may not be stored.
func KeyOf(c *Content, hashes []string, more ...string) DerivedKey {
	if slices.ContainsFunc(hashes, c.IsStaged) {
		return DerivedKey{}
	}
	return DerivedKey{c.Space() + " " + strings.Join(hashes, " ") + "\x00" + strings.Join(more, "\x00")}
}

// RecordKey returns the key of a value derived from an immutable record.
func RecordKey(id string) DerivedKey { return DerivedKey{id} }

// LoadDerived returns the cached value of an object: from the shared cache, or from c if the object is staged.
func LoadDerived[T any](shared *DerivedCache[T], c *Content, hash string) (v T, ok bool) {
	if key := KeyOf(c, []string{hash}); !key.isZero() {
		return shared.Get(key)
	}
	v, ok = c.Attached(hash).(T)
	return v, ok
}

// StoreDerived caches the value of an object for LoadDerived.
func StoreDerived[T any](shared *DerivedCache[T], c *Content, hash string, v T) {
	if key := KeyOf(c, []string{hash}); !key.isZero() {
		shared.Put(key, v)
		return
	}
	c.Attach(hash, v)
}
