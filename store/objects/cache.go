package objects

import (
	"container/list"
	"sync"
)

// Cache keeps immutable objects in memory, the last used within a byte budget.
// An object is kept per space: reading it in one must not tell that another
// has it.
type Cache struct {
	budget int

	mu      sync.Mutex
	size    int
	recent  *list.List // of cached, last used first
	entries map[cacheKey]*list.Element
}

type cacheKey struct{ space, hash string }

type cached struct {
	key    cacheKey
	object Object
}

// cacheOverhead is what an entry costs beside its bytes, roughly.
const cacheOverhead = 256

// NewCache makes a cache with a budget in bytes; one below the size of an object
// keeps nothing.
func NewCache(budget int) *Cache {
	return &Cache{budget: budget, recent: list.New(), entries: map[cacheKey]*list.Element{}}
}

// Get returns an object, if it is kept.
func (c *Cache) Get(space, hash string) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[cacheKey{space, hash}]
	if !ok {
		return Object{}, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(cached).object, true
}

// Add keeps an object that is stored.
func (c *Cache) Add(space string, object Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{space, object.Hash}
	cost := len(object.data) + cacheOverhead
	if _, have := c.entries[key]; have || cost > c.budget {
		return
	}
	c.entries[key] = c.recent.PushFront(cached{key, object})
	for c.size += cost; c.size > c.budget; {
		c.drop(c.recent.Back())
	}
}

// Forget drops the objects of a space that a sweep removed.
func (c *Cache) Forget(space string, hashes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, hash := range hashes {
		if element, have := c.entries[cacheKey{space, hash}]; have {
			c.drop(element)
		}
	}
}

// ForgetSpace drops all objects of a space.
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
	old := c.recent.Remove(element).(cached)
	delete(c.entries, old.key)
	c.size -= len(old.object.data) + cacheOverhead
}
