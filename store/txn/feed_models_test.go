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

// glance reads the entry s_1 of an organization.
func glance(t *testing.T, s *store.Store, org string) string {
	t.Helper()
	batch := s.Pipeline()
	shape := batch.Follow(org)
	storetest.Do(t, batch)
	var entry string
	shape.View(func(m txn.Model) { entry = m.(*plain).entries["s_1"] })
	return entry
}

// However many organizations there are, their models stay within the budget; what was dropped is read again.
func TestModelsWithinTheirBudget(t *testing.T) {
	t.Parallel()
	const organizations, budget = 60, 100 << 10
	s := storetest.Open(t, func(c *store.Config) { c.Model, c.ModelBytes = newPlain, budget })
	for i := range organizations {
		tell(t, s, fmt.Sprint("o_", i), "s_1", strings.Repeat("a", 5000)+strconv.Itoa(i))
	}
	for range 2 {
		for i := range organizations {
			if got := glance(t, s, fmt.Sprint("o_", i)); !strings.HasSuffix(got, "a"+strconv.Itoa(i)) {
				t.Errorf("organization %d has an entry of %d bytes", i, len(got))
			}
		}
	}
	if n, bytes := s.ModelsKept(); bytes > budget || n < 5 {
		t.Errorf("%d models of %d bytes are kept, at most %d may be", n, bytes, budget)
	}
	tell(t, s, "o_1", "s_1", strings.Repeat("b", 2*budget))
	for range 2 { // it is alone then, and stays
		if got := glance(t, s, "o_1"); len(got) != 2*budget {
			t.Errorf("an entry of %d bytes", len(got))
		}
	}
	if n, _ := s.ModelsKept(); n != 1 {
		t.Errorf("%d models are kept beside one that is larger than the budget", n)
	}
	tell(t, s, "o_1", "s_1", "")
	glance(t, s, "o_1")
	if n, bytes := s.ModelsKept(); bytes > budget {
		t.Errorf("%d models of %d bytes after it got small", n, bytes)
	}
}

// Neither an organization that does not exist nor a caller who was refused leaves a model behind.
func TestNoModelWithoutNeed(t *testing.T) {
	t.Parallel()
	made := 0
	s := storetest.Open(t, func(c *store.Config) {
		c.Model = func(org string) txn.Model { made++; return newPlain(org) }
	})
	tell(t, s, "o_1", "s_1", "a")
	for i := range 100 {
		batch := s.Pipeline()
		batch.Follow(fmt.Sprint("o_none", i))
		shape := batch.News("o_1")
		storetest.Do(t, batch)
		if i == 50 {
			if err := shape.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := s.ModelsKept(); n > i/50 || made > i/50 {
			t.Fatalf("request %d: %d models are kept, %d were made", i, n, made)
		}
	}
	if n, _ := s.ModelsKept(); n != 1 {
		t.Errorf("%d models are kept of the one organization that was asked for in earnest", n)
	}
}

// Models are dropped and read again while they are used and while their organizations change: what a reader sees is
// never older than what was committed before it looked.
func TestDroppedModelsAreNeverStale(t *testing.T) {
	t.Parallel()
	const organizations, rounds = 4, 40
	s := storetest.Open(t, func(c *store.Config) { c.Model, c.ModelBytes = newPlain, 10<<10 }) // two of them fit
	var committed [organizations]atomic.Int64
	org := func(i int) string { return fmt.Sprint("o_", i) }
	for i := range organizations {
		tell(t, s, org(i), "s_1", "0")
	}
	var work sync.WaitGroup
	for i := range organizations {
		work.Go(func() {
			for n := range int64(rounds) {
				tell(t, s, org(i), "s_1", strconv.FormatInt(n, 10))
				committed[i].Store(n)
			}
		})
		work.Go(func() {
			for n := range rounds * 4 {
				at := (i + n) % organizations
				least := committed[at].Load()
				if got, err := strconv.ParseInt(glance(t, s, org(at)), 10, 64); err != nil || got < least {
					t.Errorf("organization %d shows %d after %d was committed: %v", at, got, least, err)
				}
			}
		})
	}
	work.Wait()
}
