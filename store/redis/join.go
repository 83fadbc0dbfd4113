package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	// soloTrips is the number of trips of reads that may be under way before further reads wait and share one. With fewer concurrent
	// callers, each has a trip of its own.
	soloTrips = 4
	// maxSharedCommands is the maximum number of commands of a read that shares a trip. Larger reads would delay the others.
	maxSharedCommands = 8
	// maxQueueWait is the time after which a read that is still queued gets a trip of its own: the trips under way may be stuck.
	maxQueueWait = 100 * time.Millisecond
	// maxTripCommands is the approximate maximum number of commands of a shared trip.
	maxTripCommands = 256
)

// joiner sends the reads of concurrent callers in shared trips, which costs the client and Redis much less than a trip for each. A read
// is sent after it was queued, so it sees every write that was acknowledged before.
type joiner struct {
	client goredis.UniversalClient

	mu       sync.Mutex
	underway int // trips that count towards soloTrips
	waiting  []*sharedRead
}

// sharedRead is a read that waits for a shared trip.
type sharedRead struct {
	ctx      context.Context //nolint:containedctx // it bounds the trip together with those of the other reads
	commands []goredis.Cmder
	err      error         // why it was not sent
	done     chan struct{} // closed after the trip
}

// ExecuteReads is Execute for a pipeline that only reads. Reads of concurrent callers may share a trip, except on a Cluster, where one
// unreachable node would delay the reads of all others. If ctx ends first, the commands must not be used any more.
func (c *Conn) ExecuteReads(ctx context.Context, name string, pipe goredis.Pipeliner) error {
	if c.joiner == nil || pipe.Len() == 0 || pipe.Len() > maxSharedCommands {
		return Execute(ctx, name, pipe)
	}
	if c.joiner.begin() {
		defer c.joiner.end() //nolint:contextcheck // the next trip has the contexts of the waiting reads
		return Execute(ctx, name, pipe)
	}
	start := time.Now()
	read := &sharedRead{ctx: ctx, commands: pipe.Cmds(), done: make(chan struct{})}
	c.joiner.add(read) //nolint:contextcheck // likewise
	if !c.joiner.wait(read) {
		return Execute(ctx, name, pipe)
	}
	if err := ctx.Err(); err != nil {
		return Wrap(ctx, err)
	}
	addCommandTime(ctx, time.Since(start))
	if read.err != nil {
		return Wrap(ctx, read.err)
	}
	for _, command := range read.commands {
		if err := command.Err(); err != nil && !errors.Is(err, goredis.Nil) {
			return Wrap(ctx, err)
		}
	}
	return nil
}

// wait waits until the trip of a read or its context has ended. It returns false, and the read is no longer queued, if no trip has begun
// within maxQueueWait.
func (j *joiner) wait(read *sharedRead) bool {
	timer := time.NewTimer(maxQueueWait)
	defer timer.Stop()
	for {
		select {
		case <-read.done:
			return true
		case <-read.ctx.Done():
			j.remove(read)
			return true
		case <-timer.C:
			if j.remove(read) {
				return false
			}
		}
	}
}

// remove removes a read from the queue. It returns false if the read is not queued any more.
func (j *joiner) remove(read *sharedRead) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.Index(j.waiting, read)
	if i < 0 {
		return false
	}
	j.waiting = slices.Delete(j.waiting, i, i+1)
	return true
}

// begin reports whether the caller may send a trip of its own, which it then reports with end.
func (j *joiner) begin() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.underway >= soloTrips || len(j.waiting) > 0 {
		return false
	}
	j.underway++
	return true
}

// end reports that a trip has ended. The place of the trip goes to the reads that have waited for it.
func (j *joiner) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) > 0 {
		go j.send()
		return
	}
	j.underway--
}

// add queues a read.
func (j *joiner) add(read *sharedRead) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = append(j.waiting, read)
	if j.underway < soloTrips { // the trips ended in the meantime
		j.underway++
		go j.send()
	}
}

// send sends the waiting reads in shared trips until none is left.
func (j *joiner) send() {
	for {
		reads := j.take()
		if len(reads) == 0 {
			return
		}
		j.sendTogether(reads)
	}
}

// take removes the reads of the next trip from the queue. If there are none, the trip is reported as ended.
func (j *joiner) take() (reads []*sharedRead) {
	j.mu.Lock()
	defer j.mu.Unlock()
	commands := 0
	for _, read := range j.waiting {
		if commands += len(read.commands); commands > maxTripCommands && len(reads) > 0 {
			break
		}
		reads = append(reads, read)
	}
	j.waiting = j.waiting[len(reads):]
	if len(reads) == 0 {
		j.waiting = nil
		j.underway--
	}
	return reads
}

// sendTogether sends reads in one trip. Reads whose callers have gone are left out. A panic fails the reads, as it would fail the
// request of a caller.
func (j *joiner) sendTogether(reads []*sharedRead) {
	err := errTripAborted
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v\n%s", err, cause, debug.Stack())
		}
		for _, read := range reads {
			read.err = cmp.Or(read.err, err)
			close(read.done)
		}
	}()
	ctx, cancel := commonContext(reads)
	defer cancel()
	pipe := j.client.Pipeline()
	for _, read := range reads {
		if read.err = read.ctx.Err(); read.err == nil {
			_ = pipe.BatchProcess(ctx, read.commands...) // it only queues
		}
	}
	if pipe.Len() > 0 {
		_, _ = pipe.Exec(ctx) // each command has its error
	}
	err = nil
}

// errTripAborted is the error of reads whose trip panicked.
var errTripAborted = errors.New("store: redis: the shared trip was aborted")

// commonContext returns a context that ends at the latest deadline of reads, or never if one has none. It is not cancelled with one of
// them.
func commonContext(reads []*sharedRead) (context.Context, context.CancelFunc) {
	var latest time.Time
	for _, read := range reads {
		deadline, ok := read.ctx.Deadline()
		if !ok {
			return context.Background(), func() {}
		}
		if deadline.After(latest) {
			latest = deadline
		}
	}
	return context.WithDeadline(context.Background(), latest)
}
