package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// wideTableDiff returns the changes between two tables, as they are drawn.
func wideTableDiff(t *testing.T, before, after string, width int, side bool) []string {
	t.Helper()
	text := func(s string) content.Text {
		return content.Text{Markdown: []byte(s), Blocks: []content.Block{{ID: "b", Kind: "table", Start: 0, End: len(s)}}}
	}
	var lines []string
	for _, b := range Blocks(api.DocumentDiff{Blocks: diff.Text(t.Context(), text(before), text(after))}) {
		drawn := b.Unified(width, Brackets)
		if side {
			drawn = b.Split(width, Brackets)
		}
		for _, line := range drawn {
			if line.Width() > width {
				t.Errorf("%d cells: %q", line.Width(), line.String())
			}
			lines = append(lines, line.String())
		}
	}
	return lines
}

// A changed cell of a table with more columns than fit is shown with its row, its column and its neighbours.
func TestChangedCellsOfWideTables(t *testing.T) {
	t.Parallel()
	before := wideTable(5, nil)
	after := wideTable(5, map[[2]int]string{{4, 7}: "value 4.7x"})
	got := wideTableDiff(t, before, after, 100, false)
	want := []string{
		"  … 4 rows unchanged",
		"~ row “value 4.0” · Column 7: value 4.7 → value 4.7x  (next to Column 6: value 4.6, Column 8: value",
		"~   4.8)",
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
			drawn := strings.Join(wideTableDiff(t, before, table, 120, side), "\n")
			if strings.Contains(drawn, "|") || !strings.Contains(drawn, "Column") {
				t.Errorf("%s: %s", name, drawn)
			}
		}
	}
}
