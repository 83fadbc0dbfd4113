package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// simulation is the run of one seed.
type simulation struct {
	t           *testing.T
	server      *miniredis.Miniredis
	nodes       []*simNode
	sweeper     *simNode // runs sweeps
	total       *eventCounts
	org         string
	collections []string        // "" is the top level
	useOutbox   bool            // commits add their objects to the outbox: see sim_outbox_test.go
	replica     map[string]bool // key and hash of the objects on the replica
	shrunk      map[string]bool // spaces whose sizes must be measured

	mu       sync.Mutex
	spaces   []string
	comments []string
	outcomes map[string]outcome // of every write by name
	owners   map[string]string  // owners of acknowledged claims
	problems []string
}

// outcome is the result of a write as seen by its caller.
type outcome int

const (
	outcomeAcknowledged outcome = iota + 1
	outcomeRefused              // nothing was written
	outcomeUnknown              // the node failed
)

func newSimulation(t *testing.T, seed uint64, defect fault, total *eventCounts) *simulation {
	t.Helper()
	server := miniredis.NewMiniRedis() // nothing expires within the seconds of a run
	m := &simulation{
		t: t, server: server, total: total, outcomes: map[string]outcome{}, owners: map[string]string{}, useOutbox: seed%2 == 1,
		shrunk: map[string]bool{},
	}
	for name := range uint64(simNodes + 1) {
		node := &simNode{
			t: t, server: server, name: name, random: rand.New(rand.NewPCG(seed, name)), defect: defect, total: total,
			maxDelay: 2 * time.Millisecond, deathRate: 120, useOutbox: m.useOutbox,
		}
		if name == simNodes { // the sweeper, whose sweeps take some hundred commands
			node.maxDelay, node.deathRate = 20*time.Microsecond, 2000
		}
		node.start(false)
		m.nodes = append(m.nodes, node)
	}
	m.sweeper, m.nodes = m.nodes[simNodes], m.nodes[:simNodes]
	m.begin()
	return m
}

// problem adds a formatted problem to the result of the simulation.
func (m *simulation) problem(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// run runs all nodes with failures and checks the result.
func (m *simulation) run() []string {
	var all sync.WaitGroup
	for _, node := range append(m.nodes, m.sweeper) {
		node.stop()
		node.start(true)
	}
	for _, node := range m.nodes {
		all.Go(func() { m.runWorkers(node) })
	}
	all.Go(m.sweep)
	all.Wait()
	for _, node := range append(m.nodes, m.sweeper) {
		node.hook.deathRate = 0
	}
	m.check()
	for _, node := range append(m.nodes, m.sweeper) {
		node.stop()
	}
	m.server.Close()
	return m.problems
}

// worker makes its writes one after the other in the current life of its node.
type worker struct {
	*simulation

	node   *simNode
	random *rand.Rand
	name   string
	ops    int
}

// runWorkers runs the workers of a node and waits until all of them have ended.
func (m *simulation) runWorkers(node *simNode) {
	workers := make([]*worker, simWorkers)
	for i := range workers {
		workers[i] = &worker{m, node, rand.New(rand.NewPCG(node.random.Uint64(), uint64(i))), fmt.Sprintf("%d.%d", node.name, i), 0}
	}
	for slices.ContainsFunc(workers, func(w *worker) bool { return w.ops < simOps }) {
		node.restart()
		var life sync.WaitGroup
		for _, w := range workers {
			life.Go(w.run)
		}
		life.Wait()
	}
	node.restart()
}

// run works until all writes are made or the node has failed.
func (w *worker) run() {
	for ; w.ops < simOps && !w.node.hook.isDead(); w.ops++ {
		if w.random.IntN(3) == 0 {
			time.Sleep(time.Duration(w.random.IntN(100)) * time.Millisecond) // takes no real time in the bubble
		}
		if _, err := w.node.readModel(w.org); err != nil && !w.node.hook.isDead() { // like every request
			w.problem("read the shape: %v", err)
		}
		name := w.name + "." + strconv.Itoa(w.ops)
		operation, commit := w.draw(name)
		err := operation()
		dead := w.node.hook.isDead()
		var refusal *txn.ClaimedError
		w.mu.Lock()
		switch {
		case err == nil:
			w.outcomes[name] = outcomeAcknowledged
			w.total.acknowledged.Add(1)
			commit()
		case errors.Is(err, txn.ErrBusy) || errors.As(err, &refusal) || errors.Is(err, errNothingToDo):
			w.outcomes[name] = outcomeRefused
			w.total.refused.Add(1)
		case dead:
			w.outcomes[name] = outcomeUnknown
			w.total.unknown.Add(1)
		default:
			w.problems = append(w.problems, fmt.Sprintf("%s: %v", name, err))
		}
		w.mu.Unlock()
	}
}

// errNothingToDo is the error of an operation whose resource was deleted.
var errNothingToDo = errors.New("nothing to do")

// pick returns a random value of those shared by all workers, or "" if there is none.
func (w *worker) pick(from *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*from) == 0 {
		return ""
	}
	return (*from)[w.random.IntN(len(*from))]
}

