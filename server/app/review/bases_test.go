package review

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// chain stores n revisions, each with the one before as its first parent, and returns their ids, the oldest first.
func chain(t *testing.T, s *store.Store, space, name string, parent revision.HistoricalRevision, n int) []revision.HistoricalRevision {
	t.Helper()
	all := make([]revision.HistoricalRevision, n)
	var staged []objects.Object
	for i := range all {
		r := revision.Revision{Type: api.RevisionEdits, Author: name, Number: parent.Number + 1}
		if parent.ID != "" {
			r.Parents = []string{parent.ID}
		}
		o, err := r.Object()
		if err != nil {
			t.Fatal(err)
		}
		staged = append(staged, o)
		all[i] = revision.HistoricalRevision{ID: revision.RevisionPrefix + o.Hash, Revision: r}
		parent = all[i]
	}
	if err := s.PutObjects(t.Context(), space, staged); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAncestorsAreSearchedWithinLimits checks that the search for the base of a change request ends after maxBaseDistance
// revisions of the space, and after as many of merged change requests.
func TestAncestorsAreSearchedWithinLimits(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	e := storetest.NewFixture(t, s)
	service := &Service{Store: s, Revisions: revision.New(s, storetest.Budget)}
	main := chain(t, s, e.Space, "main", revision.HistoricalRevision{}, maxBaseDistance+1)
	branch := chain(t, s, e.Space, "branch", main[len(main)-1], maxBaseDistance+1)
	merge := revision.Revision{
		Type: api.RevisionMerge, Parents: []string{main[len(main)-1].ID, branch[len(branch)-1].ID}, Number: len(main) + 1,
	}
	o, err := merge.Object()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutObjects(t.Context(), e.Space, []objects.Object{o}); err != nil {
		t.Fatal(err)
	}
	head := revision.RevisionPrefix + o.Hash
	stray := chain(t, s, e.Space, "stray", main[0], 1)[0]
	for name, check := range map[string]struct {
		wanted revision.HistoricalRevision
		head   string
		want   string
	}{
		"head":                      {revision.HistoricalRevision{ID: head, Revision: merge}, head, ""},
		"last within the limit":     {main[2], head, ""},
		"behind the limit":          {main[1], head, "is not among the newest 1000 revisions"},
		"merged, last":              {branch[len(branch)-1], head, ""},
		"merged, within the limit":  {branch[1], head, ""},
		"merged, behind the limit":  {branch[0], head, "is not among the newest 1000 revisions"},
		"of an unmerged request":    {stray, main[10].ID, "is not in the history of the space"},
		"newer than the head":       {main[11], main[10].ID, "is not in the history of the space"},
		"first of a short history":  {main[0], main[10].ID, ""},
		"of a request, short space": {branch[5], main[10].ID, "is not in the history of the space"},
	} {
		reason, err := service.notAncestorReason(t.Context(), s.Content(e.Space), check.head, check.wanted)
		if err != nil || !strings.HasPrefix(reason, check.want) || (reason == "") != (check.want == "") {
			t.Errorf("%s: %q, %v", name, reason, err)
		}
	}
}
