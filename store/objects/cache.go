package objects

import (
	"sync"

	"docspace.dev/wsd/store/cache"
)

// Cache is an LRU cache of immutable objects with a byte budget. Objects are cached per space, so that a read in one
// space does not reveal that another contains the same object. It is safe for concurrent use.
type Cache struct {
	budget int

	mu      sync.Mutex
	objects *cache.LRU[cacheKey, Object]
}

type cacheKey struct{ space, hash string }

// cacheOverhead is the approximate memory cost of an entry without its bytes.
const cacheOverhead = 256

// NewCache returns a cache with a budget in bytes. Objects larger than the budget are not cached.
func NewCache(budget int) *Cache {
	return &Cache{budget: budget, objects: cache.NewLRU[cacheKey, Object](int64(budget), 0)}
}

// Get returns an object if it is cached.
func (c *Cache) Get(space, hash string) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects.Get(cacheKey{space, hash})
}

// Add caches an object, which must be stored.
func (c *Cache) Add(space string, object Object) {
	size := len(object.data) + cacheOverhead
	if size > c.budget {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects.Put(cacheKey{space, object.Hash}, object, size)
}

// Stats returns the size and the use of the cache.
func (c *Cache) Stats() cache.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects.Stats()
}

// Forget removes objects of a space that a sweep deleted.
func (c *Cache) Forget(space string, hashes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, hash := range hashes {
		c.objects.Remove(cacheKey{space, hash})
	}
}

// ForgetSpace removes all objects of a space.
func (c *Cache) ForgetSpace(space string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.objects.All() {
		if key.space == space {
			c.objects.Remove(key)
		}
	}
}
