package store_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// faultHook is a hook that controls one life of a node: how long its commands are delayed, which of them are sent twice, and
// when the node fails.
type faultHook struct {
	storetest.Trips // for DialHook

	mu             sync.Mutex
	random         *rand.Rand
	defect         fault
	maxDelay       time.Duration // maximum delay between two steps
	deathRate      int           // one in deathRate commands is not sent, one is not answered, and the node fails; 0 = never
	dead           bool
	delayedObjects []func() // objects delayed by a defect
}

// repeatRate is the inverse frequency of scripts sent twice, as after a lost reply.
const repeatRate = 25

// errNodeFailed is the error of all commands of a failed node.
var errNodeFailed = io.ErrUnexpectedEOF

// wait lets other goroutines run first. It takes no real time in the bubble.
func (f *faultHook) wait() {
	f.mu.Lock()
	pause := time.Duration(1 + f.random.Int64N(int64(f.maxDelay)))
	f.mu.Unlock()
	time.Sleep(pause)
}

func (f *faultHook) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// draw draws the faults of the next command: the node fails before or after it is sent, or it is sent twice.
func (f *faultHook) draw() (before, after, twice bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deathRate > 0 {
		n := f.random.IntN(f.deathRate)
		before, after = n == 0, n == 1
	}
	return before, after, f.random.IntN(repeatRate) == 0
}

func (f *faultHook) die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

// send sends one command or pipeline with the faults that draw returns.
func (f *faultHook) send(script bool, next func() error) error {
	f.wait()
	if f.isDead() {
		return errNodeFailed
	}
	before, after, twice := f.draw()
	if before {
		f.die()
		return errNodeFailed
	}
	err := next()
	if script && twice && err == nil && !after {
		err = next()
	}
	if after {
		f.die()
	}
	if f.isDead() {
		return errNodeFailed
	}
	f.wait()
	return err
}

// ProcessHook implements redis.Hook.
func (f *faultHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		script := strings.HasPrefix(command.Name(), "eval")
		if f.defect.lateObjects && store.StoresObjects(command) {
			f.holdBack(func() { _ = next(context.WithoutCancel(ctx), goredis.NewCmd(ctx, command.Args()...)) })
			command.(*goredis.Cmd).SetVal([]any{"0", "0", "0", ""})
			return nil
		}
		err := f.send(script, func() error { return next(ctx, command) })
		if err == errNodeFailed { //nolint:errorlint // it is this very error
			command.SetErr(err)
			return err
		}
		if script {
			f.release()
		}
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (f *faultHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		err := f.send(false, func() error { return next(ctx, commands) })
		if err == nil && f.defect.blindClaims {
			for _, command := range commands {
				store.AcceptClaim(command)
			}
		}
		if err == errNodeFailed { //nolint:errorlint // it is this very error
			for _, command := range commands {
				command.SetErr(err)
			}
		}
		return err
	}
}

// holdBack delays objects until the next script.
func (f *faultHook) holdBack(objects func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delayedObjects = append(f.delayedObjects, objects)
}

// release stores the objects that a defect delayed.
func (f *faultHook) release() {
	f.mu.Lock()
	late := f.delayedObjects
	f.delayedObjects = nil
	f.mu.Unlock()
	for _, store := range late {
		store()
	}
}

// mapModel is an access model that stores the entries unchanged.
type mapModel map[string]string

func (m mapModel) Apply(id string, entry []byte) {
	if entry == nil {
		delete(m, id)
	} else {
		m[id] = string(entry)
	}
}

func (m mapModel) Reset() { clear(m) }

func (mapModel) Size() int { return 1 }

// simNode is a process that is restarted after it failed.
type simNode struct {
	t         *testing.T
	server    *miniredis.Miniredis
	name      uint64
	starts    uint64
	random    *rand.Rand
	defect    fault
	total     *eventCounts
	maxDelay  time.Duration
	deathRate int
	useOutbox bool

	store *store.Store
	hook  *faultHook
}

// start begins a life of the node: it opens a store with a new hook. Only a mortal life has failures.
func (n *simNode) start(mortal bool) {
	for {
		n.starts++
		seed := n.random.Uint64()
		n.hook = &faultHook{random: rand.New(rand.NewPCG(seed, n.starts)), defect: n.defect, maxDelay: n.maxDelay}
		if mortal {
			n.hook.deathRate = n.deathRate
		}
		s, err := store.OpenOn(n.t.Context(), n.server, store.Config{
			IDs: storetest.SeededIDs(time.Now, seed), Hooks: []goredis.Hook{n.hook, storetest.SingleSlotHook(n.t)},
			Model: func(string) txn.Model { return mapModel{} },
		}, n.defect.edit(n.t))
		if err == nil {
			if n.store = s; n.useOutbox {
				store.AlwaysUseOutbox(s)
			}
			return
		}
		if !n.hook.isDead() {
			n.t.Fatalf("open: %v", err)
		}
		n.total.crashes.Add(1)
	}
}

// restart begins the next life if this one has ended.
func (n *simNode) restart() {
	if !n.hook.isDead() {
		return
	}
	n.total.crashes.Add(1)
	n.stop()
	n.start(true)
}

func (n *simNode) stop() {
	if err := n.store.Close(); err != nil {
		n.t.Errorf("close: %v", err)
	}
}

// readModel returns the node's access model of an organization after reading the changes.
func (n *simNode) readModel(org string) (map[string]string, error) {
	batch := n.store.NewBatch()
	shape := batch.Follow(org)
	if err := batch.Do(n.t.Context()); err != nil {
		return nil, fmt.Errorf("read the shape: %w", err)
	}
	var copied map[string]string
	shape.View(func(model txn.Model) { copied = maps.Clone(map[string]string(model.(mapModel))) })
	return copied, nil
}
