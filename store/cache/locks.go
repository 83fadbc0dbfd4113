package cache

import (
	"context"
	"sync"
)

// NamedLocks is a set of locks by name, such as one for the pages of each specification, so that a value is computed by
// one goroutine at a time. The zero value is ready to use.
type NamedLocks struct {
	mu    sync.Mutex
	locks map[string]chan struct{}
}

// Lock locks a name and returns the function that unlocks it. It returns an error if the context ends first.
func (t *NamedLocks) Lock(ctx context.Context, name string) (done func(), err error) {
	for {
		t.mu.Lock()
		busy, taken := t.locks[name]
		if !taken {
			mine := make(chan struct{})
			if t.locks == nil {
				t.locks = map[string]chan struct{}{}
			}
			t.locks[name] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.locks, name)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
