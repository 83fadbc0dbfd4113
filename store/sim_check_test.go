package store_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// begin creates the organization of the simulation.
func (m *simulation) begin() {
	s := m.nodes[0].store
	m.org = s.NewID(txn.OrganizationPrefix)
	m.collections = []string{"", s.NewID(txn.HomePrefix(txn.CollectionPrefix, m.org)), s.NewID(txn.HomePrefix(txn.CollectionPrefix, m.org))}
	for range 3 {
		m.spaces = append(m.spaces, s.NewID(txn.HomePrefix(txn.SpacePrefix, m.org)))
	}
	write := func(fn func(tx *store.Tx) error) { storetest.Update(m.t, s, m.org, fn) }
	write(func(tx *store.Tx) error {
		d, err := tx.Organization(m.org)
		if err != nil {
			return err
		}
		d.Fields = api.OrganizationFields{ID: m.org}
		_, err = tx.PutOrganization(d)
		return err
	})
	for _, id := range m.collections[1:] {
		write(func(tx *store.Tx) error {
			c, err := tx.Collection(m.org, id)
			if err != nil {
				return err
			}
			c.Fields = api.CollectionFields{ID: id, Organization: m.org}
			if err := tx.MoveCollection(&c, "", txn.Position{}); err != nil {
				return err
			}
			_, err = tx.PutCollection(c)
			return err
		})
	}
	for _, id := range m.spaces {
		write(func(tx *store.Tx) error {
			tx.Event(event("first "+id, "create", "space", id))
			tx.SetField(txn.GCEpochsKey(m.org), id, "2") // as after a sweep
			return putNewSpace(tx, m.org, id, "")
		})
		m.outcomes["first "+id] = outcomeAcknowledged
	}
}

// sweep removes unreachable objects during writes. An interrupted sweep is ended by the next start.
func (m *simulation) sweep() {
	for range simSweeps {
		time.Sleep(time.Duration(m.sweeper.random.IntN(100)) * time.Millisecond)
		if m.useOutbox {
			m.failover()
			m.deliver()
			m.failover()
			m.sweeper.restart()
		}
		report, err := fsck.Run(m.t.Context(), m.sweeper.store, fsck.Options{GC: true})
		m.total.swept.Add(int64(report.Removed))
		for err != nil && m.sweeper.hook.isDead() {
			m.sweeper.restart()
			err = m.reopen()
		}
		if err != nil && !errors.Is(err, txn.ErrBusy) {
			m.problem("sweep: %v", err)
		}
	}
	m.sweeper.restart()
	if err := m.reopen(); err != nil && !m.sweeper.hook.isDead() {
		m.problem("after the sweeps: %v", err)
	}
}

// reopen ends the interrupted sweeps of spaces.
func (m *simulation) reopen() error {
	m.mu.Lock()
	spaces := slices.Clone(m.spaces)
	m.mu.Unlock()
	return m.sweeper.store.Update(m.t.Context(), store.Organization(m.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for _, space := range spaces {
			text, _, err := tx.Field(txn.GCEpochsKey(m.org), space)
			if err != nil {
				return err
			}
			if epoch, _ := strconv.Atoi(text); epoch%2 == 1 {
				tx.SetField(txn.GCEpochsKey(m.org), space, strconv.Itoa(epoch+1))
			}
		}
		return nil
	})
}

