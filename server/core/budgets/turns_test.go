package budgets

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queue is work that waits for its turn, in a test.
type queue struct {
	t      *testing.T
	turns  *Turns
	mu     sync.Mutex
	order  []string
	failed map[string]error
	begun  map[string]*Turn
}

// newQueue has turns of a hundred bytes.
func newQueue(t *testing.T) *queue {
	return &queue{t: t, turns: NewTurns(100, 10*time.Second), failed: map[string]error{}, begun: map[string]*Turn{}}
}

// ask has a party ask for a turn; work is how the test calls it.
func (q *queue) ask(ctx context.Context, party, work string, bytes int64) {
	go func() {
		turn, err := q.turns.Take(ctx, party, bytes)
		q.mu.Lock()
		defer q.mu.Unlock()
		if err != nil {
			q.failed[work] = err
			return
		}
		q.order, q.begun[work] = append(q.order, work), turn
	}()
	synctest.Wait()
}

func (q *queue) done(work string) {
	q.begun[work].Done()
	synctest.Wait()
}

// failure is why work did not begin; nil while it waits, and when it began.
func (q *queue) failure(work string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed[work]
}

// want holds the work that has begun until now, in order.
func (q *queue) want(works ...string) {
	q.t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Equal(q.order, works) {
		q.t.Errorf("begun: %v, want %v", q.order, works)
	}
}

func TestTurnsGoRoundByParty(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a1", 50)
		q.ask(ctx, "b", "b1", 50)
		for _, work := range []string{"a2", "a3", "a4"} {
			q.ask(ctx, "a", work, 50)
		}
		q.ask(ctx, "b", "b2", 50)
		q.ask(ctx, "c", "c1", 50)
		q.want("a1", "b1")
		q.done("a1")
		q.want("a1", "b1", "a2")
		q.done("b1")
		q.want("a1", "b1", "a2", "b2")
		q.done("a2")
		q.want("a1", "b1", "a2", "b2", "c1")
		q.done("c1")
		q.want("a1", "b1", "a2", "b2", "c1", "a3")
	})
}

func TestNoPartyHoldsMoreThanHalf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a1", 30)
		q.ask(ctx, "a", "a2", 30)
		q.want("a1")
		q.ask(ctx, "b", "all of it", 1000)
		q.want("a1", "all of it")
		if held, waiting := q.turns.Use(); held != 80 || waiting != 1 {
			t.Errorf("%d bytes are held and %d wait, want 80 and 1", held, waiting)
		}
	})
}

func TestLargeWorkIsNotPassedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a", 40)
		q.ask(ctx, "b", "b", 40)
		q.ask(ctx, "c", "large", 50)
		q.ask(ctx, "d", "small", 15)
		q.want("a", "b")
		q.done("a")
		q.want("a", "b", "large")
		q.done("b")
		q.want("a", "b", "large", "small")
	})
}

func TestWhoWaitsTooLongIsSentAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a1", 50)
		q.ask(ctx, "a", "a2", 50)
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
		q.done("a1")
		q.want("a1")
		q.empty()
	})
}

// empty holds that nothing is left of those who are gone.
func (q *queue) empty() {
	q.t.Helper()
	if held, waiting := q.turns.Use(); held != 0 || waiting != 0 || len(q.turns.parties) != 0 || len(q.turns.round) != 0 {
		q.t.Errorf("%d bytes held, %d waiting, parties %v, round %v", held, waiting, q.turns.parties, q.turns.round)
	}
}

func TestWhoLeavesLeavesTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a", 50)
		q.ask(ctx, "b", "b", 50)
		leaving, leave := context.WithCancel(ctx)
		q.ask(leaving, "c", "c", 50)
		q.ask(ctx, "d", "d", 50)
		leave()
		synctest.Wait()
		if err := q.failure("c"); !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		q.done("a")
		q.want("a", "b", "d")
		q.done("b")
		q.done("d")
		q.ask(leaving, "c", "late", 1)
		q.empty()
	})
}

func TestWorkGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(t), t.Context()
		q.ask(ctx, "a", "a", 10)
		q.ask(ctx, "b", "b", 50)
		if err := q.begun["a"].Grow(ctx, 45); err != nil {
			t.Fatal(err)
		}
		q.ask(ctx, "c", "c", 20)
		q.want("a", "b")
		grown := make(chan error)
		go func() { grown <- q.begun["a"].Grow(ctx, 5) }()
		if err := <-grown; err != nil {
			t.Errorf("growing to less: %v", err)
		}
		q.ask(ctx, "e", "e", 1) // behind c
		go func() { grown <- q.begun["a"].Grow(ctx, 50) }()
		synctest.Wait()
		if err := <-grown; !errors.Is(err, ErrBusy) {
			t.Errorf("growing beyond what is free: %v, want ErrBusy", err)
		}
		q.done("b")
		q.done("a")
		q.done("a") // again
		if held, _ := q.turns.Use(); held != 0 {
			t.Errorf("%d bytes are held by nobody", held)
		}
		if err := q.begun["a"].Grow(ctx, 50); err != nil {
			t.Errorf("growing when it is done: %v", err)
		}
	})
}

// TestTurnsHoldTheirBounds has many parties ask, grow, leave and end at random.
func TestTurnsHoldTheirBounds(t *testing.T) {
	t.Parallel()
	const size = 1000
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(size, 10*time.Second)
		var work sync.WaitGroup
		var began, sent, left int
		var mu sync.Mutex
		for i := range 400 {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			work.Go(func() {
				time.Sleep(time.Duration(random.Int64N(int64(30 * time.Second))))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.Int64N(int64(20*time.Second))))
				defer cancel()
				turn, err := turns.Take(ctx, fmt.Sprint(random.IntN(7)), random.Int64N(800))
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
				defer turn.Done()
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
				_ = turn.Grow(ctx, random.Int64N(800))
				turns.check(t)
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
			})
		}
		work.Wait()
		if began < 30 || sent < 20 || left < 20 {
			t.Errorf("%d began, %d were sent away, %d left: that says little", began, sent, left)
		}
		if held, waiting := turns.Use(); held != 0 || waiting != 0 || len(turns.parties) != 0 || len(turns.round) != 0 {
			t.Errorf("at the end %d bytes are held, %d wait, parties %v", held, waiting, turns.parties)
		}
	})
}

// check holds the bounds of turns.
func (t *Turns) check(tb testing.TB) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := int64(0)
	for name, p := range t.parties {
		if p.held > t.size/2 {
			tb.Errorf("%s holds %d of %d", name, p.held, t.size)
		}
		if (len(p.waiting) > 0) != slices.Contains(t.round, name) {
			tb.Errorf("%s waits %d times, the round is %v", name, len(p.waiting), t.round)
		}
		all += p.held
	}
	if all != t.held || all > t.size {
		tb.Errorf("%d bytes are held, counted as %d, of %d", all, t.held, t.size)
	}
}
