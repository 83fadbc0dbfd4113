package access

import (
	"slices"
	"sync"
	"sync/atomic"
)

// idList is a list of ids that is sorted lazily, because a large model is loaded in no particular order. Changes need
// the lock of the model; sorted may be called concurrently under its read lock.
type idList struct {
	compare  func(a, b string) int
	ids      []string
	mu       sync.Mutex // guards sorting
	unsorted atomic.Bool
}

func newIDList(compare func(a, b string) int) *idList { return &idList{compare: compare} }

func (l *idList) add(id string) {
	if len(l.ids) > 0 && l.compare(l.ids[len(l.ids)-1], id) > 0 {
		l.unsorted.Store(true)
	}
	l.ids = append(l.ids, id)
}

func (l *idList) remove(id string) {
	if at := slices.Index(l.ids, id); at >= 0 {
		l.ids = slices.Delete(l.ids, at, at+1)
	}
}

// sorted returns the ids in order. The caller must neither change nor retain them.
func (l *idList) sorted() []string {
	if l.unsorted.Load() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.unsorted.Load() {
			slices.SortFunc(l.ids, l.compare)
			l.unsorted.Store(false)
		}
	}
	return l.ids
}
