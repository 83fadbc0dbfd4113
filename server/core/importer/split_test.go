package importer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/divide"
)

// split divides a text into parts of at most limit bytes.
func split(text string, limit int, earlier []divide.PreviousPart, aliases ...content.Alias) []Part {
	return SplitPage(&Page{ID: "p", Title: "Manual", Slug: "manual", Markdown: []byte(text), Path: "m.md", Aliases: aliases},
		limit, earlier)
}

// describeParts formats the key, title, size and cut rank of each part.
func describeParts(parts []Part) (list []string) {
	for _, p := range parts {
		list = append(list, fmt.Sprintf("%s|%s|%d|%d", p.Divided.Key, p.Title, len(p.Markdown), p.Divided.CutRank))
	}
	return list
}

// textOfSize returns a text of n bytes, in paragraphs.
func textOfSize(n int) string {
	const line = "some words of it\n\n"
	return strings.Repeat(line, n/len(line)) + strings.Repeat("x", n%len(line))
}

func TestSplitAtHeadings(t *testing.T) {
	t.Parallel()
	chapter := func(title string, n int) string {
		return "## " + title + "\n\n" + textOfSize(n-len(title)-7) + "\n\n\n"
	}
	for _, test := range []struct {
		name, text string
		limit      int
		aliases    []content.Alias
		want       []string
	}{
		{"text within the limit", "# A\n\ntext\n", 1000, nil, nil},
		{
			"cut at the highest sufficient level", "# Manual\n\nBegin.\n\n" + chapter("One", 400) + chapter("Two", 400) +
				chapter("Three", 400) + chapter("Four", 400), 1000, nil,
			[]string{"|Manual|419|1", "two|Two|401|2", "three|Three|401|2", "four|Four|401|2"},
		},
		{
			"large chapter cut at the next level", "# Manual\n\n" + chapter("One", 500) + "## Two\n\n" +
				strings.ReplaceAll(chapter("Two a", 600)+chapter("Two b", 600), "## ", "### ") + chapter("Three", 300), 1000, nil,
			[]string{"|Manual|511|1", "two|Two|610|2", "two-b|Two b|602|3", "three|Three|301|2"},
		},
		{
			"text without headings", textOfSize(2500), 1000, nil, []string{
				"|Manual|630|7", "~2|Manual, continued|630|7", "~3|Manual, continued (3)|630|7", "~4|Manual, continued (4)|610|7",
			},
		},
		{
			"rows of a table", "# T\n\n| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 200) +
				"\n## After\n\nText.\n", 1000, nil,
			[]string{
				"|Manual|711|1", "t~2|T, continued|714|9", "t~3|T, continued (3)|714|9", "t~4|T, continued (4)|687|9", "after|After|16|2",
			},
		},
		{
			"lines of code", "Text.\n\n```\n" + strings.Repeat("line of code\n", 200) + "```\n\n## After\n\nText.\n", 1000, nil,
			[]string{
				"|Manual|661|7", "~2|Manual, continued|650|9", "~3|Manual, continued (3)|650|9", "~4|Manual, continued (4)|655|9",
				"after|After|16|2",
			},
		},
		{
			"long line", strings.Repeat("ä", 1500), 1000, nil, []string{
				"|Manual|1000|7", "~2|Manual, continued|1000|10", "~3|Manual, continued (3)|1000|10",
			},
		},
		{
			"key from an id before the words of a heading", "Text.\n\n# Words\n\n" + textOfSize(600) + "\n\n# Others\n\n" +
				textOfSize(600), 1000,
			[]content.Alias{{Name: "id", Line: 72}, {Name: "other", Line: 74}},
			[]string{"|Manual|618|7", "id|Others|610|1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := describeParts(split(test.text, test.limit, nil, test.aliases...))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fragments are the pieces of random texts: separators between cuts, and text whose meaning could change at the
// beginning of a part.
var fragments = rapid.SampledFrom([]string{
	"# Top\n\n", "## Chapter\n\n", "## Chapter\n\n", "### Section {#own}\n\n", "Setext\n------\n\n",
	"Some words of a paragraph,\nand more.\n\n",
	"- item\n", "* item\n\n  more of it\n", "1. first\n2. second\n", "```\ncode\n# no heading\n```\n\n", "    indented\n\n", "---\n",
	"---\n\n", "***\n\n",
	"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n", "> quote\n> goes on\n\n", "<div>\n\n", "{% hint %}\n## Inside\n{% endhint %}\n\n",
	"[a]: b\n",
	"\n\n", "äöü€𝄞", "\r\n", "long " + strings.Repeat("word ", 60) + "\n", strings.Repeat("x", 150), "<a name=\"x\"></a>", "~~~\n",
})

// TestSplitDenseText checks that a text with more markup than a page may have is divided into parts that can be pages.
func TestSplitDenseText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("*a* ", 20)+"\n\n", 9_000)
	parts := split(text, content.MaxTextBytes, nil)
	whole := ""
	for i, p := range parts {
		whole += string(p.Markdown)
		if _, err := content.Parse("p", p.Markdown, content.Text{}); err != nil {
			t.Errorf("part %d: %v", i, err)
		}
	}
	if len(parts) < 2 || whole != text {
		t.Errorf("%d parts with %d of %d bytes", len(parts), len(whole), len(text))
	}
}

// TestSplitKeepsTextAfterCutInCode checks that a cut in a code block without an end leaves the byte after it as it is.
func TestSplitKeepsTextAfterCutInCode(t *testing.T) {
	t.Parallel()
	const text = "# Top\n\n~~~\n# Top\n\n- item\n---\n### Section {#own}\n\n"
	whole := ""
	for _, p := range split(text, 19, nil) {
		whole += string(p.Markdown)
	}
	if whole != text {
		t.Errorf("%q became %q", text, whole)
	}
}

// TestPartsCoverText checks for any text that the parts joined are its bytes, none is too large or empty, their keys
// differ, and a second import keeps the cuts.
func TestPartsCoverText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(fragments, 0, 80).Draw(t, "text"), "")
		limit := rapid.IntRange(16, 1000).Draw(t, "limit")
		parts := split(text, limit, nil)
		if parts == nil {
			if len(text) > limit {
				t.Fatalf("%d bytes are not cut", len(text))
			}
			return
		}
		checkParts(t, text, limit, parts)
		again := split(text, limit, previousParts(parts))
		checkParts(t, text, limit, again)
		if diff := cmp.Diff(describeParts(parts), describeParts(again)); diff != "" {
			t.Fatalf("cut again:\n%s", diff)
		}
		for n, p := range again {
			if p.Divided.PreviousKey != parts[n].Divided.Key {
				t.Fatalf("part %d is %q, not %q", n, p.Divided.PreviousKey, parts[n].Divided.Key)
			}
		}
	})
}

