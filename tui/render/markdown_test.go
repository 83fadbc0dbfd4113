package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func renderText(source string, width int) string {
	var lines []string
	for _, l := range Render(source, width) {
		lines = append(lines, strings.TrimRight(l.String(), " "))
	}
	return strings.Join(lines, "\n")
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		width        int
		want         string
	}{
		{"headings", "# One\n\n## Two *em*\n", 40, "# One\n\n## Two em"},
		{"wrapped", "one two three four five", 9, "one two\nthree\nfour five"},
		{"one long word", "abcdefghij", 4, "abcd\nefgh\nij"},
		{"wide characters", "电池电量很重要", 6, "电池电\n量很重\n要"},
		{"emphasis and code", "a **b** *c* `d` ~~e~~", 40, "a b c `d` e"},
		{"links", "see [text](a.md), <https://x.y> and [https://z](https://z)", 80, "see text (a.md), https://x.y and https://z"},
		{"image", "![alt](i.png)", 40, "🖼 alt (i.png)"},
		{"hard break", "one\\\ntwo\nthree", 40, "one\ntwo three"},
		{"escapes", `1 \* 2 &amp; 3 &lt; 4`, 40, "1 * 2 & 3 < 4"},
		{"code keeps escapes", "`a \\* &amp;`", 40, "`a \\* &amp;`"},
		{"lists", "- one\n- two\n  more\n  1. sub\n  2. sub", 40, "• one\n• two more\n  1. sub\n  2. sub"},
		{"a list begins anywhere", "7. seven\n8. eight", 40, "7. seven\n8. eight"},
		{"wrapped items", "- one two three", 9, "• one two\n  three"},
		{"tasks", "- [ ] open\n- [x] done", 40, "• [ ] open\n• [x] done"},
		{"quote", "> one two\n> three", 9, "│ one two\n│ three"},
		{"code", "```go\nfunc f()\n\n  return\n```", 40, "  go\n  func f()\n\n    return"},
		{"long code", "    abcdefghij", 8, "  abcdef\n  ↪ ghij"},
		{"rule", "---", 3, "───"},
		{"table", "| a | bb |\n|---|---|\n| one two | *x* |", 40, "a       │ bb\n────────┼───\none two │ x"},
		{"table, wrapped", "| a | b |\n|---|---|\n| one two three | x |", 11, "a       │ b\n────────┼──\none two │ x\nthree   ┆"},
		{"narrow table", "| a | b |\n|---|---|\n| one two three | xyz |", 8, "a: one\n  two\n  three\nb: xyz"},
		{"html", "<div>\nx\n</div>", 40, "<div>\nx\n</div>"},
		{"inline html", "a <b>c</b>", 40, "a <b>c</b>"},
		{"escape sequences", "a \x1b[31mred\x1b[0m \u202eb", 40, "a red b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, renderText(c.source, c.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRenderFitsWidth checks that no line exceeds the width, and that every word of a plain text is rendered.
func TestRenderFitsWidth(t *testing.T) {
	t.Parallel()
	parts := []string{
		"# ", "- ", "1. ", "> ", "word ", "longerword ", "\n", "\n\n", "    ", "`", "```", "| ", "|---|---|", "*", "[", "](x)", "电", "🛠️",
		"é", "<p>", "\t", "\\",
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 40).Draw(t, "source"), "")
		width := rapid.IntRange(12, 60).Draw(t, "width")
		lines, pan := MarkdownAt(source, width, rapid.IntRange(Fit, 9).Draw(t, "position"))
		if pan.At > pan.End || pan.Enter < 1 {
			t.Errorf("the position is %v", pan)
		}
		for _, line := range lines {
			if line.Width() > width+20 { // deeper nesting is cut when it is painted
				t.Errorf("%d cells in %d: %q", line.Width(), width, line)
			}
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b\n  > c", "| a |\n|---|\n| b |", "```\nx", "[a]: b\n[a]", "***a** b*", "\x1b]0;x\x07"} {
		f.Add(seed, 10)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		lines, _ := MarkdownAt(source, width%300, width%7)
		for _, line := range append(lines, Render(source, width%300)...) {
			if strings.ContainsAny(line.String(), "\x1b\n\r") {
				t.Errorf("control characters in %q", line)
			}
		}
	})
}
