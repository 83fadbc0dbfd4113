package access

import (
	"fmt"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/names"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// TestTitles checks that resources are found by their present titles: renamed, moved and removed ones, members and former members,
// and that entries without a title are listed.
func TestTitles(t *testing.T) {
	t.Parallel()
	const space, user, team = txn.SpacePrefix + "x", txn.UserPrefix + "x", store.TeamPrefix + "x"
	m := newTestModel(t, map[string]string{space: ""})
	if got := m.UntitledIDs(); !slices.Equal(got, []string{space}) {
		t.Errorf("without a title: %v", got)
	}
	titled := func(title, order string) []byte { return storedJSON(t, store.Entry{Order: order, Title: &title}) }
	want := func(step, prefix, title string, ids ...string) {
		t.Helper()
		if got := m.ByTitle(prefix, names.Fold(title)); !slices.Equal(got, ids) {
			t.Errorf("%s: %q finds %v, want %v", step, title, got, ids)
		}
	}
	m.Apply(space, titled("Hand Book", "a0"))
	want("titled", txn.SpacePrefix, "hand-book", space)
	want("another kind", txn.CollectionPrefix, "hand-book")
	m.Apply(space, titled("Hand Book", "a1"))
	want("moved", txn.SpacePrefix, "HAND BOOK", space)
	m.Apply(space, titled("Manual", "a1"))
	want("renamed", txn.SpacePrefix, "hand-book")
	want("renamed", txn.SpacePrefix, "manual", space)
	if got := m.UntitledIDs(); len(got) != 0 {
		t.Errorf("without a title: %v", got)
	}
	m.Apply(space, nil)
	want("removed", txn.SpacePrefix, "manual")

	person := store.Person{User: api.UserFields{ID: user, DisplayName: "Piet Maas"}, Member: &store.Membership{}}
	m.Apply(user, storedJSON(t, person))
	m.Apply(team, storedJSON(t, api.TeamFields{Title: "Hardware"}))
	want("member", txn.UserPrefix, "piet maas", user)
	want("team", store.TeamPrefix, "hardware", team)
	person.Member = nil
	m.Apply(user, storedJSON(t, person))
	m.Apply(team, nil)
	want("former member", txn.UserPrefix, "piet maas")
	want("deleted team", store.TeamPrefix, "hardware")
	m.Reset()
	want("reset", txn.SpacePrefix, "manual")
}

// BenchmarkByTitle looks up one space among 1,000 and among 100,000.
func BenchmarkByTitle(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := &Model{}
			m.Reset()
			for i := range n {
				title := fmt.Sprintf("Space %d", i)
				m.titles.set(fmt.Sprintf("%s%06d", txn.SpacePrefix, i), &title)
			}
			for b.Loop() {
				if len(m.ByTitle(txn.SpacePrefix, "space-7")) != 1 {
					b.Fatal("not found")
				}
			}
		})
	}
}