// draw chooses the next write. commit records its effect after it was made.
func (w *worker) draw(name string) (operation func() error, commit func()) {
	space, parent, comment := w.pick(&w.spaces), w.pick(&w.collections), w.pick(&w.comments)
	commit = func() {}
	switch n := w.random.IntN(100); {
	case n < 8:
		id := w.node.store.NewID(txn.HomePrefix(txn.SpacePrefix, w.org))
		return func() error { return w.createSpace(name, id, parent) }, func() { w.spaces = append(w.spaces, id) }
	case n < 35:
		return func() error { return w.moveSpace(name, space, parent) }, commit
	case n < 60:
		return func() error { return w.merge(name, space) }, commit
	case n < 75:
		id := w.node.store.NewID("c_")
		return func() error { return w.createComment(name, id, space) }, func() { w.comments = append(w.comments, id) }
	case n < 92 && comment != "":
		remove := w.random.IntN(3) == 0
		return func() error { return w.changeComment(name, comment, remove) }, commit
	default:
		email, user := fmt.Sprint("m", w.random.IntN(4)), w.node.store.NewID(txn.UserPrefix)
		return func() error { return w.claim(email, user) }, func() {
			w.recordOwner(email, user)
			delete(w.outcomes, name) // its shard has no events
		}
	}
}

// recordOwner records an acknowledged claim.
func (w *worker) recordOwner(email, user string) {
	if other := w.owners[email]; other != "" {
		w.problems = append(w.problems, fmt.Sprintf("%s and %s both have %s", other, user, email))
	}
	w.owners[email] = user
}

// update makes a write with the event that identifies it.
func (w *worker) update(fields map[string]string, fn func(tx *store.Tx) error) error {
	return w.node.store.Update(w.t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Event(fields)
		return fn(tx)
	})
}

func (w *worker) createSpace(name, id, parent string) error {
	return w.update(event(name, "create", "space", id, "parent", parent), func(tx *store.Tx) error {
		return putNewSpace(tx, w.org, id, parent)
	})
}

func putNewSpace(tx *store.Tx, org, id, parent string) error {
	space, err := tx.Space(org, id)
	if err != nil {
		return err
	}
	space.Fields = api.SpaceFields{ID: id, Organization: org}
	if err := tx.MoveSpace(&space, parent, txn.Position{}); err != nil {
		return err
	}
	tx.CountSpace(org, id)
	_, err = tx.PutSpace(space)
	return err
}

func (w *worker) moveSpace(name, id, parent string) error {
	return w.update(event(name, "move", "space", id, "parent", parent), func(tx *store.Tx) error {
		space, err := tx.Space(w.org, id)
		if err != nil {
			return err
		}
		if err := tx.MoveSpace(&space, parent, txn.Position{}); err != nil {
			return err
		}
		_, err = tx.PutSpace(space)
		return err
	})
}

// merge adds a page to the current head of a space.
func (w *worker) merge(name, space string) error {
	return w.update(event(name, "merge", "space", space), func(tx *store.Tx) error {
		head, _, err := tx.Head(w.org, space)
		if err != nil {
			return err
		}
		return storetest.AddPage(tx, w.node.store.Content(space), w.org, head, name)
	})
}

func (w *worker) createComment(name, id, space string) error {
	return w.update(event(name, "comment", "comment", id, "space", space), func(tx *store.Tx) error {
		comment, err := tx.Comment(w.org, id)
		if err != nil {
			return err
		}
		comment.Fields = api.CommentFields{ID: id, Status: api.CommentOpen}
		comment.Private = store.CommentPrivate{Author: "u_1", Target: space, Space: space}
		_, err = tx.PutComment(w.org, comment, "")
		return err
	})
}

// changeComment resolves or reopens a comment, or removes it.
func (w *worker) changeComment(name, id string, remove bool) error {
	kind := map[bool]string{true: "remove", false: "toggle"}[remove]
	return w.update(event(name, kind, "comment", id), func(tx *store.Tx) error {
		comment, err := tx.Comment(w.org, id)
		if err != nil {
			return err
		}
		if comment.Version == 0 {
			return errNothingToDo
		}
		if remove {
			tx.DeleteComment(w.org, comment)
			return nil
		}
		was := comment.Fields.Status
		comment.Fields.Status = map[api.CommentStatus]api.CommentStatus{
			api.CommentOpen: api.CommentResolved, api.CommentResolved: api.CommentOpen,
		}[was]
		_, err = tx.PutComment(w.org, comment, was)
		return err
	})
}

// claim creates a user with a unique address.
func (w *worker) claim(email, user string) error {
	return w.node.store.Update(w.t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.User(user)
		if err != nil {
			return err
		}
		d.Fields = api.UserFields{ID: user, Email: email}
		tx.Claim(store.EmailKey(email), user)
		_, err = tx.PutUser(d)
		return err
	})
}

// event returns the event of a write: its name, its kind, and pairs.
func event(name, kind string, pairs ...string) map[string]string {
	fields := map[string]string{"name": name, "kind": kind}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fields[pairs[i]] = pairs[i+1]
		}
	}
	return fields
}
