package budgets

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is the answer to work that waited for its turn in vain.
var ErrBusy = errors.New("budgets: too much work is waiting")

// Turns lets slow work be done in turns, so that what is done at the same time stays within a number of bytes.
//
// Every piece of work belongs to a party: an organization, or the address of a stranger. Turns go round by party, and
// within a party first come, first served. No party holds more than half, so that one alone never keeps the others
// waiting; a piece of work that asks for more than that gets half.
type Turns struct {
	size     int64
	patience time.Duration

	mu      sync.Mutex
	held    int64
	parties map[string]*party
	round   []string // parties that wait, the next one first
}

// party is who holds or waits for turns.
type party struct {
	held    int64
	waiting []*waiter // first come first
}

// waiter is a piece of work that waits: ready is closed when it is its turn.
type waiter struct {
	bytes int64
	ready chan struct{}
}

// NewTurns returns turns of so many bytes at the same time. Who waits longer than patience is sent away.
func NewTurns(size int64, patience time.Duration) *Turns {
	return &Turns{size: size, patience: patience, parties: map[string]*party{}}
}

// Turn is leave to work with so many bytes. It ends with Done.
type Turn struct {
	turns *Turns
	party string

	mu   sync.Mutex
	held int64
	done bool
}

// Take waits until a party may work with so many bytes. It fails with ErrBusy when that takes too long, and with the
// context's error when who waits leaves: neither holds a place in the queue any more.
func (t *Turns) Take(ctx context.Context, name string, bytes int64) (*Turn, error) {
	bytes = t.most(bytes)
	if err := t.wait(ctx, name, bytes); err != nil {
		return nil, err
	}
	return &Turn{turns: t, party: name, held: bytes}, nil
}

// most is what one party may hold of a wish.
func (t *Turns) most(bytes int64) int64 { return max(min(bytes, t.size/2), 1) }

func (t *Turns) wait(ctx context.Context, name string, bytes int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := t.enqueue(name, bytes)
	patience := time.NewTimer(t.patience)
	defer patience.Stop()
	select {
	case <-w.ready:
		return nil
	default:
	}
	var err error
	select {
	case <-w.ready:
		return nil
	case <-patience.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.leave(name, w)
	return err
}

func (t *Turns) enqueue(name string, bytes int64) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.parties[name]
	if p == nil {
		p = &party{}
		t.parties[name] = p
	}
	if len(p.waiting) == 0 {
		t.round = append(t.round, name)
	}
	w := &waiter{bytes: bytes, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	t.grant()
	return w
}

// leave takes a waiter out of the queue, or gives back the turn that it got in the same moment.
func (t *Turns) leave(name string, w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.parties[name]
	select {
	case <-w.ready:
		t.free(name, w.bytes)
		return
	default:
	}
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			break
		}
	}
	if len(p.waiting) == 0 {
		t.outOfRound(name)
	}
	t.grant()
}

// grant gives turns as long as there is room for that of the next party. A party that has its half is passed over;
// nobody else is, so that large work is not kept waiting by small work that comes later. The lock is held.
func (t *Turns) grant() {
	for at := 0; at < len(t.round); {
		name := t.round[at]
		p := t.parties[name]
		w := p.waiting[0]
		if p.held+w.bytes > t.most(t.size) {
			at++
			continue
		}
		if t.held+w.bytes > t.size {
			return
		}
		t.held, p.held = t.held+w.bytes, p.held+w.bytes
		p.waiting = p.waiting[1:]
		t.round = append(t.round[:at], t.round[at+1:]...)
		if len(p.waiting) > 0 {
			t.round = append(t.round, name)
		}
		close(w.ready)
	}
}

// free gives bytes back. The lock is held.
func (t *Turns) free(name string, bytes int64) {
	p := t.parties[name]
	t.held, p.held = t.held-bytes, p.held-bytes
	t.forget(name)
	t.grant()
}

// outOfRound takes a party that waits no more out of the round. The lock is held.
func (t *Turns) outOfRound(name string) {
	for i, other := range t.round {
		if other == name {
			t.round = append(t.round[:i], t.round[i+1:]...)
			break
		}
	}
	t.forget(name)
}

// forget drops a party that neither holds nor waits. The lock is held.
func (t *Turns) forget(name string) {
	if p := t.parties[name]; p != nil && p.held == 0 && len(p.waiting) == 0 {
		delete(t.parties, name)
	}
}

// Grow waits until the work may go on with so many bytes in all: it has turned out to be larger than it looked. When
// that fails, it still holds what it held.
func (t *Turn) Grow(ctx context.Context, bytes int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	more := t.turns.most(bytes) - t.held
	if t.done || more <= 0 {
		return nil
	}
	if err := t.turns.wait(ctx, t.party, more); err != nil {
		return err
	}
	t.held += more
	return nil
}

// Done ends the turn: the next in the queue begins.
func (t *Turn) Done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.done = true
	t.turns.mu.Lock()
	defer t.turns.mu.Unlock()
	t.turns.free(t.party, t.held)
}

// Use says how many bytes are held, and how many pieces of work wait.
func (t *Turns) Use() (held int64, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range t.round {
		waiting += len(t.parties[name].waiting)
	}
	return t.held, waiting
}
