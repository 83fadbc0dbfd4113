package budgets

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queue requests permits from a limiter for a test and records the requests granted and failed.
type queue struct {
	t       *testing.T
	limiter *FairLimiter
	mu      sync.Mutex
	order   []string
	failed  map[string]error
	permits map[string]*Permit
}

// newQueue returns a queue for a limiter of a hundred bytes.
func newQueue(t *testing.T) *queue {
	return &queue{t: t, limiter: NewFairLimiter(100, 10*time.Second), failed: map[string]error{}, permits: map[string]*Permit{}}
}

// requesterNamed returns the requester of a name such as "a" or "a/person".
func requesterNamed(name string) Requester {
	tenant, person, _ := strings.Cut(name, "/")
	return Requester{Tenant: tenant, Person: person}
}

// request requests a permit for a requester in a new goroutine, and returns when the request is granted, fails or waits. work is
// the name of the request in the test.
func (q *queue) request(ctx context.Context, tenant, work string, bytes int64) {
	go func() {
		permit, err := q.limiter.Take(ctx, requesterNamed(tenant), bytes)
		q.mu.Lock()
		defer q.mu.Unlock()
		if err != nil {
			q.failed[work] = err
			return
		}
		q.order, q.permits[work] = append(q.order, work), permit
	}()
	synctest.Wait()
}

func (q *queue) finish(work string) {
	q.permits[work].Done()
	synctest.Wait()
}

// failure returns the error of a request; nil while it waits, and after it succeeded.
func (q *queue) failure(work string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed[work]
}

// want fails the test unless the granted requests are works, in this order.
func (q *queue) want(works ...string) {
	q.t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Equal(q.order, works) {
		q.t.Errorf("begun: %v, want %v", q.order, works)
	}
}

func TestLimiterIsRoundRobin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a1", 50)
		q.request(ctx, "b", "b1", 50)
		for _, work := range []string{"a2", "a3", "a4"} {
			q.request(ctx, "a", work, 50)
		}
		q.request(ctx, "b", "b2", 50)
		q.request(ctx, "c", "c1", 50)
		q.want("a1", "b1")
		q.finish("a1")
		q.want("a1", "b1", "a2")
		q.finish("b1")
		q.want("a1", "b1", "a2", "b2")
		q.finish("a2")
		q.want("a1", "b1", "a2", "b2", "c1")
		q.finish("c1")
		q.want("a1", "b1", "a2", "b2", "c1", "a3")
	})
}

func TestLimiterGrantsAtMostHalf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a1", 30)
		q.request(ctx, "a", "a2", 30)
		q.want("a1")
		q.request(ctx, "b", "all of it", 1000)
		q.want("a1", "all of it")
		if held, waiting := q.limiter.Use(); held != 80 || waiting != 1 {
			t.Errorf("%d bytes are held and %d wait, want 80 and 1", held, waiting)
		}
	})
}

func TestLimiterDoesNotStarveLargeRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a", 40)
		q.request(ctx, "b", "b", 40)
		q.request(ctx, "c", "large", 50)
		q.request(ctx, "d", "small", 15)
		q.want("a", "b")
		q.finish("a")
		q.want("a", "b", "large")
		q.finish("b")
		q.want("a", "b", "large", "small")
	})
}

// TestLimiterIsRoundRobinByPerson checks that within a tenant a person who holds a permit gets the next one after all persons
// who hold none.
func TestLimiterIsRoundRobinByPerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a/eve", "eve 1", 20)
		q.request(ctx, "a/eve", "eve 2", 20)
		q.request(ctx, "a/eve", "eve 3", 6)
		q.want("eve 1") // with the second permit, eve would hold more than half of the tenant's share
		q.request(ctx, "a/ann", "ann 1", 20)
		q.request(ctx, "a/bob", "bob 1", 20)
		q.want("eve 1", "ann 1")
		q.finish("eve 1")
		q.want("eve 1", "ann 1", "bob 1")
		q.finish("ann 1")
		q.want("eve 1", "ann 1", "bob 1", "eve 2")
		q.finish("bob 1")
		q.want("eve 1", "ann 1", "bob 1", "eve 2")
		q.finish("eve 2")
		q.want("eve 1", "ann 1", "bob 1", "eve 2", "eve 3")
	})
}

// TestGrowIsNotDelayedByOthers checks that a person who holds a permit can extend it while others wait for their first.
func TestGrowIsNotDelayedByOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a/eve", "eve", 10)
		q.request(ctx, "a/bob", "bob", 30)
		q.request(ctx, "a/ann", "ann", 30)
		q.request(ctx, "a/eve", "eve 2", 1)
		grown := make(chan error)
		go func() { grown <- q.permits["eve"].Grow(ctx, 20) }()
		if err := <-grown; err != nil {
			t.Error(err)
		}
		q.finish("bob")
		q.want("eve", "bob", "ann")
		q.finish("eve")
		q.want("eve", "bob", "ann", "eve 2")
	})
}

// TestReadersDoNotWaitForWriters checks that large work that reads has a limiter of its own.
func TestReadersDoNotWaitForWriters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := NewWorkLimiter(Defaults())
		writer := WithRequester(t.Context(), &Requester{Tenant: "o", Person: "eve"})
		if _, err := limiter.Begin(writer, 1<<30); err != nil {
			t.Fatal(err)
		}
		if _, err := limiter.Begin(WithRequester(t.Context(), &Requester{Tenant: "o", Person: "bob", Reading: true}), 8<<20); err != nil {
			t.Errorf("a reader: %v", err)
		}
		if _, err := limiter.Begin(WithRequester(t.Context(), &Requester{Tenant: "o", Person: "bob"}), 8<<20); !errors.Is(err, ErrBusy) {
			t.Errorf("a writer: %v, want ErrBusy", err)
		}
	})
}

func TestTakeTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a1", 50)
		q.request(ctx, "a", "a2", 50)
		time.Sleep(10*time.Second - time.Millisecond)
		synctest.Wait()
		if err := q.failure("a2"); err != nil {
			t.Errorf("sent away too early: %v", err)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if err := q.failure("a2"); !errors.Is(err, ErrBusy) {
			t.Errorf("after ten seconds: %v, want ErrBusy", err)
		}
		q.finish("a1")
		q.want("a1")
		q.wantEmpty()
	})
}

// wantEmpty fails the test if the limiter contains any tenant or waiter.
func (q *queue) wantEmpty() {
	q.t.Helper()
	if held, waiting := q.limiter.Use(); held != 0 || waiting != 0 || len(q.limiter.tenants) != 0 || len(q.limiter.queue) != 0 {
		q.t.Errorf("%d bytes held, %d waiting, requesters %v, round %v", held, waiting, q.limiter.tenants, q.limiter.queue)
	}
}

func TestTakeRemovesCanceledWaiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a", 50)
		q.request(ctx, "b", "b", 50)
		leaving, leave := context.WithCancel(ctx)
		q.request(leaving, "c", "c", 50)
		q.request(ctx, "d", "d", 50)
		leave()
		synctest.Wait()
		if err := q.failure("c"); !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		q.finish("a")
		q.want("a", "b", "d")
		q.finish("b")
		q.finish("d")
		q.request(leaving, "c", "late", 1)
		q.wantEmpty()
	})
}

func TestGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.request(ctx, "a", "a", 10)
		q.request(ctx, "b", "b", 50)
		if err := q.permits["a"].Grow(ctx, 45); err != nil {
			t.Fatal(err)
		}
		q.request(ctx, "c", "c", 20)
		q.want("a", "b")
		grown := make(chan error)
		go func() { grown <- q.permits["a"].Grow(ctx, 5) }()
		if err := <-grown; err != nil {
			t.Errorf("growing to less: %v", err)
		}
		q.request(ctx, "e", "e", 1) // after c
		go func() { grown <- q.permits["a"].Grow(ctx, 50) }()
		synctest.Wait()
		if err := <-grown; !errors.Is(err, ErrBusy) {
			t.Errorf("growing beyond what is free: %v, want ErrBusy", err)
		}
		q.finish("b")
		q.finish("a")
		q.finish("a") // again
		if held, _ := q.limiter.Use(); held != 0 {
			t.Errorf("%d bytes are held by nobody", held)
		}
		if err := q.permits["a"].Grow(ctx, 50); err != nil {
			t.Errorf("growing when it is done: %v", err)
		}
	})
}

// TestLimiterKeepsInvariants lets many tenants request, extend, cancel and release permits at random.
func TestLimiterKeepsInvariants(t *testing.T) {
	t.Parallel()
	const size = 1000
	synctest.Test(t, func(t *testing.T) {
		limiter := NewFairLimiter(size, 10*time.Second)
		var work sync.WaitGroup
		var began, sent, left int
		var mu sync.Mutex
		for i := range 400 {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			work.Go(func() {
				time.Sleep(time.Duration(random.Int64N(int64(30 * time.Second))))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.Int64N(int64(20*time.Second))))
				defer cancel()
				permit, err := limiter.Take(ctx, requesterNamed(fmt.Sprintf("%d/%d", random.IntN(7), random.IntN(3))), random.Int64N(800))
				mu.Lock()
				switch {
				case errors.Is(err, ErrBusy):
					sent++
				case err != nil:
					left++
				default:
					began++
				}
				mu.Unlock()
				if err != nil {
					return
				}
				defer permit.Done()
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
				_ = permit.Grow(ctx, random.Int64N(800))
				limiter.check(t)
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			})
		}
		work.Wait()
		if began < 20 || sent < 20 || left < 20 {
			t.Errorf("%d began, %d were sent away, %d left: that says little", began, sent, left)
		}
		if held, waiting := limiter.Use(); held != 0 || waiting != 0 || len(limiter.tenants) != 0 || len(limiter.queue) != 0 {
			t.Errorf("at the end %d bytes are held, %d wait, tenants %v", held, waiting, limiter.tenants)
		}
	})
}

// check fails the test if a tenant or the total exceeds its limit, or if the queue or the total is inconsistent with the
// tenants.
func (t *FairLimiter) check(tb testing.TB) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := int64(0)
	for name, p := range t.tenants {
		if p.held > t.size/2 {
			tb.Errorf("%s holds %d of %d", name, p.held, t.size)
		}
		if (len(p.queue) > 0) != slices.Contains(t.queue, name) {
			tb.Errorf("%v of %s wait, the round is %v", p.queue, name, t.queue)
		}
		byPerson := int64(0)
		for id, person := range p.persons {
			if (len(person.waiting) > 0) != slices.Contains(p.queue, id) {
				tb.Errorf("%s of %s waits %d times, the round is %v", id, name, len(person.waiting), p.queue)
			}
			byPerson += person.held
		}
		if byPerson != p.held {
			tb.Errorf("the persons of %s hold %d, counted as %d", name, byPerson, p.held)
		}
		all += p.held
	}
	if all != t.held || all > t.size {
		tb.Errorf("%d bytes are held, counted as %d, of %d", all, t.held, t.size)
	}
}
