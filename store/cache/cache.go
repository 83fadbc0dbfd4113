package cache

import (
	linked "container/list"
	"sync"
)

// Share is something that a cached value holds in memory. Values may have parts in common: Of is the same then.
type Share struct {
	Of    any
	Bytes int
}

// Cache holds what was made of things that never change, within a budget of bytes: what was used longest ago goes
// first. What is larger than the budget is not kept at all.
type Cache[T any] struct {
	parts func(Key, T) []Share

	mu     sync.Mutex
	budget int64
	held   int64
	recent *linked.List // of *cachedValue[T], last used first
	values map[Key]*linked.Element
	uses   map[any]int // of parts, by the values that hold them
}

type cachedValue[T any] struct {
	key   Key
	value T
	parts []Share
}

// cacheOverhead is what an entry costs beside its value, roughly.
const cacheOverhead = 256

// New returns a cache of values that have nothing in common, each of so many bytes.
func New[T any](budget int64, size func(T) int) *Cache[T] {
	return NewSharing(budget, func(key Key, v T) []Share {
		return []Share{{key, size(v) + len(key.name) + cacheOverhead}}
	})
}

// NewSharing returns a cache of values whose parts are counted once.
func NewSharing[T any](budget int64, parts func(Key, T) []Share) *Cache[T] {
	return &Cache[T]{parts: parts, budget: budget, recent: linked.New(), values: map[Key]*linked.Element{}, uses: map[any]int{}}
}

// Get finds what is kept under a key.
func (c *Cache[T]) Get(key Key) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.values[key]
	if !ok {
		return v, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cachedValue[T]).value, true
}

// Find returns the value that was used last of those that match.
func (c *Cache[T]) Find(matches func(T) bool) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for element := c.recent.Front(); element != nil; element = element.Next() {
		if kept := element.Value.(*cachedValue[T]); matches(kept.value) {
			return kept.value, true
		}
	}
	return v, false
}

// Holds is how many bytes the values have that are kept now.
func (c *Cache[T]) Holds() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

// Put keeps a value under a key, unless there is one already.
func (c *Cache[T]) Put(key Key, v T) {
	if key.isZero() {
		return
	}
	parts := c.parts(key, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.values[key]; ok {
		return
	}
	c.values[key] = c.recent.PushFront(&cachedValue[T]{key, v, parts})
	for _, p := range parts {
		if c.uses[p.Of]++; c.uses[p.Of] == 1 {
			c.held += int64(p.Bytes)
		}
	}
	for c.held > c.budget {
		c.drop(c.recent.Back())
	}
}

func (c *Cache[T]) drop(element *linked.Element) {
	old := c.recent.Remove(element).(*cachedValue[T])
	delete(c.values, old.key)
	for _, p := range old.parts {
		if c.uses[p.Of]--; c.uses[p.Of] == 0 {
			delete(c.uses, p.Of)
			c.held -= int64(p.Bytes)
		}
	}
}
