package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
)

// wideTable returns a table of 30 columns with a number of rows, with changes to its cells.
func wideTable(rows int, cells map[[2]int]string) string {
	var b strings.Builder
	write := func(cell func(column int) string) {
		for c := range 30 {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	write(func(c int) string { return fmt.Sprintf("Column %d", c) })
	write(func(int) string { return "---" })
	for r := 1; r <= rows; r++ {
		write(func(c int) string {
			if text, ok := cells[[2]int{r, c}]; ok {
				return text
			}
			return fmt.Sprintf("value %d.%d", r, c)
		})
	}
	return b.String()
}

// tableText returns s as a text with one block, which is a table.
func tableText(s string) content.Text {
	return content.Text{Markdown: []byte(s), Blocks: []content.Block{{ID: "b", Kind: "table", Start: 0, End: len(s)}}}
}

// wideTableDiff draws the changes between two tables and returns the lines. The test fails if a line is wider than width.
func wideTableDiff(t *testing.T, before, after string, width, at int, side bool) []string {
	t.Helper()
	var lines []string
	for _, b := range Blocks(api.DocumentDiff{Blocks: diff.Text(t.Context(), tableText(before), tableText(after))}) {
		for _, line := range b.Draw(View{Width: width, Split: side, At: at}).Lines {
			if line.Width() > width {
				t.Errorf("%d cells: %q", line.Width(), line.String())
			}
			lines = append(lines, line.String())
		}
	}
	return lines
}

// TestChangedCellsOfWideTables checks that a changed cell of a table with more columns than fit is shown with its row, its
// column and its neighbours.
func TestChangedCellsOfWideTables(t *testing.T) {
	t.Parallel()
	before := wideTable(5, nil)
	after := wideTable(5, map[[2]int]string{{4, 7}: "value 4.7x"})
	got := wideTableDiff(t, before, after, 100, 0, false)
	want := []string{
		"  … 4 rows unchanged",
		"~ row “value 4.0” · Column 7: value 4.7 → value 4.7x  (next to Column 6: value 4.6, Column 8: value",
		"~ ↪ 4.8)",
		"  … 1 row unchanged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, side := range []bool{false, true} {
		for name, table := range map[string]string{
			"a cell": after, "a row less": wideTable(4, nil), "a row more": wideTable(6, nil),
			"another header": strings.Replace(before, "Column 3 ", "Third ", 1), "key": wideTable(5, map[[2]int]string{{
				2,
				0,
			}: "other"}),
			"emptied": wideTable(5, map[[2]int]string{{2, 9}: ""}),
		} {
			drawn := strings.Join(wideTableDiff(t, before, table, 120, 0, side), "\n")
			if strings.Contains(drawn, "|") || !strings.Contains(drawn, "Column") {
				t.Errorf("%s: %s", name, drawn)
			}
		}
	}
}

// TestWideTableScrollsSideways checks that a table with more columns than fit keeps its first row and column when it is
// scrolled sideways, up to its last column.
func TestWideTableScrollsSideways(t *testing.T) {
	t.Parallel()
	table := wideTable(2, nil)
	draw := func(at int) ([]string, Pan) {
		lines, pan := MarkdownAt(table, 60, at)
		var text []string
		for _, line := range lines {
			if line.Width() > 60 {
				t.Errorf("%d cells: %q", line.Width(), line.String())
			}
			text = append(text, strings.TrimRight(line.String(), " "))
		}
		return text, pan
	}
	got, pan := draw(0)
	want := []string{
		"columns 1–5 of 30",
		"Column 0  │ Column 1  │ Column 2  │ Column 3  │ Column 4  ›",
		"──────────┼───────────┼───────────┼───────────┼──────────",
		"value 1.0 │ value 1.1 │ value 1.2 │ value 1.3 │ value 1.4 ›",
		"value 2.0 │ value 2.1 │ value 2.2 │ value 2.3 │ value 2.4 ›",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	last, at := draw(pan.End)
	if at.At != pan.End || at.End != pan.End || pan.At != 0 {
		t.Errorf("at %v, then at %v", pan, at)
	}
	if last[3] != "value 1.0 ‹ value 1.26 │ value 1.27 │ value 1.28 │ value 1.29" && !strings.HasSuffix(last[3], "value 1.29") {
		t.Errorf("at the end: %q", last[3])
	}
	beyond, at := draw(pan.End + 5)
	if diff := cmp.Diff(last, beyond); diff != "" || at.At != pan.End {
		t.Errorf("beyond the end at %v: %s", at, diff)
	}
	seen := map[string]bool{}
	for position := range pan.End + 1 {
		lines, _ := draw(position)
		if !strings.HasPrefix(lines[1], "Column 0 ") || !strings.HasPrefix(lines[4], "value 2.0 ") {
			t.Errorf("at %d the first row or column is not kept: %q", position, lines)
		}
		for _, word := range strings.FieldsFunc(lines[4], func(r rune) bool { return strings.ContainsRune("│‹›", r) }) {
			seen[strings.TrimSpace(word)] = true
		}
	}
	for c := range 30 {
		if cell := fmt.Sprintf("value 2.%d", c); !seen[cell] {
			t.Errorf("%q is at no position", cell)
		}
	}
}

// TestWideTableFits checks that a wide table is a list without cut cells where nothing can be scrolled.
func TestWideTableFits(t *testing.T) {
	t.Parallel()
	lines, pan := MarkdownAt(wideTable(2, nil), 60, Fit)
	if pan.End != 0 || len(lines) != 61 || lines[59].String() != "Column 28: value 2.28" {
		t.Errorf("%v, %d lines, %v", pan, len(lines), lines[59])
	}
}

// TestChangedWideTableScrollsSideways checks that a changed table with more columns than fit lists its changed cells first, and
// that it is a table with signs when it is scrolled.
func TestChangedWideTableScrollsSideways(t *testing.T) {
	t.Parallel()
	before, after := wideTable(3, nil), wideTable(3, map[[2]int]string{{2, 3}: "other"})
	got := wideTableDiff(t, before, after, 62, 1, false)
	want := []string{
		"  columns 1–5 of 30",
		"  Column 0  │ Column 1  │ Column 2  │ Column 3  │ Column 4  ›",
		"  ──────────┼───────────┼───────────┼───────────┼──────────",
		"  value 1.0 │ value 1.1 │ value 1.2 │ value 1.3 │ value 1.4 ›",
		"- value 2.0 │ value 2.1 │ value 2.2 │ value 2.3 │ value 2.4 ›",
		"+ value 2.0 │ value 2.1 │ value 2.2 │ other     │ value 2.4 ›",
		"  value 3.0 │ value 3.1 │ value 3.2 │ value 3.3 │ value 3.4 ›",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, b := range Blocks(api.DocumentDiff{Blocks: diff.Text(t.Context(), tableText(before), tableText(after))}) {
		if pan := b.Draw(View{Width: 62}).Pan; pan.Enter != 1 || pan.At != 0 || pan.End < 10 {
			t.Errorf("the changed column 3 is shown at %v", pan)
		}
	}
	side := wideTableDiff(t, before, after, 120, 1, true)
	if !strings.Contains(side[4], "value 2.3") || !strings.Contains(side[4], "other") {
		t.Errorf("side by side: %q", side)
	}
}

// TestLongCodeScrollsSideways checks that a long line of code is wrapped with signs first, and that it is one line with its
// gutter, and signs where it is cut, when it is scrolled.
func TestLongCodeScrollsSideways(t *testing.T) {
	t.Parallel()
	const code = "    one two three four five six\n    seven"
	draw := func(at int) []string {
		lines, _ := MarkdownAt(code, 18, at)
		var text []string
		for _, line := range lines {
			text = append(text, strings.TrimRight(line.String(), " "))
		}
		return text
	}
	for at, want := range [][]string{
		{"  one two three", "  ↪ four five six", "  seven"},
		{"  one two three f›", "  seven"},
		{"  ‹hree four five›", "  ‹"},
		{"  ‹e four five six", "  ‹"},
		{"  ‹e four five six", "  ‹"},
	} {
		if diff := cmp.Diff(want, draw(at)); diff != "" {
			t.Errorf("at %d: %s", at, diff)
		}
	}
}

// A cut line has a sign at each cut edge, and the sign replaces all visible cells of a wide character there.
func TestLineWindow(t *testing.T) {
	t.Parallel()
	line := Line{Plain("ab电池cd")}
	for _, c := range []struct {
		from, width int
		want        string
	}{
		{0, 8, "ab电池cd"},
		{0, 9, "ab电池cd"},
		{0, 4, "ab› "},
		{0, 5, "ab电›"},
		{2, 6, "‹ 池cd"},
		{3, 5, "‹池cd"},
		{4, 4, "‹ cd"},
		{6, 3, "‹d"},
		{9, 3, "‹"},
		{5, 3, "‹cd"},
		{0, 3, "ab›"},
	} {
		got := line.Window(c.from, c.width)
		if got.String() != c.want || got.Width() > c.width {
			t.Errorf("%d cells from %d: %q, want %q", c.width, c.from, got.String(), c.want)
		}
	}
	if got := (Line{}).Window(3, 4); len(got) != 0 {
		t.Errorf("an empty line: %q", got.String())
	}
}

// TestScrolledChangesFitWidth checks that changed tables and code of any text, at any position, have no line that is wider than
// the screen.
func TestScrolledChangesFitWidth(t *testing.T) {
	t.Parallel()
	parts := []string{"| a ", "| longerword ", "|---|---|", "|\n", "\n", "电池 ", "word ", "| ", "\\|", "```", "\t"}
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 30).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"table", "code", "paragraph"}).Draw(t, "kind")
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		b := BlockChange{
			op: edited, Old: Passage{kind: kind, Text: before}, New: Passage{kind: kind, Text: after}, segments: diffWords(before, after),
		}
		v := View{Width: rapid.IntRange(20, 90).Draw(t, "width"), At: rapid.IntRange(Fit, 12).Draw(t, "at")}
		v.Split = rapid.Bool().Draw(t, "split")
		for _, d := range []Drawn{b.Draw(v), b.DrawVersion(false, v), b.DrawVersion(true, v)} {
			if d.First >= max(len(d.Lines), 1) || d.Pan.Head > len(d.Lines) || d.Pan.At > d.Pan.End {
				t.Errorf("%d lines, %+v, first %d", len(d.Lines), d.Pan, d.First)
			}
			for _, line := range d.Lines {
				if kind != "paragraph" && line.Width() > v.Width {
					t.Errorf("%d cells in %d: %q", line.Width(), v.Width, line.String())
				}
			}
		}
	})
}
