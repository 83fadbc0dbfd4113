package revision

import (
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
)

// Revisions reads and writes the content of spaces and change requests. It is safe for concurrent use.
type Revisions struct {
	store *store.Store
	trees *objects.DerivedCache[*Tree]
}

// New returns the Revisions of a store. trees is the size of its tree cache in bytes.
func New(s *store.Store, trees int64) *Revisions {
	return &Revisions{store: s, trees: NewTreeCache(trees)}
}

// TreeStats returns the size and the use of the cache of trees.
func (r *Revisions) TreeStats() cache.Stats { return r.trees.Stats() }
