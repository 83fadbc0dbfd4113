package objects

import (
	"sync"

	"docspace.dev/wsd/store/cache"
)

// DerivedCache is an LRU cache with a byte budget for values derived from immutable data. Values larger than the budget are
// not cached. It is safe for concurrent use.
type DerivedCache[T any] struct {
	size  func(T) int          // nil if parts is set
	parts func(T) []cache.Part // nil if size is set

	mu     sync.Mutex
	values *cache.LRU[DerivedKey, T]
}

// NewDerivedCache returns a cache of values without shared parts; size returns the bytes of a value.
func NewDerivedCache[T any](budget int64, size func(T) int) *DerivedCache[T] {
	return &DerivedCache[T]{size: size, values: cache.NewLRU[DerivedKey, T](budget, 0)}
}

// NewSharingCache returns a cache of values that consist of shared parts, which are counted once.
func NewSharingCache[T any](budget int64, parts func(T) []cache.Part) *DerivedCache[T] {
	return &DerivedCache[T]{parts: parts, values: cache.NewLRU[DerivedKey, T](budget, 0)}
}

// Get returns the value of a key if it is cached.
func (c *DerivedCache[T]) Get(key DerivedKey) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Get(key)
}

// Find returns the most recently used value that matches.
func (c *DerivedCache[T]) Find(matches func(T) bool) (v T, ok bool) {
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
func (c *DerivedCache[T]) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Size()
}

// Stats returns the size and the use of the cache.
func (c *DerivedCache[T]) Stats() cache.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values.Stats()
}

// Put adds a value unless the key is already cached.
func (c *DerivedCache[T]) Put(key DerivedKey, v T) {
	if key.isZero() {
		return
	}
	bytes, parts := 0, []cache.Part(nil)
	if c.parts != nil {
		parts = c.parts(v)
	} else {
		bytes = c.size(v) + len(key.name) + cacheOverhead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values.Put(key, v, bytes, parts...)
}
