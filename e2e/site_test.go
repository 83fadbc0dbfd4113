package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestImportRealSitesCampaign imports documentation sites of several generators into change requests, merges them,
// reads every page and follows every link. Outside of the campaign it uses a sample of the pages. It prints the
// shares of imported links and words.
func TestImportRealSitesCampaign(t *testing.T) {
	t.Parallel()
	percent, seed := storetest.LongCampaign(t, "documentations", 25, 100)
	d, stop, err := startDemo(binary(t, "wsd"), "--rate-limit=0") // the test reads 2,000 pages in a minute
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	c := client{binary(t, "wsctl"), d.URL, d.Token, t.TempDir()}
	var reports []*siteReport
	t.Cleanup(func() { t.Log("\n" + reportTable(reports)) })
	r := &siteReport{site: site{name: "a folder", generator: "Markdown", start: "docs.zip", source: "zip"}, examples: map[string][]string{}}
	reports = append(reports, r)
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		testFolder(t, c, seed, r)
	})
	for _, s := range allSites() {
		r := &siteReport{site: s, examples: map[string][]string{}}
		reports = append(reports, r)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.require(t)
			s.sample(t, percent, seed).testImport(t, c, r)
		})
	}
}

func (s site) testImport(t *testing.T, c client, r *siteReport) {
	t.Helper()
	web := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	defer web.Close()
	space := s.importInto(t, c, web.URL)

	want := s.crawl(t)
	if len(want) < s.minPages {
		t.Fatalf("the site has only %d pages", len(want))
	}
	have := pagesBySource(t, c, space)
	for file, page := range want {
		imported := have[file]
		switch {
		case len(imported) == 0:
			t.Errorf("%s did not come in", file)
		case s.hasPaths && file != s.start && imported[0].Path != page.path: // the path of the start page derives from its title
			t.Errorf("%s is at %s instead of %s", file, imported[0].Path, page.path)
		}
	}
	if len(have) > len(want) {
		t.Errorf("%d pages came in, the site has %d", len(have), len(want))
	}
	r.count(want, importedTexts(t, c, space, have))
	r.check(t)
	compareFiles(t, c, space, want)
}

// maxNotes is the maximum number of notes in an import report.
const maxNotes = 100

// importInto imports the site, merges it and returns the id of the space.
func (s site) importInto(t *testing.T, c client, start string) (space string) {
	t.Helper()
	ctx := t.Context()
	space = c.runWord(ctx, t, "spaces", "create", "--title", s.name, "-o", "json", "--jq", ".id")
	request := c.runWord(ctx, t, "change-requests", "create", "--space", space, "--subject", "Import", "-o", "json", "--jq", ".number")
	out := c.run(ctx, t, "", "content", "import", start+"/"+s.start, "--source", cmp.Or(s.source, "website"), "--space", space,
		"--change-request", request, "-o", "json")
	var result struct {
		Imported int      `json:"importedResources"`
		Total    int      `json:"totalResources"`
		Notes    []string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d resources; notes: %q", result.Imported, result.Total, result.Notes)
	if dropped := result.Total - result.Imported; min(dropped, maxNotes) > len(result.Notes) {
		t.Errorf("%d resources are missing, but only %d notes say why", dropped, len(result.Notes))
	}
	c.run(ctx, t, "", "change-requests", "merge", request, "--space", space)
	return space
}

// compareFiles checks that every image of the site is a file of the space.
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

func TestCountMissingRepeatedWords(t *testing.T) {
	t.Parallel()
	lost, examples := countMissing(words("one two two three"), words("three, two; one"))
	if got := fmt.Sprint(lost, examples); got != "1 [two]" {
		t.Errorf("got %s", got)
	}
}
