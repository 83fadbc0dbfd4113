package redis

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// heldTrips is a hook that holds the trips of a client until they are released, and answers every GET with the name of its key.
type heldTrips struct {
	arrived chan []string // keys of each trip
	release chan error    // error of the next trip that goes on
}

func (*heldTrips) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (*heldTrips) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (h *heldTrips) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(_ context.Context, commands []goredis.Cmder) error {
		var keys []string
		for _, command := range commands {
			keys = append(keys, fmt.Sprint(command.Args()[1]))
		}
		h.arrived <- keys
		err := <-h.release
		for _, command := range commands {
			if reply, ok := command.(*goredis.StringCmd); ok && err == nil {
				reply.SetVal(fmt.Sprint(command.Args()[1]))
			}
			command.SetErr(err)
		}
		return err
	}
}

// newHeldConn returns a connection without a server whose trips are held.
func newHeldConn() (*Conn, *heldTrips) {
	held := &heldTrips{arrived: make(chan []string, 100), release: make(chan error)}
	client := newClient(baseOptions())
	client.AddHook(held)
	return &Conn{Client: client, joiner: &joiner{client: client}}, held
}

// startRead reads keys concurrently and sends the error.
func startRead(ctx context.Context, c *Conn, keys ...string) (replies []*goredis.StringCmd, done chan error) {
	pipe := c.Client.Pipeline()
	for _, key := range keys {
		replies = append(replies, pipe.Get(ctx, key))
	}
	done = make(chan error, 1)
	go func() { done <- c.ExecuteReads(ctx, "", pipe) }()
	return replies, done
}

// TestConcurrentReadsShareTrips checks that reads get trips of their own while few are under way, that the further ones share one trip,
// and that each gets its replies.
func TestConcurrentReadsShareTrips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, held := newHeldConn()
		ctx := t.Context()
		var first []chan error
		for i := range soloTrips {
			_, done := startRead(ctx, c, fmt.Sprintf("solo%d", i))
			first = append(first, done)
			<-held.arrived
		}
		const readers = 10
		replies, done := make([][]*goredis.StringCmd, readers), make([]chan error, readers)
		for i := range readers {
			replies[i], done[i] = startRead(ctx, c, fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i))
		}
		synctest.Wait()     // the reads are queued
		held.release <- nil // one place is free
		shared := <-held.arrived
		if len(shared) != 2*readers {
			t.Errorf("the shared trip has the keys %q", shared)
		}
		for range soloTrips {
			held.release <- nil
		}
		for _, done := range slices.Concat(first, done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		for i, r := range replies {
			if got := r[0].Val() + r[1].Val(); got != fmt.Sprintf("a%db%d", i, i) {
				t.Errorf("reader %d got %q", i, got)
			}
		}
		if _, done := startRead(ctx, c, "later"); len(<-held.arrived) != 1 || c.joiner.underway != 1 {
			t.Errorf("%d trips are under way", c.joiner.underway)
		} else {
			held.release <- nil
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestLargeReadsShareNoTrip checks that reads with many commands do not wait.
func TestLargeReadsShareNoTrip(t *testing.T) {
	t.Parallel()
	c, held := newHeldConn()
	var all []chan error
	for range soloTrips {
		_, done := startRead(t.Context(), c, "solo")
		all = append(all, done)
		<-held.arrived
	}
	_, done := startRead(t.Context(), c, slices.Repeat([]string{"key"}, maxSharedCommands+1)...)
	if keys := <-held.arrived; len(keys) != maxSharedCommands+1 {
		t.Errorf("a trip with the keys %q", keys)
	}
	for _, done := range append(all, done) {
		held.release <- nil
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestFailedTripFailsAllItsReads checks that no read of a failed trip is answered with absent values.
func TestFailedTripFailsAllItsReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, held := newHeldConn()
		for range soloTrips {
			startRead(t.Context(), c, "solo")
			<-held.arrived
		}
		_, a := startRead(t.Context(), c, "a")
		_, b := startRead(t.Context(), c, "b")
		synctest.Wait() // the reads are queued
		held.release <- nil
		<-held.arrived
		lost := errors.New("EOF")
		for range soloTrips {
			held.release <- lost
		}
		for _, done := range []chan error{a, b} {
			if err := <-done; !errors.Is(err, lost) {
				t.Errorf("the error is %v", err)
			}
		}
	})
}

// TestCancelledReadDoesNotCancelOthers checks that a caller that goes away gets its own error, is left out of the trip, and leaves the
// other reads alone.
func TestCancelledReadDoesNotCancelOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, held := newHeldConn()
		for range soloTrips {
			startRead(t.Context(), c, "solo")
			<-held.arrived
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, gone := startRead(ctx, c, "gone")
		_, stays := startRead(t.Context(), c, "stays")
		synctest.Wait() // the reads are queued
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		held.release <- nil
		if keys := <-held.arrived; len(keys) != 1 || keys[0] != "stays" {
			t.Errorf("the trip has the keys %q", keys)
		}
		for range soloTrips {
			held.release <- nil
		}
		if err := <-stays; err != nil {
			t.Error(err)
		}
	})
}

