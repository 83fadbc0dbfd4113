package indexing

import (
	linked "container/list"
	"sync"

	"docspace.dev/wsd/server/search"
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

	mu          sync.Mutex
	size        int
	numbers     map[string]int // of pages
	pages       []string       // by number
	terms       map[string][]search.Occurrence
	completions map[string][]string // beginning of a word -> its terms
	sections    map[string][]searchSection
}

func newIndexMemory(mark string) *indexMemory {
	return &indexMemory{
		mark: mark, numbers: map[string]int{}, terms: map[string][]search.Occurrence{},
		completions: map[string][]string{}, sections: map[string][]searchSection{},
	}
}

// occurrences numbers the pages of a term.
func (m *indexMemory) occurrences(scores []postings.PageScore) []search.Occurrence {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := make([]search.Occurrence, len(scores))
	for i, p := range scores {
		number, known := m.numbers[p.Page]
		if !known {
			number = len(m.pages)
			m.numbers[p.Page], m.pages = number, append(m.pages, p.Page)
			m.size += pageBytes
		}
		found[i] = search.NewOccurrence(number, p.Score)
	}
	return found
}

// numbered are the pages by their numbers.
func (m *indexMemory) numbered() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pages
}

func (m *indexMemory) term(term string) (pages []search.Occurrence, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pages, known = m.terms[term]
	return pages, known
}

func (m *indexMemory) learnTerm(term string, pages []search.Occurrence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.terms[term] = pages
	m.size += termBytes + occurrenceBytes*len(pages)
}

func (m *indexMemory) completion(beginning string) (terms []string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	terms, known = m.completions[beginning]
	return terms, known
}

func (m *indexMemory) learnCompletion(beginning string, terms []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.completions[beginning] = terms
	m.size += termBytes * (1 + len(terms))
}

func (m *indexMemory) sectionsOf(page string) (sections []searchSection, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sections, known = m.sections[page]
	return sections, known
}

func (m *indexMemory) learnSections(page string, sections []searchSection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sections[page] = sections
	m.size += pageBytes + sectionBytes*len(sections)
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
