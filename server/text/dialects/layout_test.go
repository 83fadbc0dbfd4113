package dialects

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLayoutKeepsAndMakesPaths(t *testing.T) {
	t.Parallel()
	kept := &Page{ID: "1", Title: "Kept", Slug: "moved", Path: "a/Kept.md"}
	clash := &Page{ID: "2", Title: "Clash", Slug: "clash", Path: "A/kept.md"}
	unsafe := &Page{ID: "3", Title: "Unsafe", Slug: "unsafe", Path: ".git/hooks.md"}
	device := &Page{ID: "4", Title: "Aux", Slug: "aux"}
	child := &Page{ID: "5", Title: "Child", Slug: "child"}
	parent := &Page{ID: "6", Title: "Parent", Slug: "parent", Children: []*Page{child}}
	below := &Page{ID: "7", Title: "Below", Slug: "below"}
	group := &Page{ID: "8", Kind: Group, Title: "Group", Slug: "group", Children: []*Page{below}}
	part := &Page{ID: "9", Title: "Part", Slug: "part", Path: "a/Kept.md", IsPart: true}
	kept.Children = []*Page{part}
	Layout([]*Page{kept, clash, unsafe, device, parent, group}, nil)
	for page, want := range map[*Page]string{
		kept: "a/Kept.md", clash: "clash.md", unsafe: "unsafe.md", device: "page-aux.md", parent: "parent/README.md",
		child: "parent/child.md", below: "group/below.md", part: "a/Kept.md",
	} {
		if page.Path != want {
			t.Errorf("%s is at %q, want %q", page.Title, page.Path, want)
		}
	}
}

func TestInvalidPathReason(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		".git/hooks/post-checkout", ".GIT/config", "git~1/config", "a/../../x", "../x", "/etc/passwd", "a//b.md", "con.md",
		"COM1.txt", "lpt².md",
		"a/wsctl.yaml", ".wsctl/state.json", "a\\b.md", "a:b.md", ".g\u200cit/config", "dot.", "space ", "a/\x00.md",
		"WSCTL~1/x", "wsctl~1.yam", "a/WSCTLH~2.JSO", "wsctl.history.jsonl", "", ".", "a/./b",
		strings.Repeat("a", 256) + ".md", "\xff.md",
	} {
		if InvalidPathReason(name) == "" {
			t.Errorf("%q is valid", name)
		}
	}
	for _, name := range []string{
		"README.md", "a/b c.md", ".gitbook/assets/x.png", "конфиг.md", "console.md",
		"a'b(1).png", "git~.md",
	} {
		if reason := InvalidPathReason(name); reason != "" {
			t.Errorf("%q %s", name, reason)
		}
	}
}

func TestSummarizeKeepsTextThatSaysTheTree(t *testing.T) {
	t.Parallel()
	old := Summary{Path: SummaryName, Text: []byte("Title\r\n=====\r\n\r\n- [Home](README.md)\r\n    - [A b](a%20b.md)\r\n\r\n" +
		"## More\r\n\r\n- [C](c.md)\r\n")}
	home := &Page{Title: "Home", Path: "README.md", Children: []*Page{{Title: "A b", Path: "a b.md"}}}
	more := &Page{Kind: Group, Title: "More", Children: []*Page{{Title: "C", Path: "c.md"}}}
	if got := Summarize([]*Page{home, more}, old); string(got.Text) != string(old.Text) {
		t.Errorf("changed to %q", got.Text)
	}
	more.Children = append(more.Children, &Page{Title: "D [x]", Path: "d.md"})
	home.Children[0].Title = "New"
	got := Summarize([]*Page{home, more}, old)
	want := "Title\r\n=====\r\n\r\n- [Home](README.md)\r\n    - [New](a%20b.md)\r\n\r\n" +
		"## More\r\n\r\n- [C](c.md)\r\n- [D \\[x\\]](d.md)\r\n"
	if got.Reason != "" || string(got.Text) != want {
		t.Errorf("%q, %q; want %q", got.Reason, got.Text, want)
	}
}

func TestSummarizeLosesNoLine(t *testing.T) {
	t.Parallel()
	old := Summary{Path: SummaryName, Text: []byte("- [A](a.md)\n\n---\n\n- [B](b.md)\n")}
	got := Summarize([]*Page{{Title: "B", Path: "b.md"}, {Title: "A", Path: "a.md"}}, old)
	if string(got.Text) != string(old.Text) || got.Reason == "" {
		t.Errorf("%q, reason %q", got.Text, got.Reason)
	}
}

