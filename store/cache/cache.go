package cache

import (
	linked "container/list"
	"sync"
)

// Part is a part of a cached value in memory. Parts with the same ID are shared by several values.
type Part struct {
	ID    any
	Bytes int
}

// Cache is an LRU cache with a byte budget for values derived from immutable data. Values larger than the budget are
// not cached.
type Cache[T any] struct {
	parts func(Key, T) []Part

	mu     sync.Mutex
	budget int64
	size   int64
	recent *linked.List // of *cachedValue[T], most recently used first
	values map[Key]*linked.Element
	uses   map[any]int // number of values by shared part
}

type cachedValue[T any] struct {
	key   Key
	value T
	parts []Part
}

// cacheOverhead is the approximate memory cost of an entry without its value.
const cacheOverhead = 256

// New returns a cache of values without shared parts; size returns the bytes of a value.
func New[T any](budget int64, size func(T) int) *Cache[T] {
	return NewSharing(budget, func(key Key, v T) []Part {
		return []Part{{key, size(v) + len(key.name) + cacheOverhead}}
	})
}

// NewSharing returns a cache of values with shared parts, which are counted once.
func NewSharing[T any](budget int64, parts func(Key, T) []Part) *Cache[T] {
	return &Cache[T]{parts: parts, budget: budget, recent: linked.New(), values: map[Key]*linked.Element{}, uses: map[any]int{}}
}

// Get returns the value of a key if it is cached.
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

// Find returns the most recently used value that matches.
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

// Size returns the size of the cached values in bytes.
func (c *Cache[T]) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Put adds a value unless the key is already cached.
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
		if c.uses[p.ID]++; c.uses[p.ID] == 1 {
			c.size += int64(p.Bytes)
		}
	}
	for c.size > c.budget {
		c.drop(c.recent.Back())
	}
}

func (c *Cache[T]) drop(element *linked.Element) {
	old := c.recent.Remove(element).(*cachedValue[T])
	delete(c.values, old.key)
	for _, p := range old.parts {
		if c.uses[p.ID]--; c.uses[p.ID] == 0 {
			delete(c.uses, p.ID)
			c.size -= int64(p.Bytes)
		}
	}
}
