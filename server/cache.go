package server

import "sync"

// cache holds what was made of things that never change, within a budget: the oldest goes first. The newest stays,
// whatever its size.
type cache[T any] struct {
	size func(T) int

	mu     sync.Mutex
	budget int
	held   int
	values map[string]T
	order  []string // oldest first
}

func newCache[T any](budget int, size func(T) int) *cache[T] {
	return &cache[T]{size: size, budget: budget, values: map[string]T{}}
}

func (c *cache[T]) get(key string) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	return v, ok
}

func (c *cache[T]) put(key string, v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.values[key]; ok {
		return
	}
	c.values[key] = v
	c.order = append(c.order, key)
	c.held += c.size(v)
	for c.held > c.budget && len(c.order) > 1 {
		c.held -= c.size(c.values[c.order[0]])
		delete(c.values, c.order[0])
		c.order = c.order[1:]
	}
}
