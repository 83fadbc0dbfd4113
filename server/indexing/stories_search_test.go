package indexing_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// corpus reads a corpus: pages begin with a line "=== Title" and end where the next begins.
func corpus(t *testing.T, name string) (titles, texts []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/search/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		if title, text, ok := strings.Cut(part, "\n"); ok && title != "" {
			titles, texts = append(titles, title), append(texts, text)
		}
	}
	return titles, texts
}

// searchable makes a space of a corpus.
func searchable(w *servertest.World, title, name string) (space string) {
	w.T.Helper()
	space = w.Space(title, "", "")
	r := w.Request("creator", space, "All")
	titles, texts := corpus(w.T, name)
	for from := 0; from < len(titles); from += 50 {
		var changes []api.ContentChange
		for i := from; i < min(from+50, len(titles)); i++ {
			changes = append(changes, servertest.Insert(titles[i], "", texts[i]))
		}
		w.Edit("creator", r, changes...)
	}
	w.Merge("creator", r)
	return space
}

// The queries of the golden set find first what they are meant to find. Each line is a query, a tab and a title.
func TestGoldenQueries(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := searchable(w, "Corpus", "corpus.txt")
		data, err := os.ReadFile("testdata/search/queries.txt")
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for line := range strings.Lines(string(data)) {
			query, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok {
				continue
			}
			count++
			hits := servertest.Found(w, "reader", space, query)
			if len(hits) == 0 || hits[0] != want {
				t.Errorf("%q finds %q, want %q first", query, hits, want)
			}
		}
		if count < 50 {
			t.Errorf("%d queries, want 50", count)
		}
	})
}

// A search sees what the head has: at once, and no more.
func TestSearchFollowsTheHead(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.Space("Moving", "", "")
		expect := func(query string, want ...string) {
			t.Helper()
			if got := servertest.Found(w, "reader", space, query); strings.Join(got, ",") != strings.Join(want, ",") {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		expect("walrus")
		first := w.Request("creator", space, "First")
		made := w.Edit("creator", first, servertest.Insert("Animals", "", "# Animals\n\n## Tusks\n\nThe walrus has them.\n"), servertest.Insert("Plants", "", "Moss.\n"))
		page := made.Changes[0].Page.ID
		expect("walrus")
		w.Merge("creator", first)
		expect("walrus", "Animals")
		expect("moss", "Plants")
		expect("moss walrus")
		hit := servertest.Do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "walr"}).Items[0]
		if len(hit.Sections) != 1 || hit.Sections[0].ID != "tusks" || hit.Sections[0].Body != "The walrus has them." || hit.Sections[0].Path != "animals#tusks" {
			t.Errorf("sections %+v", hit.Sections)
		}
		second := w.Request("creator", space, "Second")
		w.Edit("creator", second, servertest.Update(page, "# Animals\n\nThe narwhal has one.\n"), api.ContentChange{Operation: api.UpdatePage, Page: page, Title: api.Some("Beasts")})
		w.Merge("creator", second)
		expect("walrus")
		expect("narwhal", "Beasts")
		expect("beast", "Beasts")
		third := w.Request("creator", space, "Third")
		w.Edit("creator", third, api.ContentChange{Operation: api.UpdatePage, Page: page, NoIndex: api.Some(true)})
		w.Merge("creator", third)
		expect("narwhal")
		fourth := w.Request("creator", space, "Fourth")
		w.Edit("creator", fourth, api.ContentChange{Operation: api.DeletePage, Page: made.Changes[1].Page.ID})
		w.Merge("creator", fourth)
		expect("moss")
	})
}

// A search of the organization shows nothing of spaces that the caller may not read.
func TestOrganizationSearch(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		open, secret := searchable(w, "Open", "corpus.txt"), searchable(w, "Secret", "corpus.txt")
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: secret, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		search := func(as, query string) api.Page[api.SpaceHit] {
			t.Helper()
			return servertest.Do(w, as, api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: query})
		}
		for who, want := range map[string]int{"admin": 2, "reader": 1, "guest": 0} {
			got := search(who, "backup")
			if got.Count != want || len(got.Items) != want {
				t.Errorf("the %s finds %d spaces and counts %d, want %d", who, len(got.Items), got.Count, want)
			}
			if want == 1 && (got.Items[0].ID != open || got.Items[0].Title != "Open" || len(got.Items[0].Pages) == 0) {
				t.Errorf("the %s finds %+v", who, got.Items)
			}
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: open})
		if got := search("reader", "backup"); got.Count != 0 {
			t.Errorf("a deleted space is found: %+v", got)
		}
	})
}

// A walk over the hits sees each of them once, in pages of any size.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.Space("Many", "", "")
		r := w.Request("creator", space, "All")
		var changes []api.ContentChange
		for i := range 30 {
			changes = append(changes, servertest.Insert(fmt.Sprintf("Page %d", i), "", strings.Repeat("walrus ", 1+i%7)))
		}
		w.Edit("creator", r, changes...)
		w.Merge("creator", r)
		path := "/v1/spaces/" + space + "/search?query=" + url.QueryEscape("walrus")
		seen := map[string]bool{}
		walked := servertest.WalkOf(w, path, func() {
			more := w.Request("creator", space, "More")
			w.Edit("creator", more, servertest.Insert("Other", "", "walrus walrus walrus"))
			w.Merge("creator", more)
		})
		for _, id := range walked {
			if seen[id] {
				t.Errorf("%s was seen twice", id)
			}
			seen[id] = true
		}
		for _, hit := range servertest.Do(w, "admin", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "walrus page"}).Items {
			if !seen[hit.ID] {
				t.Errorf("%s was not seen", hit.Title)
			}
		}
		w.Call("admin", http.MethodGet, "/v1/spaces/"+space+"/search", nil, http.StatusBadRequest)
		w.Call("admin", http.MethodGet, "/v1/spaces/"+space+"/search?query=", nil, http.StatusBadRequest)
		w.Call("admin", http.MethodGet, "/v1/spaces/"+space+"/search?query="+strings.Repeat("x", 513), nil, http.StatusBadRequest)
		w.Call("admin", http.MethodGet, "/v1/spaces/"+space+"/search?query=%21%3F", nil, http.StatusOK)
	})
}
