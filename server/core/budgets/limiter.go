package budgets

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy is returned when the maximum wait for a permit is exceeded.
var ErrBusy = errors.New("budgets: too much work is waiting")

// Requester identifies the organization and the person that work is charged to.
type Requester struct {
	Tenant  string // organization, user or address; "" = wsd itself
	Person  string // user who asked for the work; "" = unknown
	Reading bool   // the work changes nothing; see WorkLimiter
}

// FairLimiter limits the total size of concurrent work in bytes and shares it fairly between tenants, and within a tenant
// between persons.
//
// Permits are granted to waiting tenants in round-robin order. A tenant holds at most half of the size, so that it cannot
// block others. Requests for more are reduced to that. Within a tenant, permits are granted to waiting persons in round-robin
// order, first come, first served for each of them. A person who holds a permit gets another one only if no other person
// waits without one, and holds at most half of the tenant's share with more than one permit. Permits that grow, and work of
// unknown persons, are not subject to this.
type FairLimiter struct {
	size    int64
	maxWait time.Duration

	mu      sync.Mutex
	held    int64
	counts  Counts
	tenants map[string]*tenantState
	queue   []string // waiting tenants, next one first
}

// tenantState is a tenant that holds or waits for permits.
type tenantState struct {
	held    int64
	persons map[string]*personState
	queue   []string // waiting persons, next one first
}

// personState is a person that holds or waits for permits.
type personState struct {
	held    int64
	waiting []*waiter // first come, first served, but growing permits first
}

// waiter waits for a permit. ready is closed when it is granted.
type waiter struct {
	bytes   int64
	growing bool // for a permit that the person holds already
	ready   chan struct{}
}

// NewFairLimiter returns a limiter for size bytes of concurrent work and a maximum wait.
func NewFairLimiter(size int64, maxWait time.Duration) *FairLimiter {
	return &FairLimiter{size: size, maxWait: maxWait, tenants: map[string]*tenantState{}}
}

// Permit is a permit for a number of bytes. It must be released by Done.
type Permit struct {
	limiter   *FairLimiter
	requester Requester

	mu   sync.Mutex
	held int64
	done bool
}

// Take waits for a permit. It returns ErrBusy after the maximum wait, or the context's error.
func (t *FairLimiter) Take(ctx context.Context, requester Requester, bytes int64) (*Permit, error) {
	bytes = t.limit(bytes)
	if err := t.wait(ctx, requester, &waiter{bytes: bytes}); err != nil {
		return nil, err
	}
	return &Permit{limiter: t, requester: requester, held: bytes}, nil
}

// limit returns the number of bytes that a tenant gets for a request.
func (t *FairLimiter) limit(bytes int64) int64 { return max(min(bytes, t.size/2), 1) }

func (t *FairLimiter) wait(ctx context.Context, requester Requester, w *waiter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer PauseWork(ctx)()
	defer addWaitTime(ctx, time.Now())
	w.ready = make(chan struct{})
	t.enqueue(requester, w)
	maxWait := time.NewTimer(t.maxWait)
	defer maxWait.Stop()
	select {
	case <-w.ready:
		return nil
	default:
	}
	start := time.Now()
	var err error
	select {
	case <-w.ready:
	case <-maxWait.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.countWait(time.Since(start), err)
	if err != nil {
		t.leave(requester, w)
	}
	return err
}

// countWait counts a wait that ended with err.
func (t *FairLimiter) countWait(took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Waits++
	t.counts.Waited += took
	if errors.Is(err, ErrBusy) {
		t.counts.Refusals++
	}
}

func (t *FairLimiter) enqueue(requester Requester, w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tenant := t.tenants[requester.Tenant]
	if tenant == nil {
		tenant = &tenantState{persons: map[string]*personState{}}
		t.tenants[requester.Tenant] = tenant
	}
	person := tenant.persons[requester.Person]
	if person == nil {
		person = &personState{}
		tenant.persons[requester.Person] = person
	}
	if len(tenant.queue) == 0 {
		t.queue = append(t.queue, requester.Tenant)
	}
	if len(person.waiting) == 0 {
		tenant.queue = append(tenant.queue, requester.Person)
	}
	at := len(person.waiting)
	if w.growing {
		at = 0
	}
	person.waiting = slices.Insert(person.waiting, at, w)
	t.grant()
}

// leave removes a waiter from the queue, or releases its permit if that was granted in the meantime.
func (t *FairLimiter) leave(requester Requester, w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.ready:
		t.release(requester, w.bytes)
		return
	default:
	}
	tenant := t.tenants[requester.Tenant]
	person := tenant.persons[requester.Person]
	person.waiting = slices.DeleteFunc(person.waiting, func(other *waiter) bool { return other == w })
	if len(person.waiting) == 0 {
		tenant.queue = slices.DeleteFunc(tenant.queue, func(name string) bool { return name == requester.Person })
	}
	if len(tenant.queue) == 0 {
		t.queue = slices.DeleteFunc(t.queue, func(name string) bool { return name == requester.Tenant })
	}
	t.removeIdle(requester)
	t.grant()
}