func TestSummarizeWritesNoneForDirectories(t *testing.T) {
	t.Parallel()
	pages := []*Page{
		{Title: "Home", TextTitle: "Home", Path: "README.md"},
		{Title: "A", TextTitle: "A", Path: "a/README.md", Children: []*Page{{Title: "B", TextTitle: "B", Path: "a/b.md"}}},
	}
	if got := Summarize(pages, Summary{}); got.Path != "" {
		t.Errorf("wrote %s", got.Text)
	}
	slices.Reverse(pages)
	if got := Summarize(pages, Summary{}); got.Path != SummaryName || got.Reason != "" {
		t.Errorf("%+v", got)
	}
}

// TestSummarizeSaysEveryTree draws trees and checks that the folder that is written describes them.
func TestSummarizeSaysEveryTree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := 0
		var draw func(depth int) []*Page
		draw = func(depth int) (pages []*Page) {
			for range rapid.IntRange(0, 3).Draw(t, "children") {
				number++
				p := &Page{
					ID: fmt.Sprint(number), Slug: fmt.Sprintf("s%d", rapid.IntRange(1, 4).Draw(t, "slug")),
					Title: rapid.StringMatching(`[A-Za-z\[\]*_<&.] ?[a-z\x60|#]{1,4}x`).Draw(t, "title"),
				}
				p.Kind = Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
				if depth < 4 {
					p.Children = draw(depth + 1)
				}
				pages = append(pages, p)
			}
			return pages
		}
		pages := draw(0)
		Layout(pages, nil)
		got := Summarize(pages, Summary{})
		if got.Reason != "" {
			t.Fatalf("%s: %s", got.Reason, got.Text)
		}
		again := Summarize(pages, Summary{Path: got.Path, Text: got.Text})
		if !bytes.Equal(again.Text, got.Text) {
			t.Fatalf("written again: %q, then %q", got.Text, again.Text)
		}
	})
}

func TestFreePathIsValid(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, test := range [][2]string{
		{"a/wsctl.yaml", "a/file-wsctl.yaml"},
		{"a/wsctl.manifest.json", "a/file-wsctl.manifest.json"},
		{"a/.git", "a/page-.git"},
		{"a/.gitignore", "a/page-.gitignore"},
		{"a/x.png", "a/x.png"},
		{"a/X.PNG", "a/X-2.PNG"},
		{"a/nul.txt", "a/page-nul.txt"},
		{"a/x.p?g", "a/x.p-g"},
		{"a/x.", "a/x"},
		{"a/" + strings.Repeat("x", 300) + ".md", "a/" + "page-" + strings.Repeat("x", 217) + ".md"},
		{"a/x." + strings.Repeat("y", 300), "a/page-x." + strings.Repeat("y", 215)},
	} {
		got := FreePath(test[0], taken)
		if got != test[1] {
			t.Errorf("%q: %q, want %q", test[0], got, test[1])
		}
		if reason := InvalidPathReason(got); reason != "" {
			t.Errorf("%q %s", got, reason)
		}
	}
}

func TestSummarizeWritesGroupsAsItemsIfPagesFollowThem(t *testing.T) {
	t.Parallel()
	old := Summary{Path: SummaryName, Text: []byte("# T\n\n* [A](a.md)\n\n## Reference\n\n* [B](b.md)\n")}
	pages := []*Page{
		{Title: "A", Path: "a.md"},
		{Kind: Group, Title: "Reference", Children: []*Page{{Title: "B", Path: "b.md"}}},
		{Title: "C", TextTitle: "C", Path: "c.md"},
	}
	if got := Summarize(pages, old); string(got.Text) != string(old.Text) {
		t.Errorf("a page of a folder that its SUMMARY.md does not list: %q", got.Text)
	}
	pages[2].IsOwn = true
	got := Summarize(pages, old)
	want := "# T\n\n* [A](a.md)\n* Reference\n  * [B](b.md)\n* [C](c.md)\n"
	if got.Reason != "" || string(got.Text) != want {
		t.Errorf("%q: %q", got.Reason, got.Text)
	}
}

func TestReadNotesEntries(t *testing.T) {
	t.Parallel()
	f := Folder{
		Documents: []string{"a.md", "b/c.md", "d.md"}, SummaryPath: SummaryName,
		Summary: []byte("# Summary\n\n* [A](a.md)\n  * [Gone](b/gone.md)\n* Group\n\n## Part\n\n* [A again](a.md#part)\n"),
	}
	_, notes := f.Read()
	want := []Note{
		{Kind: Missing, Line: 4, Destination: "b/gone.md", Path: "b/gone.md"},
		{Kind: Repeated, Line: 9, Destination: "a.md#part", Path: "a.md"},
		{Kind: Unlisted, Documents: []string{"b/c.md", "d.md"}},
	}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("%+v", notes)
	}
	if got := notes[0].String(); got != "SUMMARY.md: b/gone.md is not there" {
		t.Error(got)
	}
}
