package txn_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// readEntry reads the entry s_1 of an organization.
func readEntry(t *testing.T, s *store.Store, org string) string {
	t.Helper()
	batch := s.NewBatch()
	shape := batch.Follow(org)
	storetest.Do(t, batch)
	var entry string
	shape.View(func(m txn.Model) { entry = m.(*mapModel).entries["s_1"] })
	return entry
}

// TestModelCacheStaysWithinBudget checks that the models of any number of organizations stay within the budget; dropped models
// are loaded again.
func TestModelCacheStaysWithinBudget(t *testing.T) {
	t.Parallel()
	const organizations, budget = 60, 100 << 10
	s := storetest.Open(t, func(c *store.Config) { c.Model, c.ModelBytes = newMapModel, budget })
	for i := range organizations {
		writeEntries(t, s, fmt.Sprint("o_", i), "s_1", strings.Repeat("a", 5000)+strconv.Itoa(i))
	}
	for range 2 {
		for i := range organizations {
			if got := readEntry(t, s, fmt.Sprint("o_", i)); !strings.HasSuffix(got, "a"+strconv.Itoa(i)) {
				t.Errorf("organization %d has an entry of %d bytes", i, len(got))
			}
		}
	}
	if n, bytes := s.ModelStats(); bytes > budget || n < 5 {
		t.Errorf("%d models of %d bytes are cached, want at most %d", n, bytes, budget)
	}
	writeEntries(t, s, "o_1", "s_1", strings.Repeat("b", 2*budget))
	for range 2 { // the only model stays cached
		if got := readEntry(t, s, "o_1"); len(got) != 2*budget {
			t.Errorf("an entry of %d bytes", len(got))
		}
	}
	if n, _ := s.ModelStats(); n != 1 {
		t.Errorf("%d models are cached with one larger than the budget", n)
	}
	writeEntries(t, s, "o_1", "s_1", "")
	readEntry(t, s, "o_1")
	if n, bytes := s.ModelStats(); bytes > budget {
		t.Errorf("%d models of %d bytes after it got small", n, bytes)
	}
}

// TestModelCacheIgnoresMissingOrganizations checks that organizations that do not exist and refused callers do not cause a
// model to be cached.
func TestModelCacheIgnoresMissingOrganizations(t *testing.T) {
	t.Parallel()
	loads := 0
	s := storetest.Open(t, func(c *store.Config) {
		c.Model = func(org string) txn.Model { loads++; return newMapModel(org) }
	})
	writeEntries(t, s, "o_1", "s_1", "a")
	for i := range 100 {
		batch := s.NewBatch()
		batch.Follow(fmt.Sprint("o_none", i))
		shape := batch.FollowDeferred("o_1")
		storetest.Do(t, batch)
		if i == 50 {
			if err := shape.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := s.ModelStats(); n > i/50 || loads > i/50 {
			t.Fatalf("request %d: %d models are cached, %d were loaded", i, n, loads)
		}
	}
	if n, _ := s.ModelStats(); n != 1 {
		t.Errorf("%d models are cached, want 1", n)
	}
}

// TestReloadedModelIsNeverStale drops and loads models while they are read and their organizations change. A reader never gets
// a state older than the last commit before its read.
func TestReloadedModelIsNeverStale(t *testing.T) {
	t.Parallel()
	const organizations, rounds = 4, 40
	s := storetest.Open(t, func(c *store.Config) { c.Model, c.ModelBytes = newMapModel, 10<<10 }) // fits two models
	var committed [organizations]atomic.Int64
	org := func(i int) string { return fmt.Sprint("o_", i) }
	for i := range organizations {
		writeEntries(t, s, org(i), "s_1", "0")
	}
	var work sync.WaitGroup
	for i := range organizations {
		work.Go(func() {
			for n := range int64(rounds) {
				writeEntries(t, s, org(i), "s_1", strconv.FormatInt(n, 10))
				committed[i].Store(n)
			}
		})
		work.Go(func() {
			for n := range rounds * 4 {
				at := (i + n) % organizations
				least := committed[at].Load()
				if got, err := strconv.ParseInt(readEntry(t, s, org(at)), 10, 64); err != nil || got < least {
					t.Errorf("organization %d shows %d after %d was committed: %v", at, got, least, err)
				}
			}
		})
	}
	work.Wait()
}
