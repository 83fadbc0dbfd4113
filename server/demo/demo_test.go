package demo_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/demo"
	"docspace.dev/wsd/store"
)

// sample is a handler with the loaded demo, and the test that checks it.
type sample struct {
	t       *testing.T
	handler http.Handler
	demo.Result
}

func load(t *testing.T) sample {
	t.Helper()
	clock := &demo.Clock{}
	s, err := store.Open(t.Context(), store.Config{Memory: true, Clock: clock.Now, Model: access.NewModel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	made, err := server.New(server.Options{
		Store: s, Secret: bytes.Repeat([]byte("s"), 32), Key: bytes.Repeat([]byte("k"), 32), Clock: clock.Now,
		Log: slog.New(slog.DiscardHandler), PublicURL: "http://127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := demo.Load(t.Context(), s, made.Handler(), clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.RunDueJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sample{t, made.Handler(), loaded}
}

// get requests a path as the admin, or with the given token.
func get[Out any](s sample, path, token string) (out Out) {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		s.t.Fatalf("%s: %d %s %v", path, w.Code, w.Body, err)
	}
	return out
}

// TestDemoIsComplete checks that the demo contains every kind of object that a user may want to see, with a plausible
// history.
func TestDemoIsComplete(t *testing.T) {
	t.Parallel()
	s := load(t)
	orgs := "/v1/orgs/" + s.Organization
	if n := len(get[api.Page[api.Member]](s, orgs+"/members", s.Token).Items); n != 8 {
		t.Errorf("%d people", n)
	}
	spaces := get[api.Page[api.Space]](s, orgs+"/spaces", s.Token).Items
	if len(spaces) != 6 {
		t.Errorf("%d spaces", len(spaces))
	}
	states := map[api.ChangeRequestStatus]int{}
	oldest, newest := time.Now(), time.Time{}
	for _, space := range spaces {
		for _, status := range api.ChangeRequestStatus("").Values() {
			for _, r := range get[api.Page[api.ChangeRequest]](s, "/v1/spaces/"+space.ID+"/change-requests?status="+string(status),
				s.Token).Items {
				states[status]++
				for _, at := range []time.Time{r.CreatedAt.Time, r.UpdatedAt.Time} {
					oldest, newest = earlier(oldest, at), earlier(at, newest)
				}
			}
		}
	}
	for _, status := range api.ChangeRequestStatus("").Values() {
		if states[status] == 0 {
			t.Errorf("no change request is %s", status)
		}
	}
	if age := time.Since(oldest); age < 20*24*time.Hour || age > 22*24*time.Hour {
		t.Errorf("the oldest change request is %s old", age)
	}
	if age := time.Since(newest); age < 10*time.Minute {
		t.Errorf("the newest change is %s old", age)
	}
	s.checkReviewRequests(orgs)
	s.checkConflicts(spaces)
	s.checkSuggestions(spaces)
	s.checkSite(orgs, spaces)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// checkReviewRequests checks that the reviewer has requests to review.
func (s sample) checkReviewRequests(orgs string) {
	s.t.Helper()
	me := get[api.User](s, "/v1/user", s.ReviewerToken)
	asked := get[api.Page[api.ChangeRequest]](s, orgs+"/change-requests?requestedReviewer="+me.ID, s.ReviewerToken).Items
	if len(asked) != 4 { // the number in the last lines of wsd demo
		s.t.Errorf("%d requests ask the reviewer", len(asked))
	}
	for _, r := range asked {
		if r.DescriptionMarkdown == "" {
			s.t.Errorf("%q does not say what it is for", r.Subject)
		}
	}
}

// checkSuggestions checks that the admin can apply another user's suggestion to a change request of their own.
func (s sample) checkSuggestions(spaces []api.Space) {
	s.t.Helper()
	me := get[api.User](s, "/v1/user", s.Token)
	for _, space := range spaces {
		for _, r := range get[api.Page[api.ChangeRequest]](s, "/v1/spaces/"+space.ID+"/change-requests", s.Token).Items {
			at := "/v1/spaces/" + space.ID + "/change-requests/" + r.ID
			for _, c := range get[api.Page[api.Comment]](s, at+"/comments", s.Token).Items {
				if c.Suggestion == nil || c.Status != api.CommentOpen || r.CreatedBy.ID != me.ID || c.PostedBy.ID == me.ID {
					continue
				}
				if c.Suggestion.Original != "5 years" || c.Target.Anchor == nil || c.Target.Anchor.State != api.AnchorExact {
					s.t.Errorf("%+v is about %+v", c.Suggestion, c.Target.Anchor)
				}
				return
			}
		}
	}
	s.t.Error("nobody suggests anything to the admin")
}

// checkConflicts checks that there is a conflict of every kind.
func (s sample) checkConflicts(spaces []api.Space) {
	s.t.Helper()
	kinds := map[string]bool{}
	for _, space := range spaces {
		for _, r := range get[api.Page[api.ChangeRequest]](s, "/v1/spaces/"+space.ID+"/change-requests", s.Token).Items {
			for _, c := range get[api.ConflictList](s, "/v1/spaces/"+space.ID+"/change-requests/"+r.ID+"/conflicts", s.Token).Conflicts {
				kinds[c.Kind] = true
			}
		}
	}
	var all []string
	for kind := range kinds {
		all = append(all, kind)
	}
	slices.Sort(all)
	want := []string{"attribute", "cycle", "deleted", "file", "inserted", "moved", "order", "reusable-content", "slug", "text", "variable"}
	if diff := cmp.Diff(want, all); diff != "" {
		s.t.Errorf("kinds of conflicts, -want +got\n%s", diff)
	}
}

// checkSite checks that a site shows spaces with valid links, including an API.
func (s sample) checkSite(orgs string, spaces []api.Space) {
	s.t.Helper()
	sites := get[api.Page[api.Site]](s, orgs+"/sites", s.Token).Items
	if len(sites) != 1 || !sites[0].Published || sites[0].Hostname == "" {
		s.t.Errorf("sites: %+v", sites)
	}
	for _, space := range spaces {
		for _, link := range get[api.LinkList](s, "/v1/spaces/"+space.ID+"/links?status=broken", s.Token).Items {
			s.t.Errorf("%s: a link is broken: %+v", space.Title, link)
		}
	}
	computed := 0
	for _, page := range get[api.PageTree](s, "/v1/spaces/"+spaces[3].ID+"/content/pages", s.Token).Pages {
		if page.Type == api.PageComputed {
			computed += len(page.Pages)
		}
	}
	if computed == 0 {
		s.t.Error("no page is made of the specification")
	}
}