func checkParts(t *rapid.T, text string, limit int, parts []Part) {
	var joined bytes.Buffer
	keys := map[string]bool{}
	for n, p := range parts {
		joined.Write(p.Markdown)
		if len(p.Markdown) > limit || len(p.Markdown) == 0 {
			t.Fatalf("part %d has %d bytes", n, len(p.Markdown))
		}
		if keys[p.Divided.Key] || (n == 0) != (p.Divided.Key == "") {
			t.Fatalf("part %d has the key %q", n, p.Divided.Key)
		}
		keys[p.Divided.Key] = true
	}
	if joined.String() != text {
		t.Fatalf("joined %q", joined.String())
	}
}

func previousParts(parts []Part) (earlier []divide.PreviousPart) {
	for _, p := range parts {
		earlier = append(earlier, divide.PreviousPart{Key: p.Divided.Key, Markdown: p.Markdown})
	}
	return earlier
}

func TestSplitNote(t *testing.T) {
	t.Parallel()
	chapters := "# One\n\n" + textOfSize(600) + "\n\n# Two\n\n" + textOfSize(600)
	for _, test := range []struct{ name, text, want string }{
		{"cut at headings", chapters, ""},
		{"cut between blocks", textOfSize(1300), "split into 2 parts; where its headings did not suffice: 1 between blocks"},
		{
			"cut in several ways", textOfSize(900) + "\n```\n" + strings.Repeat("code\n", 300) + "```\n" +
				strings.Repeat("x", 1100), "between rows or lines, 1 within a line",
		},
		{"not cut", "text", ""},
	} {
		got := SplitNote(split(test.text, 1000, nil))
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
