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

// getView returns the view and its pages, nil if they are not cached.
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

func (m *indexCache) term(term string) (pages []terms.Occurrence, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pages, known = m.terms[term]
	return pages, known
}

func (m *indexCache) putTerm(term string, pages []terms.Occurrence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.terms[term]; !known {
		m.terms[term] = pages
		m.size += termBytes + occurrenceBytes*len(pages)
	}
}

func (m *indexCache) wordsOf(asked string) (words []string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	words, known = m.words[asked]
	return words, known
}

func (m *indexCache) putWords(asked string, words []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.words[asked]; !known {
		m.words[asked] = words
		m.size += termBytes * (1 + len(words))
	}
}

func (m *indexCache) sectionsOf(page int) (sections []searchSection, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sections, known = m.sections[page]
	return sections, known
}

func (m *indexCache) putSections(page int, sections []searchSection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.sections[page]; !known {
		m.sections[page] = sections
		m.size += pageBytes + sectionBytes*len(sections)
	}
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
	if memory, have := m.spaces.Get(space); have && memory.mark == mark {
		return memory
	}
	m.spaces.Remove(space)
	memory := newIndexCache(mark)
	m.spaces.Add(space, memory)
	return memory
}

// account updates the size of a space's cache and evicts the least recently used spaces while the total exceeds the
// budget.
func (m *Cache) account(space string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memory, have := m.spaces.Peek(space); have {
		m.spaces.Resize(space, memory.bytes())
	}
}
