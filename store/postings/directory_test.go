package postings_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestDirectoryListsAnnouncedSpaces checks that the directory lists all spaces that announced a word, including concurrent
// ones, and none that has left. Each write has a mark of its own.
func TestDirectoryListsAnnouncedSpaces(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		const org, version = "o_1", "4"
		index := s.Search
		storetest.WantError(t, index.AddToDirectory(t.Context(), org, "s_1", version, []string{"early"}, []string{"early"}), redis.ErrStale)
		if err := index.BeginDirectory(t.Context(), org, postings.State{}, postings.State{
			Version: version, Organization: org, Root: "r",
		}); err != nil {
			t.Fatal(err)
		}
		storetest.WantError(t, index.BeginDirectory(t.Context(), org, postings.State{}, postings.State{
			Version: version, Organization: org, Root: "q",
		}), redis.ErrStale)
		want, marks, r := map[string]map[string]bool{}, map[string]bool{}, rand.New(rand.NewPCG(1, 1))
		for range 60 {
			space := fmt.Sprintf("s_%d", r.IntN(12))
			if r.IntN(6) == 0 {
				if err := index.RemoveFromDirectory(t.Context(), org, space); err != nil {
					t.Fatal(err)
				}
				for _, spaces := range want {
					delete(spaces, space)
				}
			} else {
				word := fmt.Sprintf("word%d", r.IntN(5))
				if err := index.AddToDirectory(t.Context(), org, space, version, []string{word}, []string{word}); err != nil {
					t.Fatal(err)
				}
				if want[word] == nil {
					want[word] = map[string]bool{}
				}
				want[word][space] = true
			}
			b := s.NewBatch()
			state, reply := postings.ReadState(b, org), postings.ReadView(b, org)
			if err := b.Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			marks[state.Value().Mark] = true
			view, err := reply.Get()
			if err != nil {
				t.Fatal(err)
			}
			found := spacesByWord(t, s, view, slices.Collect(maps.Keys(want)))
			for word, spaces := range want {
				if got := found[word]; !maps.Equal(got, spaces) {
					t.Fatalf("%s leads to %v, want %v", word, got, spaces)
				}
			}
		}
		if len(marks) < 50 {
			t.Errorf("%d marks of 60 writes", len(marks))
		}
	})
}

// spacesByWord returns the spaces that a directory lists for words.
func spacesByWord(t *testing.T, s *store.Store, view *postings.View, words []string) map[string]map[string]bool {
	t.Helper()
	b := s.NewBatch()
	pages, terms := view.Pages(b), view.Terms(b, words)
	storetest.Do(t, b)
	rows, err := pages.Get()
	if err != nil {
		t.Fatal(err)
	}
	found, err := terms.Get()
	if err != nil {
		t.Fatal(err)
	}
	spaces := map[string]map[string]bool{}
	for _, word := range words {
		spaces[word] = map[string]bool{}
		for _, p := range found[word] {
			spaces[word][rows[p.Page].ID] = true
		}
	}
	return spaces
}
