package objects

import (
	"container/list"
	"sync"
)

// Cache is an LRU cache of immutable objects with a byte budget. Objects are cached per space, so that a read in one
// space does not reveal that another contains the same object.
type Cache struct {
	budget int

	mu      sync.Mutex
	size    int
	recent  *list.List // of cached, most recently used first
	entries map[cacheKey]*list.Element
}

type cacheKey struct{ space, hash string }

type cacheEntry struct {
	key    cacheKey
	object Object
}

// cacheOverhead is the approximate memory cost of an entry without its bytes.
const cacheOverhead = 256

// NewCache returns a cache with a budget in bytes. Objects larger than the budget are not cached.
func NewCache(budget int) *Cache {
	return &Cache{budget: budget, recent: list.New(), entries: map[cacheKey]*list.Element{}}
}

// Get returns an object if it is cached.
func (c *Cache) Get(space, hash string) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[cacheKey{space, hash}]
	if !ok {
		return Object{}, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(cacheEntry).object, true
}

// Add caches an object, which must be stored.
func (c *Cache) Add(space string, object Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{space, object.Hash}
	cost := len(object.data) + cacheOverhead
	if _, have := c.entries[key]; have || cost > c.budget {
		return
	}
	c.entries[key] = c.recent.PushFront(cacheEntry{key, object})
	for c.size += cost; c.size > c.budget; {
		c.drop(c.recent.Back())
	}
}

// Forget removes objects of a space that a sweep deleted.
func (c *Cache) Forget(space string, hashes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, hash := range hashes {
		if element, have := c.entries[cacheKey{space, hash}]; have {
			c.drop(element)
		}
	}
}

// ForgetSpace removes all objects of a space.
func (c *Cache) ForgetSpace(space string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, element := range c.entries {
		if key.space == space {
			c.drop(element)
		}
	}
}

func (c *Cache) drop(element *list.Element) {
	old := c.recent.Remove(element).(cacheEntry)
	delete(c.entries, old.key)
	c.size -= len(old.object.data) + cacheOverhead
}
