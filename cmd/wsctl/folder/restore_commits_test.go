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

func TestMostContained(t *testing.T) {
	t.Parallel()
	text := func(paragraphs string) []byte { return []byte(strings.Join(strings.Fields(paragraphs), "\n\n") + "\n") }
	for _, c := range []struct {
		texts string
		base  string
		file  string
		want  int
	}{
		{"", "a", "a b", -1},
		{"a", "a", "a b", -1},                  // nothing is new
		{"a b|a b c|a b", "a", "a b c d", 1},   // c was deleted since
		{"a b|a b c|a b", "a", "a b d", 2},     // c was not pulled, or was deleted in the space again
		{"a b c|a b", "a", "a d", -1},          // of none
		{"a b|b a c|c b a", "a", "a b c d", 2}, // the last one
	} {
		var texts [][]byte
		for t := range strings.SplitSeq(c.texts, "|") {
			texts = append(texts, text(t))
		}
		if got := mostContained(texts, text(c.base), text(c.file)); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
