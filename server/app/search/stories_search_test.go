package search_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// readCorpus reads the corpus of the golden queries. A page begins with a line "=== Title" and ends where the next one
// begins.
func readCorpus(t *testing.T) (titles, texts []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/search/corpus.txt")
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

// newSearchableSpace creates a space with the pages of the corpus.
func newSearchableSpace(w *servertest.World, title string) (space string) {
	w.T.Helper()
	space = w.CreateSpace(title, "", "")
	r := w.CreateRequest("creator", space, "All")
	titles, texts := readCorpus(w.T)
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

// TestGoldenQueries checks that each query of the golden set finds the expected page first. A line has a query, a
// tab, and a title.
func TestGoldenQueries(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := newSearchableSpace(w, "Corpus")
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
			hits := servertest.SearchTitles(w, "reader", space, query)
			if len(hits) == 0 || hits[0] != want {
				t.Errorf("%q finds %q, want %q first", query, hits, want)
			}
		}
		if count < 50 {
			t.Errorf("%d queries, want 50", count)
		}
	})
}

// TestSearchFollowsHead checks that a search finds exactly the content of the head, without delay.
func TestSearchFollowsHead(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Moving", "", "")
		expect := func(query string, want ...string) {
			t.Helper()
			if got := servertest.SearchTitles(w, "reader", space, query); strings.Join(got, ",") != strings.Join(want, ",") {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		expect("walrus")
		first := w.CreateRequest("creator", space, "First")
		made := w.Edit("creator", first, servertest.Insert("Animals", "", "# Animals\n\n## Tusks\n\nThe walrus has them.\n"),
			servertest.Insert("Plants", "", "Moss.\n"))
		page := made.Changes[0].Page.ID
		expect("walrus")
		w.Merge("creator", first)
		expect("walrus", "Animals")
		expect("moss", "Plants")
		expect("moss walrus")
		hit := servertest.Do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "walr"}).Items[0]
		if len(hit.Sections) != 1 || hit.Sections[0].ID != "tusks" || hit.Sections[0].Body != "The walrus has them." ||
			hit.Sections[0].Path != "animals#tusks" {
			t.Errorf("sections %+v", hit.Sections)
		}
		second := w.CreateRequest("creator", space, "Second")
		w.Edit("creator", second, servertest.Update(page, "# Animals\n\nThe narwhal has one.\n"), api.ContentChange{
			Operation: api.UpdatePage, Page: page, Title: api.Some("Beasts"),
		})
		w.Merge("creator", second)
		expect("walrus")
		expect("narwhal", "Beasts")
		expect("beast", "Beasts")
		third := w.CreateRequest("creator", space, "Third")
		w.Edit("creator", third, api.ContentChange{Operation: api.UpdatePage, Page: page, NoIndex: api.Some(true)})
		w.Merge("creator", third)
		expect("narwhal")
		fourth := w.CreateRequest("creator", space, "Fourth")
		w.Edit("creator", fourth, api.ContentChange{Operation: api.DeletePage, Page: made.Changes[1].Page.ID})
		w.Merge("creator", fourth)
		expect("moss")
	})
}