// check compares the stored data with the events and checks its invariants.
func (m *simulation) check() {
	m.sweeper.restart() // the last life of the sweeper has no failures
	m.sweeper.stop()
	m.sweeper.start(false)
	if err := m.reopen(); err != nil {
		m.problem("reopen: %v", err)
	}
	if m.useOutbox {
		m.failover()
	}
	report, err := fsck.Run(m.t.Context(), m.sweeper.store, fsck.Options{})
	if err != nil {
		m.problem("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		m.problem("fsck: %s", finding)
	}
	client, prefix := store.Client(m.sweeper.store)
	events, err := client.XRange(m.t.Context(), prefix+"{"+m.org+"}:events", "-", "+").Result()
	if err != nil {
		m.problem("events: %v", err)
	}
	m.checkOutcomes(events)
	m.checkState(replayEvents(events))
	m.checkOutbox()
	m.checkShapes(client.HGetAll(m.t.Context(), prefix+"{"+m.org+"}:shapes").Val())
}

// checkOutcomes compares the events with the results of the calls.
func (m *simulation) checkOutcomes(events []goredis.XMessage) {
	times := map[string]int{}
	for _, e := range events {
		times[fmt.Sprint(e.Values["name"])]++
	}
	for name, n := range times {
		if n > 1 {
			m.problem("%s was applied %d times", name, n)
		}
		if m.outcomes[name] == outcomeRefused {
			m.problem("%s was refused and is there", name)
		}
		if m.outcomes[name] == outcomeUnknown {
			m.total.faultsFound.Add(1)
		}
	}
	for name, result := range m.outcomes {
		if result == outcomeAcknowledged && times[name] == 0 {
			m.problem("%s was acknowledged and is lost", name)
		}
	}
}

// state is the expected state.
type state struct {
	parents  map[string]string   // space -> collection
	versions map[string]int64    // of spaces and comments
	pages    map[string][]string // space -> names of pages, sorted
	statuses map[string]api.CommentStatus
}

// replayEvents returns the state after the events.
func replayEvents(events []goredis.XMessage) state {
	s := state{map[string]string{}, map[string]int64{}, map[string][]string{}, map[string]api.CommentStatus{}}
	for _, e := range events {
		field := func(name string) string { text, _ := e.Values[name].(string); return text }
		space, comment := field("space"), field("comment")
		switch field("kind") {
		case "create", "move":
			s.parents[space] = field("parent")
			s.versions[space]++
		case "merge":
			s.pages[space] = append(s.pages[space], "p_"+field("name"))
		case "comment":
			s.statuses[comment], s.versions[comment] = api.CommentOpen, 1
		case "toggle":
			s.versions[comment]++
			if s.statuses[comment] == api.CommentOpen {
				s.statuses[comment] = api.CommentResolved
			} else {
				s.statuses[comment] = api.CommentOpen
			}
		case "remove":
			delete(s.statuses, comment)
			delete(s.versions, comment)
		}
	}
	for _, pages := range s.pages {
		slices.Sort(pages)
	}
	return s
}

// checkState compares the stored data with the expected state.
func (m *simulation) checkState(want state) {
	err := m.sweeper.store.Update(m.t.Context(), store.Organization(m.org), txn.UpdateOptions{DryRun: true}, func(tx *store.Tx) error {
		for id, parent := range want.parents {
			space, err := tx.Space(m.org, id)
			if err != nil {
				return err
			}
			if space.Fields.Parent != parent || space.Version != want.versions[id] {
				m.problem("space %s: version %d below %q, want %d below %q", id, space.Version, space.Fields.Parent,
					want.versions[id], parent)
			}
			if err := m.checkPages(tx, id, want.pages[id]); err != nil {
				return err
			}
		}
		for _, id := range m.comments {
			comment, err := tx.Comment(m.org, id)
			if err != nil {
				return err
			}
			if comment.Version != want.versions[id] || comment.Fields.Status != want.statuses[id] {
				m.problem("comment %s: version %d %s, want %d %s", id, comment.Version, comment.Fields.Status, want.versions[id],
					want.statuses[id])
			}
		}
		return m.checkClaims(tx)
	})
	if err != nil {
		m.problem("read the state: %v", err)
	}
}

// checkPages reads every page of a head with its text.
func (m *simulation) checkPages(tx *store.Tx, space string, want []string) error {
	head, _, err := tx.Head(m.org, space)
	if err != nil || head.Pages == "" && len(want) == 0 {
		return err
	}
	content := m.sweeper.store.Content(space)
	entries, err := content.All(m.t.Context(), head.Pages)
	if err != nil {
		return err
	}
	if got := slices.Sorted(maps.Keys(entries)); !slices.Equal(got, want) {
		m.problem("space %s has pages %v, want %v", space, got, want)
	}
	for id, entry := range entries {
		text, err := content.Object(m.t.Context(), entry.Refs[0])
		if err != nil || "p_"+strings.TrimPrefix(string(text), "text of ") != id {
			m.problem("page %s of %s says %q, %v", id, space, text, err)
		}
	}
	return nil
}

// checkClaims checks that each address is claimed by the user of the acknowledged claim, and that this user exists.
func (m *simulation) checkClaims(tx *store.Tx) error {
	for email, owner := range m.owners {
		claim, ok, err := m.sweeper.store.Claim(tx.Context(), store.EmailKey(email))
		if err != nil {
			return err
		}
		if !ok || claim.Owner != owner {
			m.problem("%s belongs to %q, want %s", email, claim.Owner, owner)
		}
		if user, found := storetest.Record(m.t, m.sweeper.store, store.UserKey(owner)); !found || user.Version != 1 {
			m.problem("the owner %s of %s is not there", owner, email)
		}
	}
	return nil
}

// checkShapes compares the access model of every node with the stored entries.
func (m *simulation) checkShapes(want map[string]string) {
	for _, node := range m.nodes {
		got, err := node.readModel(m.org)
		if err != nil {
			m.problem("node %d: %v", node.name, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			m.problem("node %d has another shape (-want +got):\n%s", node.name, diff)
		}
	}
}
