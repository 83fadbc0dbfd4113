package access

import (
	"slices"
	"sync"
	"sync/atomic"
)

// idList is a list of ids that is kept sorted where that is cheap and sorted when it is read otherwise: a model of
// 100,000 entries arrives in no order. Adding and removing happen under the lock of the model; reading happens under
// its read lock, by several readers at once.
type idList struct {
	compare func(a, b string) int
	ids     []string
	mu      sync.Mutex // of sorting
	mixed   atomic.Bool
}

func newIDList(compare func(a, b string) int) *idList { return &idList{compare: compare} }

func (l *idList) add(id string) {
	if len(l.ids) > 0 && l.compare(l.ids[len(l.ids)-1], id) > 0 {
		l.mixed.Store(true)
	}
	l.ids = append(l.ids, id)
}

func (l *idList) remove(id string) {
	if at := slices.Index(l.ids, id); at >= 0 {
		l.ids = slices.Delete(l.ids, at, at+1)
	}
}

// sorted returns the ids in order. The caller must neither change nor keep them.
func (l *idList) sorted() []string {
	if l.mixed.Load() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.mixed.Load() {
			slices.SortFunc(l.ids, l.compare)
			l.mixed.Store(false)
		}
	}
	return l.ids
}
