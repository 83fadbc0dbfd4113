package tui

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMergeLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, base, mine, theirs, want string
		conflicts                      int
	}{
		{"nothing", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n", 0},
		{"mine alone", "a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n", 0},
		{"theirs alone", "a\nb\n", "a\nb\n", "A\nb\n", "A\nb\n", 0},
		{"apart", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", 0},
		{"the same", "a\nb\n", "a\nX\n", "a\nX\n", "a\nX\n", 0},
		{"at the end", "a\n", "a\nb\n", "A\n", "A\nb\n", 0},
		{"added after", "a\nb\n", "a\nb\nc\n", "A\nb\n", "A\nb\nc\n", 0},
		{"both", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", "a\n<<<<<<< yours\nX\n=======\nY\n>>>>>>> in the request now\nc\n", 1},
		{"removed and changed", "a\nb\n", "a\n", "a\nY\n", "a\n<<<<<<< yours\n=======\nY\n>>>>>>> in the request now\n", 1},
		{"no line end", "a", "a\nb", "a", "a\nb", 0},
	} {
		got, conflicts := mergeLines(c.base, c.mine, c.theirs)
		if got != c.want || conflicts != c.conflicts {
			t.Errorf("%s: %q, %d, want %q, %d", c.name, got, conflicts, c.want, c.conflicts)
		}
	}
}

// TestMergeLinesKeepsAllLines checks that changes of one side are applied, and that no line of either side is lost.
func TestMergeLinesKeepsAllLines(t *testing.T) {
	t.Parallel()
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "\n", "e"}), 0, 8).Draw(t, "lines"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		base, mine, theirs := text.Draw(t, "base"), text.Draw(t, "mine"), text.Draw(t, "theirs")
		if got, n := mergeLines(base, mine, base); got != mine || n > 0 {
			t.Fatalf("mine alone: %q, %d", got, n)
		}
		if got, n := mergeLines(base, base, theirs); got != theirs || n > 0 {
			t.Fatalf("theirs alone: %q, %d", got, n)
		}
		got, _ := mergeLines(base, mine, theirs)
		for _, side := range []string{mine, theirs} {
			for line := range strings.SplitSeq(side, "\n") {
				if !strings.Contains(base, line) && !strings.Contains(got, line) {
					t.Fatalf("%q of %q is not in %q", line, side, got)
				}
			}
		}
	})
}