// TestQueuedReadDoesNotWaitForStuckTrips checks that a read gets a trip of its own if the trips under way do not end.
func TestQueuedReadDoesNotWaitForStuckTrips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, held := newHeldConn()
		for range soloTrips {
			startRead(t.Context(), c, "stuck")
			<-held.arrived
		}
		began := time.Now()
		_, done := startRead(t.Context(), c, "later")
		if keys := <-held.arrived; len(keys) != 1 || keys[0] != "later" {
			t.Errorf("the trip has the keys %q", keys)
		}
		if waited := time.Since(began); waited != maxQueueWait {
			t.Errorf("it began after %s", waited)
		}
		for range soloTrips + 1 {
			held.release <- nil
		}
		if err := <-done; err != nil || len(c.joiner.waiting) > 0 {
			t.Errorf("%v, %d reads are queued", err, len(c.joiner.waiting))
		}
	})
}

// abortedTrips is a hook that panics, or ends the goroutine, on each trip.
type abortedTrips struct{ abort func() }

func (abortedTrips) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (abortedTrips) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (a abortedTrips) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(context.Context, []goredis.Cmder) error {
		a.abort()
		return nil
	}
}

// TestAbortedTripFailsItsReads checks that the reads of a trip that panics, or whose goroutine ends, are not taken for absent values.
func TestAbortedTripFailsItsReads(t *testing.T) {
	t.Parallel()
	for name, abort := range map[string]func(){"panic": func() { panic("broken") }, "end": runtime.Goexit} {
		client := newClient(baseOptions())
		client.AddHook(abortedTrips{abort})
		j := &joiner{client: client}
		get := goredis.NewStringCmd(t.Context(), "get", "a")
		read := &sharedRead{ctx: t.Context(), done: make(chan struct{}), commands: []goredis.Cmder{get}}
		go j.sendTogether([]*sharedRead{read})
		<-read.done
		if !errors.Is(read.err, errTripAborted) {
			t.Errorf("%s: the error is %v", name, read.err)
		}
	}
}

// TestReadsOfEndedContextsFail checks that a read whose context ends while it is queued never succeeds, whatever ends first.
func TestReadsOfEndedContextsFail(t *testing.T) {
	t.Parallel()
	c, _ := newHeldConn()
	var wait sync.WaitGroup
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		read := &sharedRead{ctx: ctx, done: make(chan struct{})}
		wait.Go(func() { c.joiner.sendTogether([]*sharedRead{read}) })
		<-read.done
		if read.err == nil {
			t.Fatal("the read counts as sent")
		}
	}
	wait.Wait()
}

// TestTripEndsAtLatestDeadline checks the time limit of a shared trip.
func TestTripEndsAtLatestDeadline(t *testing.T) {
	t.Parallel()
	now := time.Now()
	early, cancel := context.WithDeadline(t.Context(), now.Add(time.Hour))
	defer cancel()
	late, cancelLate := context.WithDeadline(t.Context(), now.Add(2*time.Hour))
	defer cancelLate()
	ctx, end := commonContext([]*sharedRead{{ctx: late}, {ctx: early}})
	defer end()
	if deadline, ok := ctx.Deadline(); !ok || !deadline.Equal(now.Add(2*time.Hour)) {
		t.Errorf("the trip ends at %s", deadline)
	}
	ctx, end = commonContext([]*sharedRead{{ctx: late}, {ctx: t.Context()}})
	defer end()
	if deadline, ok := ctx.Deadline(); ok {
		t.Errorf("with a read without a deadline, it ends at %s", deadline)
	}
}
