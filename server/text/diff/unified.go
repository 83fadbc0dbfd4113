package diff

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
)

// contextLines is the number of context lines before and after a change.
const contextLines = 3

// Unified compares two files line by line and returns their difference as git writes it, with extended headers. before and
// after are the paths of the file; "" means that it does not exist, and different ones that it is renamed. The result for
// equal files is empty. Bytes that are no text can be renamed if they stay the same; both texts may then be empty.
func Unified(ctx context.Context, before, after string, old, new []byte) string {
	if bytes.Equal(old, new) && before == after {
		return ""
	}
	d := newDiffer(ctx)
	a, b := lines(old), lines(new)
	hunks := align.Hunks(d.Align(d.lineIDs(a), d.lineIDs(b)), len(a))
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git %s %s\n", quotePath("a/"+cmp.Or(before, after)), quotePath("b/"+cmp.Or(after, before)))
	switch {
	case before == "":
		out.WriteString("new file mode 100644\n")
	case after == "":
		out.WriteString("deleted file mode 100644\n")
	case before != after:
		fmt.Fprintf(&out, "similarity index %d%%\nrename from %s\nrename to %s\n",
			similarity(hunks, a, len(old), len(new)), quotePath(before), quotePath(after))
	}
	if len(hunks) > 0 {
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", fileName("a/", before), fileName("b/", after))
	}
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

// similarity returns the share of the larger text that is in both, in percent. Only equal texts have 100.
func similarity(hunks []align.Hunk, a [][]byte, old, new int) int {
	if len(hunks) == 0 {
		return 100
	}
	kept := old
	for _, h := range hunks {
		for _, line := range a[h.A:h.AEnd] {
			kept -= len(line)
		}
	}
	return kept * 100 / max(old, new)
}

// fileName returns the name of a file in the line above the hunks. A tab ends names with spaces, as in git.
func fileName(side, name string) string {
	if name == "" {
		return "/dev/null"
	}
	quoted := quotePath(side + name)
	if strings.Contains(quoted, " ") {
		quoted += "\t"
	}
	return quoted
}

// quotePath returns a path as git writes it: in double quotes and escaped if it has control characters, double quotes,
// backslashes or bytes that are not ASCII.
func quotePath(name string) string {
	const escaped, letters = "\a\b\t\n\v\f\r\"\\", `abtnvfr"\`
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		at := strings.IndexByte(escaped, c)
		switch {
		case at >= 0:
			b.Write([]byte{'\\', letters[at]})
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() == len(name) {
		return name
	}
	return `"` + b.String() + `"`
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
