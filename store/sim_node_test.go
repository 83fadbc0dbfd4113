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

// fate is a hook that decides over one life of a node: how long its commands
// take, which are sent twice, and when it dies.
type fate struct {
	storetest.Trips // for DialHook

	mu     sync.Mutex
	random *rand.Rand
	defect fault
	pace   time.Duration // longest time between two steps
	lethal int           // one command in so many is not sent, one is not answered, and the node is dead; 0 = none
	dead   bool
	late   []func() // objects that a defect holds back
}

// repeated: one script in so many is sent twice, as by a client that got no answer.
const repeated = 25

// errDied is what a dead node gets: nothing.
var errDied = io.ErrUnexpectedEOF

// wait lets the others go first for a moment. In the bubble it takes no time.
func (f *fate) wait() {
	f.mu.Lock()
	pause := time.Duration(1 + f.random.Int64N(int64(f.pace)))
	f.mu.Unlock()
	time.Sleep(pause)
}

func (f *fate) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// draw decides over the next command.
func (f *fate) draw() (before, after, twice bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lethal > 0 {
		n := f.random.IntN(f.lethal)
		before, after = n == 0, n == 1
	}
	return before, after, f.random.IntN(repeated) == 0
}

func (f *fate) die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

// send takes one command or pipeline through its fate.
func (f *fate) send(script bool, next func() error) error {
	f.wait()
	if f.isDead() {
		return errDied
	}
	before, after, twice := f.draw()
	if before {
		f.die()
		return errDied
	}
	err := next()
	if script && twice && err == nil && !after {
		err = next()
	}
	if after {
		f.die()
	}
	if f.isDead() {
		return errDied
	}
	f.wait()
	return err
}

// ProcessHook implements redis.Hook.
func (f *fate) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		script := strings.HasPrefix(command.Name(), "eval")
		if f.defect.lateObjects && store.StoresObjects(command) {
			f.holdBack(func() { _ = next(context.WithoutCancel(ctx), goredis.NewCmd(ctx, command.Args()...)) })
			command.(*goredis.Cmd).SetVal([]any{"0", "0", "0", ""})
			return nil
		}
		err := f.send(script, func() error { return next(ctx, command) })
		if err == errDied { //nolint:errorlint // it is this very error
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
func (f *fate) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		err := f.send(false, func() error { return next(ctx, commands) })
		if claimed, ok := commands[0].(*goredis.BoolCmd); ok && f.defect.blindClaims && strings.HasPrefix(claimed.Name(), "set") {
			claimed.SetVal(true)
		}
		if err == errDied { //nolint:errorlint // it is this very error
			for _, command := range commands {
				command.SetErr(err)
			}
		}
		return err
	}
}

// holdBack keeps objects back until the next script.
func (f *fate) holdBack(objects func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = append(f.late, objects)
}

// release stores what a defect held back.
func (f *fate) release() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, store := range late {
		store()
	}
}

// shapeModel is the model of a shape that keeps what it is told.
type shapeModel map[string]string

func (m shapeModel) Apply(id string, entry []byte) {
	if entry == nil {
		delete(m, id)
	} else {
		m[id] = string(entry)
	}
}

func (m shapeModel) Reset() { clear(m) }

func (shapeModel) Size() int { return 1 }

// simNode is a process that is started again when it has died.
type simNode struct {
	t      *testing.T
	server *miniredis.Miniredis
	name   uint64
	lives  uint64
	random *rand.Rand
	defect fault
	total  *tally
	pace   time.Duration
	lethal int
	carry  bool

	store *store.Store
	fate  *fate
}

// start begins a life.
func (n *simNode) start(mortal bool) {
	for {
		n.lives++
		seed := n.random.Uint64()
		n.fate = &fate{random: rand.New(rand.NewPCG(seed, n.lives)), defect: n.defect, pace: n.pace}
		if mortal {
			n.fate.lethal = n.lethal
		}
		s, err := store.OpenOn(n.t.Context(), n.server, store.Config{
			IDs: txn.SeededIDs(time.Now, seed), Hooks: []goredis.Hook{n.fate, storetest.Slots(n.t)},
			Model: func(string) txn.Model { return shapeModel{} },
		}, n.defect.edit(n.t))
		if err == nil {
			if n.store = s; n.carry {
				store.CarryAll(s)
			}
			return
		}
		if !n.fate.isDead() {
			n.t.Fatalf("open: %v", err)
		}
		n.total.crashes.Add(1)
	}
}

// restart begins the next life if this one is over.
func (n *simNode) restart() {
	if !n.fate.isDead() {
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

// shape returns the node's picture of an organization after it has read the news.
func (n *simNode) shape(org string) (map[string]string, error) {
	batch := n.store.Pipeline()
	shape := batch.Follow(org)
	if err := batch.Do(n.t.Context()); err != nil {
		return nil, fmt.Errorf("read the shape: %w", err)
	}
	var copied map[string]string
	shape.View(func(model txn.Model) { copied = maps.Clone(map[string]string(model.(shapeModel))) })
	return copied, nil
}
