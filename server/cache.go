package server

import (
	linked "container/list"
	"sync"
)

// share is something that a cached value holds in memory. Values may have parts in common: of is the same then.
type share struct {
	of    any
	bytes int
}

// cache holds what was made of things that never change, within a budget of bytes: what was used longest ago goes
// first. What is larger than the budget is not kept at all.
type cache[T any] struct {
	parts func(storedKey, T) []share

	mu     sync.Mutex
	budget int64
	held   int64
	recent *linked.List // of *cachedValue[T], last used first
	values map[storedKey]*linked.Element
	uses   map[any]int // of parts, by the values that hold them
}

type cachedValue[T any] struct {
	key   storedKey
	value T
	parts []share
}

// cacheOverhead is what an entry costs beside its value, roughly.
const cacheOverhead = 256

// newCache returns a cache of values that have nothing in common, each of so many bytes.
func newCache[T any](budget int64, size func(T) int) *cache[T] {
	return newSharingCache(budget, func(key storedKey, v T) []share {
		return []share{{key, size(v) + len(key.name) + cacheOverhead}}
	})
}

// newSharingCache returns a cache of values whose parts are counted once.
func newSharingCache[T any](budget int64, parts func(storedKey, T) []share) *cache[T] {
	return &cache[T]{parts: parts, budget: budget, recent: linked.New(), values: map[storedKey]*linked.Element{}, uses: map[any]int{}}
}

func (c *cache[T]) get(key storedKey) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.values[key]
	if !ok {
		return v, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cachedValue[T]).value, true
}

// find returns the value that was used last of those that match.
func (c *cache[T]) find(matches func(T) bool) (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for element := c.recent.Front(); element != nil; element = element.Next() {
		if kept := element.Value.(*cachedValue[T]); matches(kept.value) {
			return kept.value, true
		}
	}
	return v, false
}

func (c *cache[T]) put(key storedKey, v T) {
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
		if c.uses[p.of]++; c.uses[p.of] == 1 {
			c.held += int64(p.bytes)
		}
	}
	for c.held > c.budget {
		c.drop(c.recent.Back())
	}
}

func (c *cache[T]) drop(element *linked.Element) {
	old := c.recent.Remove(element).(*cachedValue[T])
	delete(c.values, old.key)
	for _, p := range old.parts {
		if c.uses[p.of]--; c.uses[p.of] == 0 {
			delete(c.uses, p.of)
			c.held -= int64(p.bytes)
		}
	}
}
