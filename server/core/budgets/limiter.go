package budgets

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is returned when the maximum wait for a permit is exceeded.
var ErrBusy = errors.New("budgets: too much work is waiting")

// FairLimiter limits the total size of concurrent work in bytes and shares it fairly between tenants.
//
// All work belongs to a tenant: an organization, a user, or an address. Permits are granted to waiting tenants in
// round-robin order, and first come, first served within a tenant. A tenant holds at most half of the size, so that
// it cannot block others. Requests for more are reduced to that.
type FairLimiter struct {
	size    int64
	maxWait time.Duration

	mu      sync.Mutex
	held    int64
	tenants map[string]*tenantState
	queue   []string // waiting tenants, next one first
}

// tenantState is a tenant that holds or waits for permits.
type tenantState struct {
	held    int64
	waiting []*waiter // first come, first served
}

// waiter waits for a permit. ready is closed when it is granted.
type waiter struct {
	bytes int64
	ready chan struct{}
}

// NewFairLimiter returns a limiter for size bytes of concurrent work and a maximum wait.
func NewFairLimiter(size int64, maxWait time.Duration) *FairLimiter {
	return &FairLimiter{size: size, maxWait: maxWait, tenants: map[string]*tenantState{}}
}

// Permit is a permit for a number of bytes. It must be released by Done.
type Permit struct {
	limiter *FairLimiter
	tenant  string

	mu   sync.Mutex
	held int64
	done bool
}

// Take waits for a permit of a tenant. It returns ErrBusy after the maximum wait, or the context's error.
func (t *FairLimiter) Take(ctx context.Context, tenant string, bytes int64) (*Permit, error) {
	bytes = t.limit(bytes)
	if err := t.wait(ctx, tenant, bytes); err != nil {
		return nil, err
	}
	return &Permit{limiter: t, tenant: tenant, held: bytes}, nil
}

// limit returns the number of bytes that a tenant gets for a request.
func (t *FairLimiter) limit(bytes int64) int64 { return max(min(bytes, t.size/2), 1) }

func (t *FairLimiter) wait(ctx context.Context, tenant string, bytes int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer PauseWork(ctx)()
	w := t.enqueue(tenant, bytes)
	maxWait := time.NewTimer(t.maxWait)
	defer maxWait.Stop()
	select {
	case <-w.ready:
		return nil
	default:
	}
	var err error
	select {
	case <-w.ready:
		return nil
	case <-maxWait.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.leave(tenant, w)
	return err
}

func (t *FairLimiter) enqueue(tenant string, bytes int64) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.tenants[tenant]
	if p == nil {
		p = &tenantState{}
		t.tenants[tenant] = p
	}
	if len(p.waiting) == 0 {
		t.queue = append(t.queue, tenant)
	}
	w := &waiter{bytes: bytes, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	t.grant()
	return w
}

// leave removes a waiter from the queue, or releases its permit if that was granted in the meantime.
func (t *FairLimiter) leave(tenant string, w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.tenants[tenant]
	select {
	case <-w.ready:
		t.release(tenant, w.bytes)
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
		t.dequeue(tenant)
	}
	t.grant()
}

// grant grants permits while there is enough capacity for the next tenant. Tenants with half of the size are skipped,
// but no others, so that small requests do not starve large ones. The caller must hold the lock.
func (t *FairLimiter) grant() {
	for at := 0; at < len(t.queue); {
		name := t.queue[at]
		p := t.tenants[name]
		w := p.waiting[0]
		if p.held+w.bytes > t.limit(t.size) {
			at++
			continue
		}
		if t.held+w.bytes > t.size {
			return
		}
		t.held, p.held = t.held+w.bytes, p.held+w.bytes
		p.waiting = p.waiting[1:]
		t.queue = append(t.queue[:at], t.queue[at+1:]...)
		if len(p.waiting) > 0 {
			t.queue = append(t.queue, name)
		}
		close(w.ready)
	}
}

// release returns bytes of a tenant. The caller must hold the lock.
func (t *FairLimiter) release(tenant string, bytes int64) {
	p := t.tenants[tenant]
	t.held, p.held = t.held-bytes, p.held-bytes
	t.removeIdle(tenant)
	t.grant()
}

// dequeue removes a tenant without waiters from the queue. The caller must hold the lock.
func (t *FairLimiter) dequeue(tenant string) {
	for i, other := range t.queue {
		if other == tenant {
			t.queue = append(t.queue[:i], t.queue[i+1:]...)
			break
		}
	}
	t.removeIdle(tenant)
}

// removeIdle removes a tenant that neither holds nor waits for permits. The caller must hold the lock.
func (t *FairLimiter) removeIdle(tenant string) {
	if p := t.tenants[tenant]; p != nil && p.held == 0 && len(p.waiting) == 0 {
		delete(t.tenants, tenant)
	}
}

// Grow waits until the permit is extended to a total of bytes. If it fails, the permit is unchanged.
func (t *Permit) Grow(ctx context.Context, bytes int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	more := t.limiter.limit(bytes) - t.held
	if t.done || more <= 0 {
		return nil
	}
	if err := t.limiter.wait(ctx, t.tenant, more); err != nil {
		return err
	}
	t.held += more
	return nil
}

// Done releases the permit, so that waiting requests may be granted. Further calls have no effect.
func (t *Permit) Done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.done = true
	t.limiter.mu.Lock()
	defer t.limiter.mu.Unlock()
	t.limiter.release(t.tenant, t.held)
}

// Use returns the number of held bytes and of waiters.
func (t *FairLimiter) Use() (held int64, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range t.queue {
		waiting += len(t.tenants[name].waiting)
	}
	return t.held, waiting
}
