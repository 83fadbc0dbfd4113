package demo_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/texttest"
)

// checkDocuments validates the documents in a response against the schema and returns their number.
func (s sample) checkDocuments(path string) (count int) {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+s.Token)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	for _, misfit := range texttest.Violations(w.Body.Bytes()) {
		s.t.Errorf("%s: a document that does not fit: %s", path, misfit)
	}
	return texttest.Count(w.Body.Bytes())
}

// checkContent validates all texts of a space or change request as documents.
func (s sample) checkContent(content string) (count int) {
	s.t.Helper()
	var walk func(pages []api.RevisionPage)
	walk = func(pages []api.RevisionPage) {
		for _, p := range pages {
			if p.Type == api.PageDocument {
				count += s.checkDocuments(content + "/page/" + p.ID + "?format=document")
			}
			walk(p.Pages)
		}
	}
	walk(get[api.Revision](s, content, s.Token).Pages)
	return count
}

// TestDemoDocumentsMatchSchema validates all documents of the demo: of pages, change requests, comments and
// descriptions.
func TestDemoDocumentsMatchSchema(t *testing.T) {
	t.Parallel()
	s := load(t)
	count := map[string]int{}
	for _, space := range get[api.Page[api.Space]](s, "/v1/orgs/"+s.Organization+"/spaces", s.Token).Items {
		at := "/v1/spaces/" + space.ID
		count["pages"] += s.checkContent(at + "/content")
		count["comments"] += s.checkDocuments(at + "/comments?format=document")
		for _, r := range get[api.Page[api.ChangeRequest]](s, at+"/change-requests?limit=1000", s.Token).Items {
			of := fmt.Sprintf("%s/change-requests/%d", at, r.Number)
			count["descriptions"] += s.checkDocuments(of)
			count["pages of change requests"] += s.checkContent(of + "/content")
			count["comments"] += s.checkDocuments(of + "/comments?format=document")
			count["reviews"] += s.checkDocuments(of + "/reviews?format=document")
		}
	}
	t.Logf("documents: %v", count)
	for _, of := range []string{"pages", "pages of change requests", "comments", "descriptions"} {
		if count[of] == 0 {
			t.Errorf("there are no documents of %s", of)
		}
	}
}
