package cache

import (
	"context"
	"sync"
)

// Turns let one goroutine of this process at a time make what has a name: the pages of a specification, the index of a
// space. The zero value is ready.
type Turns struct {
	mu   sync.Mutex
	held map[string]chan struct{}
}

// Take waits for the turn of a name and returns what gives it back. It fails when the context ends first.
func (t *Turns) Take(ctx context.Context, name string) (done func(), err error) {
	for {
		t.mu.Lock()
		busy, taken := t.held[name]
		if !taken {
			mine := make(chan struct{})
			if t.held == nil {
				t.held = map[string]chan struct{}{}
			}
			t.held[name] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.held, name)
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