// TestSearchOrganization checks that a search shows nothing of spaces that the caller may not read.
func TestSearchOrganization(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		open, secret := newSearchableSpace(w, "Open"), newSearchableSpace(w, "Secret")
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: secret, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
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

// TestSearchPagination checks that iterating over pages of any size returns each hit once.
func TestSearchPagination(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Many", "", "")
		r := w.CreateRequest("creator", space, "All")
		var changes []api.ContentChange
		for i := range 30 {
			changes = append(changes, servertest.Insert(fmt.Sprintf("Page %d", i), "", strings.Repeat("walrus ", 1+i%7)))
		}
		w.Edit("creator", r, changes...)
		w.Merge("creator", r)
		path := "/v1/spaces/" + space + "/search?query=" + url.QueryEscape("walrus")
		seen := map[string]bool{}
		walked := servertest.ReadList(w, path, func() {
			more := w.CreateRequest("creator", space, "More")
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

// TestSearchMisspelledWord checks that a word with one wrong letter finds similar words if it has no match that the
// caller may see. Content hidden from the caller has no influence.
func TestSearchMisspelledWord(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		open, secret := w.CreateSpace("Handbook", "", ""), w.CreateSpace("Secret", "", "")
		fill := func(space, title, text string) {
			r := w.CreateRequest("creator", space, "All")
			w.Edit("creator", r, servertest.Insert(title, "", text))
			w.Merge("creator", r)
		}
		fill(open, "Animals", "The walrus has tusks.\n")
		fill(secret, "Others", "The wallrus is misspelt here.\n")
		for query, want := range map[string]string{
			"wallrus": "Animals", "walrs": "Animals", "walris": "Animals", "wlarus": "Animals", "alrus": "Animals", "walrsu": "Animals",
			"wallrus tusks": "Animals", "wallrus moss": "", "walllrus": "", "tuks": "",
		} {
			if got := strings.Join(servertest.SearchTitles(w, "reader", open, query), ","); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: secret, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		search := func(as, query string) (spaces []string) {
			t.Helper()
			for _, hit := range servertest.Do(w, as, api.SearchOrganization, api.SearchOrganizationInput{
				Organization: w.Org, Query: query,
			}).Items {
				spaces = append(spaces, hit.Title)
			}
			return spaces
		}
		for _, c := range []struct{ as, query, want string }{
			{"reader", "wallrus", "Handbook"},
			{"admin", "wallrus", "Secret"},
			{"guest", "wallrus", ""},
			{"reader", "handbook", "Handbook"},
			{"reader", "handb", "Handbook"},
			{"reader", "hanbdook", "Handbook"},
			{"reader", "secret", ""},
			{"admin", "secret", "Secret"},
			{"guest", "handbook", ""},
		} {
			if got := strings.Join(search(c.as, c.query), ","); got != c.want {
				t.Errorf("the %s finds %q with %q, want %q", c.as, got, c.query, c.want)
			}
		}
	})
}

// TestSearchFollowsSpaceTitle checks that a space is found by its present title, whether it is indexed or not, and
// not by a former one.
func TestSearchFollowsSpaceTitle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := newSearchableSpace(w, "Handbook")
		w.CreateSpace("Empty drawer", "", "")
		expect := func(query string, want ...string) {
			t.Helper()
			var got []string
			for _, hit := range servertest.Do(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{
				Organization: w.Org, Query: query,
			}).Items {
				got = append(got, hit.Title)
			}
			if strings.Join(got, ",") != strings.Join(want, ",") {
				t.Errorf("%q finds the spaces %q, want %q", query, got, want)
			}
		}
		expect("handbook", "Handbook")
		expect("drawer", "Empty drawer")
		for _, ready := range []bool{false, true} {
			title := fmt.Sprintf("Almanac%t", ready)
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{Title: api.Some(title)}})
			if ready {
				w.Clock.Advance(3 * time.Second)
				servertest.RunJobs(w)
			}
			expect("handbook")
			expect(title, title)
			expect("almana", title)
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		expect("almanac")
	})
}

// TestRenameDuringIndexingIsFound checks that a space that is renamed before any write of a search, which indexes it, is
// found by its new title and not by the former one.
func TestRenameDuringIndexingIsFound(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	for n := int64(1); !t.Failed(); n++ {
		suffix := strings.Repeat(string(rune('a'+n)), 3) // no title is similar to another one
		before, after := "Handbook"+suffix, "Almanac"+suffix
		space := w.CreateSpace(before, "", "")
		addPagesAbout(w, space, "walrus", 1)
		_, more := i.BeforeWrite(n, func() {
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{Title: api.Some(after)}})
		}, func() servertest.Response {
			return servertest.Try(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: "walrus"})
		})
		if !more {
			break
		}
		for title, want := range map[string][]string{before: nil, after: {space}} {
			var found []string
			for _, hit := range servertest.Do(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{
				Organization: w.Org, Query: title,
			}).Items {
				found = append(found, hit.ID)
			}
			servertest.Equal(t, fmt.Sprintf("spaces with %s, renamed before write %d", title, n), want, found)
		}
	}
}
