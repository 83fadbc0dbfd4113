package importer

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestSurroundingsAreRemoved(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"navigation rows": {
			`<div class="header"><p>Next: <a href="b.html" rel="next">All of the next page</a>, Up: <a href="/" rel="up">Top</a> [<a href="i.html">Index</a>]</p></div><hr>` +
				`<h1>A</h1><p>Text.</p><hr><p>Previous: <a href="z.html" accesskey="p">Z</a> <a href="/">Top</a></p>`,
			"# A\n\nText.\n",
		},
		"sentence with a navigation link": {
			`<p>Go on with <a href="b.html" rel="next">the next page</a>.</p>`,
			"Go on with [the next page](b.html).\n",
		},
		"Doxygen": {
			`<div id="top"><div id="titlearea"><table><tr><td>Project</table></div><div id="main-nav"></div>` +
				`<iframe src="javascript:void(0)"></iframe></div><div class="contents"><p>Text.</p></div><hr class="footer"><address class="footer">Generated</address>`,
			"Text.\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := convert(t, test.body); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNamesOfRemovedElementsReferToNextText(t *testing.T) {
	t.Parallel()
	_, lines := convertWithNames(t,
		`<p>One</p><div class="navheader"><a name="n"></a><p id="m">Next: <a href="b.html">B</a></p></div><h2>Head</h2>`)
	for _, name := range []string{"n", "m"} {
		if lines[name] != "## Head" {
			t.Errorf("%s leads to %q", name, lines[name])
		}
	}
}

// TestRepeatedEdgesAreRemoved checks that elements repeated at the edges of most pages are removed if they have
// links, and kept if they have none.
func TestRepeatedEdgesAreRemoved(t *testing.T) {
	t.Parallel()
	pages, links := map[string]string{}, ""
	for n := range 6 {
		pages[fmt.Sprintf("/p%d.html",
			n)] = fmt.Sprintf(
			`<div>Site <a href="/">Home</a></div><p>The same.</p><h1>P%d</h1><p>Text %d.</p><p>See <a href="/">home</a>.</p>`, n, n)
		links += fmt.Sprintf(`<a href="p%d.html">P%d</a> `, n, n)
	}
	pages["/"] = `<h1>Home</h1><p>` + links + `</p><p>See <a href="/">home</a>!</p>`
	result, err := newTestImporter(t, Limits{}).Import(context.Background(), request("website", serveSite(t, siteHandler(pages))+"/"))
	if err != nil {
		t.Fatal(err)
	}
	for n, page := range result.Pages[1:] {
		want := fmt.Sprintf("The same.\n\n# P%d\n\nText %d.\n", n, n)
		if got := string(page.Markdown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := string(result.Pages[0].Markdown); !strings.HasSuffix(got, "!\n") {
		t.Errorf("the last line of the first page is gone: %q", got)
	}
}
