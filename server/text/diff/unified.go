package diff

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
)

// contextLines is the number of context lines before and after a change.
const contextLines = 3

// Unified compares two texts line by line in the unified format. before and after are the file names; "" means that
// the file does not exist. The result for equal texts is empty.
func Unified(ctx context.Context, before, after string, old, new []byte) string {
	if bytes.Equal(old, new) && (before == "") == (after == "") {
		return ""
	}
	d := newDiffer(ctx)
	a, b := lines(old), lines(new)
	hunks := align.Hunks(d.Align(d.lineIDs(a), d.lineIDs(b)), len(a))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", fileName("a/", before), fileName("b/", after))
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].A-hunks[n-1].AEnd <= 2*contextLines {
			n++
		}
		writeHunks(&out, hunks[:n], a, b)
		hunks = hunks[n:]
	}
	return out.String()
}

func fileName(side, name string) string {
	if name == "" {
		return "/dev/null"
	}
	return side + name
}

// lines cuts a text after its line endings.
func lines(text []byte) [][]byte {
	return slices.DeleteFunc(bytes.SplitAfter(text, []byte("\n")), func(line []byte) bool { return len(line) == 0 })
}

func (d *differ) lineIDs(lines [][]byte) []int {
	names := make([]int, len(lines))
	for i, line := range lines {
		names[i] = d.number(string(line))
	}
	return names
}

// writeHunks writes nearby changes with their context lines as one hunk.
func writeHunks(out *strings.Builder, hunks []align.Hunk, a, b [][]byte) {
	first, last := hunks[0], hunks[len(hunks)-1]
	before, after := min(contextLines, first.A), min(contextLines, len(a)-last.AEnd)
	from, to := first.A-before, last.AEnd+after
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lineRange(from, to), lineRange(first.B-before, last.BEnd+after))
	for _, h := range hunks {
		writeLines(out, ' ', a[from:h.A])
		writeLines(out, '-', a[h.A:h.AEnd])
		writeLines(out, '+', b[h.B:h.BEnd])
		from = h.AEnd
	}
	writeLines(out, ' ', a[from:to])
}

// lineRange formats the range of a hunk: lines count from 1, and an empty range has the number of the line before it.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, sign byte, lines [][]byte) {
	for _, line := range lines {
		out.WriteByte(sign)
		out.Write(line)
		if line[len(line)-1] != '\n' {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
