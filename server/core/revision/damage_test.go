package revision

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// newDamagedCache returns a cache with the given changes of ranges. The revision id is missing from the store or, if lost is
// set, was declared lost in a repair.
func newDamagedCache(t *testing.T, id string, lost bool, changes map[Range]map[string]ChangedItem) *DiffCache {
	t.Helper()
	s := storetest.Open(t)
	if lost {
		err := s.ReplaceLost(t.Context(), "s_1", map[string]objects.Placeholder{ObjectHash(id): {}})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := New(s, storetest.Budget).Compare("s_1")
	maps.Copy(c.changes, changes)
	return c
}

// TestUnseenChangesOfUnreadableRevision checks that all proposed items are unseen if the reviewed revision was declared lost in
// a repair, even if the changes covered by the review are known. A revision that is only missing is an error: damage that can
// be repaired does not clear a review.
func TestUnseenChangesOfUnreadableRevision(t *testing.T) {
	t.Parallel()
	id := RevisionPrefix + objects.Hash([]byte("reviewed"))
	seen, now := Range{Base: "base", Revision: id}, Range{Base: "base", Revision: "now"}
	proposed := map[string]ChangedItem{
		"p_1": {ID: "p_1", Title: "A", Reason: api.UnseenText}, "p_2": {ID: "p_2", Title: "B", Reason: api.UnseenCreated},
	}
	for name, changes := range map[string]map[Range]map[string]ChangedItem{
		"reviewed changes unknown": {now: proposed},
		"reviewed changes known":   {now: proposed, seen: proposed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newDamagedCache(t, id, true, changes)
			c.loaded["base"], c.loaded["now"] = Revision{}, Revision{}
			unseen, err := c.UnseenChanges(t.Context(), seen, now)
			if want := []ChangedItem{proposed["p_1"], proposed["p_2"]}; err != nil || !slices.Equal(unseen, want) {
				t.Errorf("%v are unseen, want %v; %v", unseen, want, err)
			}
			c = newDamagedCache(t, id, false, changes)
			c.loaded["base"], c.loaded["now"] = Revision{}, Revision{}
			if unseen, err := c.UnseenChanges(t.Context(), seen, now); !errors.Is(err, objects.ErrMissing) || unseen != nil {
				t.Errorf("missing: %v are unseen, %v", unseen, err)
			}
		})
	}
}

// TestUnseenChangesOfLostProposal checks that a proposed revision that was declared lost is an error rather than a proposal
// without changes.
func TestUnseenChangesOfLostProposal(t *testing.T) {
	t.Parallel()
	id := RevisionPrefix + objects.Hash([]byte("proposed"))
	seen, now := Range{Base: "base", Revision: "seen"}, Range{Base: "base", Revision: id}
	c := newDamagedCache(t, id, true, map[Range]map[string]ChangedItem{seen: {}})
	c.loaded["base"], c.loaded["seen"] = Revision{}, Revision{}
	if unseen, err := c.UnseenChanges(t.Context(), seen, now); !objects.IsLost(err) || unseen != nil {
		t.Errorf("%v are unseen, %v", unseen, err)
	}
}