// grant grants permits while there is enough capacity for the next tenant. Tenants whose next waiter exceeds half of the
// size, or may not have a permit yet, are skipped, but no others, so that small requests do not starve large ones. The caller
// must hold the lock.
func (t *FairLimiter) grant() {
	share := t.limit(t.size)
	for at := 0; at < len(t.queue); {
		name := t.queue[at]
		tenant := t.tenants[name]
		next, ok := tenant.next(share)
		if !ok {
			at++
			continue
		}
		person := tenant.persons[next]
		w := person.waiting[0]
		if tenant.held+w.bytes > share {
			at++
			continue
		}
		if t.held+w.bytes > t.size {
			return
		}
		t.held, tenant.held, person.held = t.held+w.bytes, tenant.held+w.bytes, person.held+w.bytes
		person.waiting = person.waiting[1:]
		tenant.queue = rotate(tenant.queue, next, len(person.waiting) > 0)
		t.queue = rotate(t.queue, name, len(tenant.queue) > 0)
		close(w.ready)
	}
}

// next returns the person whose first waiter is served next; ok is false if none may have a permit yet.
func (p *tenantState) next(share int64) (name string, ok bool) {
	for _, admits := range []func(name string, person *personState) bool{
		func(_ string, person *personState) bool { return person.waiting[0].growing },
		func(name string, person *personState) bool { return name == "" || person.held == 0 },
		func(_ string, person *personState) bool { return person.held+person.waiting[0].bytes <= share/2 },
	} {
		for _, name := range p.queue {
			if admits(name, p.persons[name]) {
				return name, true
			}
		}
	}
	return "", false
}

// rotate returns a queue in which name, which was served, is last, or no longer there if it does not wait any more.
func rotate(queue []string, name string, waits bool) []string {
	queue = slices.DeleteFunc(queue, func(other string) bool { return other == name })
	if waits {
		queue = append(queue, name)
	}
	return queue
}

// release returns bytes of a requester, whose person waits behind all others now. The caller must hold the lock.
func (t *FairLimiter) release(requester Requester, bytes int64) {
	tenant := t.tenants[requester.Tenant]
	person := tenant.persons[requester.Person]
	t.held, tenant.held, person.held = t.held-bytes, tenant.held-bytes, person.held-bytes
	tenant.queue = rotate(tenant.queue, requester.Person, len(person.waiting) > 0)
	t.removeIdle(requester)
	t.grant()
}

// removeIdle removes a person and a tenant that neither hold nor wait for permits. The caller must hold the lock.
func (t *FairLimiter) removeIdle(requester Requester) {
	tenant := t.tenants[requester.Tenant]
	if tenant == nil {
		return
	}
	if person := tenant.persons[requester.Person]; person != nil && person.held == 0 && len(person.waiting) == 0 {
		delete(tenant.persons, requester.Person)
	}
	if len(tenant.persons) == 0 {
		delete(t.tenants, requester.Tenant)
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
	if err := t.limiter.wait(ctx, t.requester, &waiter{bytes: more, growing: true}); err != nil {
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
	t.limiter.release(t.requester, t.held)
}

// Counts are numbers of permits that were not granted at once.
type Counts struct {
	Waits    int64
	Waited   time.Duration // in total
	Refusals int64         // waits that ended with ErrBusy
}

// Counts returns the numbers so far.
func (t *FairLimiter) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}

// Size returns the number of bytes that all permits together may have.
func (t *FairLimiter) Size() int64 { return t.size }

// Use returns the number of held bytes and of waiters.
func (t *FairLimiter) Use() (held int64, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tenant := range t.tenants {
		for _, person := range tenant.persons {
			waiting += len(person.waiting)
		}
	}
	return t.held, waiting
}
