package cache

import (
	"container/list"
	"iter"
)

// LRU holds values by key within a byte budget. It drops the least recently used values first. It is not safe for
// concurrent use.
type LRU[K comparable, V any] struct {
	budget int64
	minLen int

	size    int64
	stats   Stats      // its counters only
	order   *list.List // of *entry[K, V], most recently used first
	entries map[K]*list.Element
	uses    map[any]int // number of entries by shared part
}

// Stats describes a cache and its use.
type Stats struct {
	Hits, Misses int64 // results of Get
	Evictions    int64 // values that were dropped because of the budget
	Len          int
	Bytes        int64
	Budget       int64 // maximum of Bytes
}

// Add adds the stats of another cache.
func (s *Stats) Add(other Stats) {
	s.Hits, s.Misses, s.Evictions = s.Hits+other.Hits, s.Misses+other.Misses, s.Evictions+other.Evictions
	s.Len, s.Bytes, s.Budget = s.Len+other.Len, s.Bytes+other.Bytes, s.Budget+other.Budget
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
	parts []Part
}

// Part is a part of a cached value in memory. Parts with the same ID are shared by several values and counted once.
type Part struct {
	ID    any
	Bytes int
}

// NewLRU returns an empty LRU with a budget in bytes. It keeps at least the given number of values, even if they exceed
// the budget.
func NewLRU[K comparable, V any](budget int64, least int) *LRU[K, V] {
	return &LRU[K, V]{budget: budget, minLen: least, order: list.New(), entries: map[K]*list.Element{}, uses: map[any]int{}}
}

// Get returns the value of a key, which becomes the most recently used.
func (c *LRU[K, V]) Get(key K) (v V, ok bool) {
	element, ok := c.entries[key]
	if !ok {
		c.stats.Misses++
		return v, false
	}
	c.stats.Hits++
	c.order.MoveToFront(element)
	return element.Value.(*entry[K, V]).value, true
}

// Peek returns the value of a key without making it the most recently used.
func (c *LRU[K, V]) Peek(key K) (v V, ok bool) {
	element, ok := c.entries[key]
	if !ok {
		return v, false
	}
	return element.Value.(*entry[K, V]).value, true
}

// Put adds a value as the most recently used unless the key has one. The size of the value is given by the bytes that
// only it occupies and by its shared parts.
func (c *LRU[K, V]) Put(key K, v V, bytes int, parts ...Part) {
	if c.Add(key, v) {
		c.Resize(key, bytes, parts...)
	}
}

// Add adds a value of 0 bytes as the most recently used, and reports whether the key had no value. It drops no other
// value: the size follows with Resize.
func (c *LRU[K, V]) Add(key K, v V) bool {
	if _, ok := c.entries[key]; ok {
		return false
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key: key, value: v})
	return true
}

// Resize changes the size of the value of a key, if it has one, and drops the least recently used values until the
// others are within the budget.
func (c *LRU[K, V]) Resize(key K, bytes int, parts ...Part) {
	element, ok := c.entries[key]
	if !ok {
		return
	}
	e := element.Value.(*entry[K, V])
	c.subtract(e)
	e.bytes, e.parts = bytes, parts
	c.add(e)
	for c.size > c.budget && c.order.Len() > c.minLen {
		c.stats.Evictions++
		c.drop(c.order.Back())
	}
}

// Remove drops the value of a key, if it has one.
func (c *LRU[K, V]) Remove(key K) {
	if element, ok := c.entries[key]; ok {
		c.drop(element)
	}
}

// All returns an iterator over the keys and values, the most recently used first. The loop may remove the current key and must
// not change the LRU otherwise.
func (c *LRU[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for element := c.order.Front(); element != nil; {
			e := element.Value.(*entry[K, V])
			element = element.Next()
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Len returns the number of values.
func (c *LRU[K, V]) Len() int { return c.order.Len() }

// Stats returns the size and the use of the cache.
func (c *LRU[K, V]) Stats() Stats {
	s := c.stats
	s.Len, s.Bytes, s.Budget = c.order.Len(), c.size, c.budget
	return s
}

// Size returns the size of the values in bytes.
func (c *LRU[K, V]) Size() int64 { return c.size }

func (c *LRU[K, V]) drop(element *list.Element) {
	e := c.order.Remove(element).(*entry[K, V])
	delete(c.entries, e.key)
	c.subtract(e)
}

func (c *LRU[K, V]) add(e *entry[K, V]) {
	c.size += int64(e.bytes)
	for _, p := range e.parts {
		if c.uses[p.ID]++; c.uses[p.ID] == 1 {
			c.size += int64(p.Bytes)
		}
	}
}

func (c *LRU[K, V]) subtract(e *entry[K, V]) {
	c.size -= int64(e.bytes)
	for _, p := range e.parts {
		if c.uses[p.ID]--; c.uses[p.ID] == 0 {
			delete(c.uses, p.ID)
			c.size -= int64(p.Bytes)
		}
	}
}
