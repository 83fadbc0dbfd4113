package cache

import "sync"

// Cache is an LRU cache with a byte budget for values derived from immutable data. Values larger than the budget are
// not cached. It is safe for concurrent use.
type Cache[T any] struct {
	size  func(T) int    // nil if parts is set
	parts func(T) []Part // nil if size is set

	mu     sync.Mutex
	values *LRU[Key, T]
}

// cacheOverhead is the approximate memory cost of an entry without its value.
const cacheOverhead = 256

// New returns a cache of values without shared parts; size returns the bytes of a value.
func New[T any](budget int64, size func(T) int) *Cache[T] {
	return &Cache[T]{size: size, values: NewLRU[Key, T](budget, 0)}
}

// NewSharing returns a cache of values that consist of shared parts, which are counted once.
func NewSharing[T any](budget int64, parts func(T) []Part) *Cache[T] {
	return &Cache[T]{parts: parts, values: NewLRU[Key, T](budget, 0)}
}

// Get returns the value of a key if it is cached.
func (c *Cache[T]) Get(key Key) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Get(key)
}

// Find returns the most recently used value that matches.
func (c *Cache[T]) Find(matches func(T) bool) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.values.All() {
		if matches(v) {
			return v, true
		}
	}
	return v, false
}

// Size returns the size of the cached values in bytes.
func (c *Cache[T]) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Size()
}

// Put adds a value unless the key is already cached.
func (c *Cache[T]) Put(key Key, v T) {
	if key.isZero() {
		return
	}
	bytes, parts := 0, []Part(nil)
	if c.parts != nil {
		parts = c.parts(v)
	} else {
		bytes = c.size(v) + len(key.name) + cacheOverhead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values.Put(key, v, bytes, parts...)
}
