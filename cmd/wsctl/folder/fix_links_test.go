package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFixLinks moves two pages and a picture and fixes the links to and from them. Other links stay as they are.
func TestFixLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "1", map[string]string{
		"a.md": "# A\n\n[csv](data/csv.md#rows 'Rows'), [b](b.md), ![m](img/mast.svg), [gone](gone.md), " +
			"[x](https://a.example/data/csv.md)\n",
		"b.md":      "# B\n\n[csv]: data/csv.md\r\n\n`[csv](data/csv.md)` [csv] {% content-ref url=\"data/csv.md\" %}\n",
		"data/c.md": "# C\n\nNo links to <csv.md>, [here](#c), [id](/pages/p_1).\n",
		"data/csv.md": "# CSV and what it is made of\n\nOne.\n\nTwo, see [c](c.md) and [a](../a.md).\n\nThree.\n\n" +
			"![m](../img/mast.svg)\n",
		"img/mast.svg": "<svg/>",
	}, nil))
	for from, to := range map[string]string{"data/csv.md": "export/new csv.md", "img/mast.svg": "img/old/mast.svg"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(to)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	before := filesOf(t, dir)
	f := openFolder(t, dir)
	fix := func(write bool) (places []string) {
		t.Helper()
		s, differences := differencesOf(t, f)
		links, err := f.fixLinks(s, differences, write)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			places = append(places, l.String()+" "+l.from+" "+l.to)
		}
		return places
	}
	want := []string{
		"a.md:3 data/csv.md#rows export/new%20csv.md#rows", "a.md:3 img/mast.svg img/old/mast.svg",
		"b.md:3 data/csv.md export/new%20csv.md", "b.md:5 data/csv.md export/new%20csv.md",
		"export/new csv.md:5 c.md ../data/c.md", "export/new csv.md:9 ../img/mast.svg ../img/old/mast.svg",
	}
	if diff := cmp.Diff(want, fix(false)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, filesOf(t, dir)); diff != "" {
		t.Errorf("files were changed: %s", diff)
	}
	fix(true)
	files := map[string]string{
		"a.md": "# A\n\n[csv](export/new%20csv.md#rows 'Rows'), [b](b.md), ![m](img/old/mast.svg), [gone](gone.md), " +
			"[x](https://a.example/data/csv.md)\n",
		"b.md":      "# B\n\n[csv]: export/new%20csv.md\r\n\n`[csv](data/csv.md)` [csv] {% content-ref url=\"export/new%20csv.md\" %}\n",
		"data/c.md": before["data/c.md"],
		"export/new csv.md": "# CSV and what it is made of\n\nOne.\n\nTwo, see [c](../data/c.md) and [a](../a.md).\n\nThree.\n\n" +
			"![m](../img/old/mast.svg)\n",
		"img/old/mast.svg": "<svg/>",
	}
	if diff := cmp.Diff(files, filesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	if links := fix(true); len(links) > 0 {
		t.Errorf("links are left: %v", links)
	}
}

// TestFixLinksOfPushedMoves checks that links to files are changed, too, if their moves were pushed before.
func TestFixLinksOfPushedMoves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": "[b](b.md)\n", "docs/c.md": "B.\n"}, nil))
	f := openFolder(t, dir)
	f.State.noteMoves([]Change{{Kind: Moved, Was: "b.md", Path: "bb.md"}, {Kind: Modified, Path: "a.md"}})
	f.State.noteMoves([]Change{{Kind: Moved, Was: "bb.md", Path: "docs/c.md"}})
	want := map[string]string{"b.md": "docs/c.md", "bb.md": "docs/c.md"}
	if diff := cmp.Diff(want, f.State.Moved); diff != "" {
		t.Error(diff)
	}
	s, differences := differencesOf(t, f)
	if links, err := f.fixLinks(s, differences, true); err != nil || len(links) != 1 {
		t.Error(links, err)
	}
	if got := filesOf(t, dir)["a.md"]; got != "[b](docs/c.md)\n" {
		t.Errorf("%q", got)
	}
	f.State.noteMoves([]Change{{Kind: Moved, Was: "docs/c.md", Path: "b.md"}})
	if diff := cmp.Diff(map[string]string{"bb.md": "b.md", "docs/c.md": "b.md"}, f.State.Moved); diff != "" {
		t.Error("moved back:", diff)
	}
}
