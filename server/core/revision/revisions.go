package revision

import (
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
)

// Revisions reads and writes the content of spaces and change requests.
type Revisions struct {
	store *store.Store
	trees *cache.Cache[*Tree]
}

// New returns the revisions of a store, with so many bytes for trees in memory.
func New(s *store.Store, trees int64) *Revisions {
	return &Revisions{store: s, trees: NewTreeCache(trees)}
}
