package search

import (
	"sync"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/postings"
)

// Estimated sizes of cached values.
const (
	occurrenceBytes = 16
	pageBytes       = 120
	sectionBytes    = 120
	termBytes       = 160
)

// indexCache caches reads of the index of one space at one mark. The index is immutable at a mark. Returned slices
// are shared and must not be modified.
type indexCache struct {
	mark string

	mu       sync.Mutex
	size     int
	view     *postings.View
	pages    []postings.PageRow
	terms    map[string][]terms.Occurrence
	words    map[string][]string // prefix, or nearKey and a word -> words
	sections map[int][]searchSection
}

func newIndexCache(mark string) *indexCache {
	return &indexCache{
		mark: mark, terms: map[string][]terms.Occurrence{}, words: map[string][]string{}, sections: map[int][]searchSection{},
	}
}

// getView returns the view and its pages, or nil if they are not cached.
func (m *indexCache) getView() (*postings.View, []postings.PageRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view, m.pages
}

func (m *indexCache) putView(view *postings.View, pages []postings.PageRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view == nil {
		m.view, m.pages = view, pages
		m.size += view.Bytes() + pageBytes*len(pages)
	}
}

// lookUp returns the value of a key in one of the maps of the cache.
func lookUp[K comparable, V any](m *indexCache, in map[K]V, key K) (v V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, known = in[key]
	return v, known
}

// putOnce adds a value of the given size in bytes to one of the maps of the cache, unless the key has a value.
func putOnce[K comparable, V any](m *indexCache, in map[K]V, key K, v V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := in[key]; !known {
		in[key] = v
		m.size += size
	}
}

func (m *indexCache) term(term string) (pages []terms.Occurrence, known bool) {
	return lookUp(m, m.terms, term)
}

func (m *indexCache) putTerm(term string, pages []terms.Occurrence) {
	putOnce(m, m.terms, term, pages, termBytes+occurrenceBytes*len(pages))
}

func (m *indexCache) wordsOf(asked string) (words []string, known bool) {
	return lookUp(m, m.words, asked)
}

func (m *indexCache) putWords(asked string, words []string) {
	putOnce(m, m.words, asked, words, termBytes*(1+len(words)))
}

func (m *indexCache) sectionsOf(page int) (sections []searchSection, known bool) {
	return lookUp(m, m.sections, page)
}

func (m *indexCache) putSections(page int, sections []searchSection) {
	putOnce(m, m.sections, page, sections, pageBytes+sectionBytes*len(sections))
}

func (m *indexCache) bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

// Cache caches reads of search indexes with a common budget. For each space it holds the last mark only, and it
// evicts the least recently searched spaces.
type Cache struct {
	mu     sync.Mutex
	spaces *cache.LRU[string, *indexCache]
}

// NewCache returns a cache with a budget in bytes.
func NewCache(budget int64) *Cache {
	return &Cache{spaces: cache.NewLRU[string, *indexCache](budget, 0)}
}

// get returns the cache of a space at a mark. It discards the values of another mark.
func (m *Cache) get(space, mark string) *indexCache {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memory, have := m.spaces.Peek(space); have && memory.mark != mark {
		m.spaces.Remove(space)
	}
	if memory, have := m.spaces.Get(space); have {
		return memory
	}
	memory := newIndexCache(mark)
	m.spaces.Add(space, memory)
	return memory
}

// Stats returns the size and the use of the cache. A hit is a space whose values are of the mark that was asked for.
func (m *Cache) Stats() cache.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spaces.Stats()
}

// updateSize updates the size of a space's cache and evicts the least recently used spaces while the total exceeds the
// budget.
func (m *Cache) updateSize(space string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memory, have := m.spaces.Peek(space); have {
		m.spaces.Resize(space, memory.bytes())
	}
}
