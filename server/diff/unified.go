package diff

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// around is how many lines are shown before and after a change.
const around = 3

// Unified compares two texts line by line, in the form that programs which patch
// read. before and after name them; "" is a text that is not there. Equal texts
// have no diff.
func Unified(ctx context.Context, before, after string, old, new []byte) string {
	if bytes.Equal(old, new) && (before == "") == (after == "") {
		return ""
	}
	al := newAligner(ctx)
	a, b := lines(old), lines(new)
	hunks := hunksOf(al.align(al.lineNames(a), al.lineNames(b)), len(a))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", fileName("a/", before), fileName("b/", after))
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].a-hunks[n-1].aEnd <= 2*around {
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

// lines cuts a text behind its line ends.
func lines(text []byte) [][]byte {
	return slices.DeleteFunc(bytes.SplitAfter(text, []byte("\n")), func(line []byte) bool { return len(line) == 0 })
}

func (al *aligner) lineNames(lines [][]byte) []int {
	names := make([]int, len(lines))
	for i, line := range lines {
		names[i] = al.name(string(line))
	}
	return names
}

// writeHunks writes changes that stand close together, as one hunk.
func writeHunks(out *strings.Builder, hunks []hunk, a, b [][]byte) {
	first, last := hunks[0], hunks[len(hunks)-1]
	before, after := min(around, first.a), min(around, len(a)-last.aEnd)
	from, to := first.a-before, last.aEnd+after
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lineRange(from, to), lineRange(first.b-before, last.bEnd+after))
	for _, h := range hunks {
		writeLines(out, ' ', a[from:h.a])
		writeLines(out, '-', a[h.a:h.aEnd])
		writeLines(out, '+', b[h.b:h.bEnd])
		from = h.aEnd
	}
	writeLines(out, ' ', a[from:to])
}

// lineRange writes where a hunk is: lines count from 1, a hunk without lines
// stands behind a line.
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
