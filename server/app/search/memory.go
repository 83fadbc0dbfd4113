package search

import (
	linked "container/list"
	"sync"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/postings"
)

// What an entry costs, roughly.
const (
	occurrenceBytes = 16
	pageBytes       = 120
	sectionBytes    = 120
	termBytes       = 160
)

// indexMemory is what was read of the index of one space at one mark, at which it never changes. Its lists are shared:
// they must not be changed.
type indexMemory struct {
	mark string

	mu       sync.Mutex
	size     int
	view     *postings.View
	pages    []postings.PageRow
	terms    map[string][]terms.Occurrence
	words    map[string][]string // beginning of a word, or what is near -> words
	sections map[int][]searchSection
}

func newIndexMemory(mark string) *indexMemory {
	return &indexMemory{
		mark: mark, terms: map[string][]terms.Occurrence{}, words: map[string][]string{}, sections: map[int][]searchSection{},
	}
}

// opened are the view and its pages, nil before they are learned.
func (m *indexMemory) opened() (*postings.View, []postings.PageRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view, m.pages
}

func (m *indexMemory) learnView(view *postings.View, pages []postings.PageRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view == nil {
		m.view, m.pages = view, pages
		m.size += view.Bytes() + pageBytes*len(pages)
	}
}

func (m *indexMemory) term(term string) (pages []terms.Occurrence, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pages, known = m.terms[term]
	return pages, known
}

func (m *indexMemory) learnTerm(term string, pages []terms.Occurrence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.terms[term]; !known {
		m.terms[term] = pages
		m.size += termBytes + occurrenceBytes*len(pages)
	}
}

func (m *indexMemory) wordsOf(asked string) (words []string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	words, known = m.words[asked]
	return words, known
}

func (m *indexMemory) learnWords(asked string, words []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.words[asked]; !known {
		m.words[asked] = words
		m.size += termBytes * (1 + len(words))
	}
}

func (m *indexMemory) sectionsOf(page int) (sections []searchSection, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sections, known = m.sections[page]
	return sections, known
}

func (m *indexMemory) learnSections(page int, sections []searchSection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.sections[page]; !known {
		m.sections[page] = sections
		m.size += pageBytes + sectionBytes*len(sections)
	}
}

func (m *indexMemory) bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

// Memory is what this process remembers of search indexes: of each space the last mark, and of all spaces those
// that were searched last.
type Memory struct {
	budget int64

	mu     sync.Mutex
	held   int64
	recent *linked.List // of remembered, last used first
	spaces map[string]*linked.Element
}

// remembered is the memory of a space, and how much of it has been counted.
type remembered struct {
	space   string
	memory  *indexMemory
	counted int
}

// NewMemory is a memory with a budget in bytes.
func NewMemory(budget int64) *Memory {
	return &Memory{budget: budget, recent: linked.New(), spaces: map[string]*linked.Element{}}
}

// of returns the memory of a space at a mark. What is known of another mark is forgotten.
func (s *Memory) of(space, mark string) *indexMemory {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element, have := s.spaces[space]; have {
		if r := element.Value.(*remembered); r.memory.mark == mark {
			s.recent.MoveToFront(element)
			return r.memory
		}
		s.forget(element)
	}
	memory := newIndexMemory(mark)
	s.spaces[space] = s.recent.PushFront(&remembered{space: space, memory: memory})
	return memory
}

// count notes that the memory of a space has grown, and forgets the spaces that were used longest ago when all of them
// are too large together.
func (s *Memory) count(space string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element, have := s.spaces[space]; have {
		r := element.Value.(*remembered)
		size := r.memory.bytes()
		s.held, r.counted = s.held+int64(size-r.counted), size
	}
	for s.held > s.budget {
		s.forget(s.recent.Back())
	}
}

func (s *Memory) forget(element *linked.Element) {
	r := s.recent.Remove(element).(*remembered)
	delete(s.spaces, r.space)
	s.held -= int64(r.counted)
}
