package revision

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestLookupErrorOfUnreadableRevision checks that a revision that cannot be read is an error of the content if it belongs to
// the history of the space or was declared lost, and does not exist otherwise.
func TestLookupErrorOfUnreadableRevision(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	e := storetest.NewFixture(t, s)
	rs := New(s, storetest.Budget)
	head, err := rs.ReadHead(t.Context(), e.Org, Target{Space: e.Space})
	if err != nil {
		t.Fatal(err)
	}
	other := objects.Hash([]byte("other"))
	missing := objects.NewUnreadable(e.Space, other, nil, false)
	damaged := objects.NewUnreadable(e.Space, other, []byte("\x00bx"), true)
	lost := objects.NewUnreadable(e.Space, other, objects.Placeholder{}.Bytes(), true)
	for name, check := range map[string]struct {
		id     string
		cause  error
		exists bool
	}{
		"head is missing":               {head.Revision, missing, true},
		"head is damaged":               {head.Revision, damaged, true},
		"unknown revision":              {other, missing, false},
		"damaged object":                {other, damaged, false},
		"lost revision":                 {other, lost, true},
		"object that is not a revision": {other, redis.Corrupt("no revision"), false},
		"unrelated error":               {other, redis.ErrUnavailable, true},
	} {
		got := rs.lookupError(t.Context(), e.Org, e.Space, check.id, check.cause)
		if check.exists && !errors.Is(got, check.cause) {
			t.Errorf("%s: %v, want %v", name, got, check.cause)
		}
		if wrong, ok := api.AsError(got); !check.exists && (!ok || wrong.Reason != api.ReasonNotFound) {
			t.Errorf("%s: %v, want an error of reason %s", name, got, api.ReasonNotFound)
		}
	}
}

// TestLookupErrorWithLostHistory checks that a revision that cannot be read is an error of its content, whatever the state of
// the history that might contain it.
func TestLookupErrorWithLostHistory(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	e := storetest.NewFixture(t, s)
	rs := New(s, storetest.Budget)
	head, err := rs.ReadHead(t.Context(), e.Org, Target{Space: e.Space})
	if err != nil {
		t.Fatal(err)
	}
	hash := ObjectHash(head.Revision)
	first, _ := objects.FirstByte(hash)
	if err := s.Client.HDel(t.Context(), s.Name(txn.ObjectKey(e.Space, first)), hash).Err(); err != nil {
		t.Fatal(err)
	}
	s.ForgetContent(e.Space)
	if err := s.ReplaceLost(t.Context(), e.Space, map[string]objects.Placeholder{hash: {}}); err != nil {
		t.Fatal(err)
	}
	earlier := objects.Hash([]byte("earlier"))
	missing := objects.NewUnreadable(e.Space, earlier, nil, false)
	if got := rs.lookupError(t.Context(), e.Org, e.Space, earlier, missing); !errors.Is(got, missing) || objects.IsLost(got) {
		t.Errorf("%v, want %v", got, missing)
	}
}

// TestHistoryContinuesAfterLostRevision checks that the history continues after a lost revision if its replacement is known,
// and is an error otherwise.
func TestHistoryContinuesAfterLostRevision(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	e := storetest.NewFixture(t, s)
	rs, content := New(s, storetest.Budget), s.Content(e.Space)
	head, err := rs.ReadHead(t.Context(), e.Org, Target{Space: e.Space})
	if err != nil {
		t.Fatal(err)
	}
	note := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, check := range map[string]struct {
		note []byte
		want []string // ids after the lost one
	}{
		"note with a replacement":    {note(LostNote{Revision: &Revision{Parents: []string{head.Revision}}}), []string{head.Revision}},
		"note without a replacement": {note(LostNote{}), nil},
		"no note":                    {nil, nil},
		"damaged note":               {[]byte(`{"revision":{"parents":["` + head.Revision + `"],"author":5}}`), nil},
	} {
		id := RevisionPrefix + objects.Hash([]byte(name))
		if err := s.ReplaceLost(t.Context(), e.Space, map[string]objects.Placeholder{ObjectHash(id): {Note: check.note}}); err != nil {
			t.Fatal(err)
		}
		var visited []string
		err := rs.VisitHistory(t.Context(), content, id, func(r HistoricalRevision) (bool, error) {
			if r.Lost != (r.ID == id) {
				t.Errorf("%s: %s is lost: %t", name, r.ID, r.Lost)
			}
			visited = append(visited, r.ID)
			return true, nil
		})
		if check.want == nil && (!objects.IsLost(err) || visited != nil) {
			t.Errorf("%s: visited %v, %v", name, visited, err)
		}
		if check.want != nil && (err != nil || !slices.Equal(visited, append([]string{id}, check.want...))) {
			t.Errorf("%s: visited %v, %v", name, visited, err)
		}
	}
}
