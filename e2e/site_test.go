package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// minWords is the share of each page's words that have to come in.
const minWords = 0.99

// importedPage is a page as the API shows it.
type importedPage struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Path     string         `json:"path"`
	Markdown string         `json:"markdown"`
	Pages    []importedPage `json:"pages"`
}

// TestImportOfRealSitesCampaign imports the documentation sites of three generators into change requests, merges them and
// reads every page back: whole in the campaign, else some of their pages with those above them.
func TestImportOfRealSitesCampaign(t *testing.T) {
	t.Parallel()
	percent, seed := storetest.Campaign(t, "documentations", 10, 100)
	d, stop, err := startDemo(binary(t, "wsd"), "--rate-limit=0") // two thousand pages are read in a minute
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	c := client{binary(t, "wsctl"), d.URL, d.Token, t.TempDir()}
	for _, s := range sites {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.needed(t)
			s.sample(t, percent, seed).testImport(t, c)
		})
	}
}

func (s site) testImport(t *testing.T, c client) {
	t.Helper()
	web := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	defer web.Close()
	space, notes := s.importInto(t, c, web.URL)

	want := s.crawl(t)
	if len(want) < s.minPages {
		t.Fatalf("the site has only %d pages", len(want))
	}
	have := byPath(t, c, space)
	for file, page := range want {
		if tooLarge(notes, web.URL+"/"+file) {
			delete(want, file) // said by name in the answer
			continue
		}
		if _, found := have[page.path]; !found {
			t.Errorf("%s is not at %s", file, page.path)
			delete(want, file)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d pages came in, the site has %d", len(have), len(want))
	}
	comparePages(t, c, space, want, have)
	compareFiles(t, c, space, want)
}

// importInto imports, merges and returns the space and what the import said about what it left out.
func (s site) importInto(t *testing.T, c client, start string) (space, notes string) {
	t.Helper()
	ctx := t.Context()
	space = c.word(ctx, t, "spaces", "create", "--title", s.name, "-o", "json", "--jq", ".id")
	request := c.word(ctx, t, "change-requests", "create", "--space", space, "--subject", "Import", "-o", "json", "--jq", ".number")
	out := c.run(ctx, t, "", "content", "import", start+"/index.html", "--space", space, "--change-request", request, "-o", "json")
	var result struct {
		Imported int      `json:"importedResources"`
		Total    int      `json:"totalResources"`
		Notes    []string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d resources; notes: %q", result.Imported, result.Total, result.Notes)
	if left := result.Total - result.Imported; left > len(result.Notes) {
		t.Errorf("%d resources are missing, but only %d notes say why", left, len(result.Notes))
	}
	c.run(ctx, t, "", "change-requests", "merge", request, "--space", space)
	return space, strings.Join(result.Notes, "\n")
}

// tooLarge reports whether the import left a page out for its size, which is limited to 1 MiB of Markdown.
func tooLarge(notes, address string) bool {
	return strings.Contains(notes, address+": its text of ")
}

// byPath reads the tree. The first page is that of the site, whose path is made of its title. Groups have no text.
func byPath(t *testing.T, c client, space string) map[string]importedPage {
	t.Helper()
	var tree importedPage
	if err := json.Unmarshal([]byte(c.run(t.Context(), t, "", "content", "list-pages", "--space", space, "-o", "json")), &tree); err != nil {
		t.Fatal(err)
	}
	pages := map[string]importedPage{}
	var walk func(list []importedPage)
	walk = func(list []importedPage) {
		for _, p := range list {
			if p.Type == "document" {
				pages[p.Path] = p
			}
			walk(p.Pages)
		}
	}
	walk(tree.Pages)
	if len(tree.Pages) > 0 {
		delete(pages, tree.Pages[0].Path)
		pages["index"] = tree.Pages[0]
	}
	return pages
}

// comparePages reads every page back, a few at a time.
func comparePages(t *testing.T, c client, space string, want map[string]*sitePage, have map[string]importedPage) {
	t.Helper()
	var wait sync.WaitGroup
	turn := make(chan struct{}, 4)
	for _, page := range want {
		wait.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			markdown, err := c.markdown(t, space, have[page.path].ID)
			if err != nil {
				t.Errorf("%s: %v", page.file, err)
				return
			}
			comparePage(t, page, markdown, want, have)
		})
	}
	wait.Wait()
}

// markdown reads the text of a page over HTTP: a process for each of two thousand would take minutes.
func (c client) markdown(t *testing.T, space, page string) (string, error) {
	t.Helper()
	address := c.url + "/v1/spaces/" + space + "/content/page/" + page + "?format=markdown"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s %s %w", response.Status, body, err)
	}
	var read importedPage
	err = json.Unmarshal(body, &read)
	return read.Markdown, err
}

func comparePage(t *testing.T, page *sitePage, markdown string, want map[string]*sitePage, have map[string]importedPage) {
	t.Helper()
	if share, examples := missing(page.words, markdownWords(markdown)); share > 1-minWords {
		t.Errorf("%s: %.1f %% of %d words are missing: %q", page.file, 100*share, len(page.words), examples)
	}
	slices.Sort(page.links)
	for _, target := range slices.Compact(page.links) {
		other := want[target]
		if other != nil && target != page.file && !strings.Contains(markdown, "/pages/"+have[other.path].ID) {
			t.Errorf("%s: the link to %s does not lead to the page", page.file, target)
		}
	}
	if n := strings.Count(markdown, "](/files/"); n < len(page.images) {
		t.Errorf("%s: %d images, but only %d lead to files", page.file, len(page.images), n)
	}
}

// compareFiles holds that every image of the site is a file.
func compareFiles(t *testing.T, c client, space string, want map[string]*sitePage) {
	t.Helper()
	var names []string
	out := c.run(t.Context(), t, "", "content", "list-files", "--space", space, "--limit", "1000", "-o", "json", "--jq", "[.[].name]")
	if err := json.Unmarshal([]byte(out), &names); err != nil {
		t.Fatal(err)
	}
	for _, page := range want {
		for _, image := range page.images {
			if !slices.Contains(names, path.Base(image)) {
				t.Errorf("%s shows %s, which is not a file", page.file, image)
			}
		}
	}
}

func TestMissingWords(t *testing.T) {
	t.Parallel()
	share, examples := missing(words("one two two three"), words("three, two; one"))
	if got := fmt.Sprint(share, examples); got != "0.25 [two]" {
		t.Errorf("got %s", got)
	}
}
