package folder

import (
	"strings"
	"testing"
)

func TestLastCommon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		space, commits string
		want           int
	}{
		{"", "", -1},
		{"a", "", -1},
		{"a b", "c d", -1},
		{"a", "a", 0},
		{"a z a", "a z", 1},       // pulled twice; the last text was taken back since
		{"a z", "z a", 1},         // pulled once and taken back in a commit
		{"a b c", "c", 2},         // several edits before a pull
		{"a b c", "x a y c z", 2}, // with own commits
		{"a z a", "a", 2},
		{"a b", "a b b a", 1},
	} {
		if got := lastCommon(strings.Fields(c.space), strings.Fields(c.commits)); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.space, c.commits, got, c.want)
		}
	}
}
