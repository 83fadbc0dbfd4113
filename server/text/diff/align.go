package diff

import (
	"context"

	"docspace.dev/wsd/server/text/align"
)

// rules are those of comparisons: texts of any length have an answer, at a cost that
// grows with what differs.
var rules = align.Rules{Anchors: align.AnchorsLate, Search: align.Greedy}

// differ finds what the words or lines of texts have in common, within the budget
// of one diff.
type differ struct {
	align.Aligner[int]

	ctx   context.Context // of who waits
	names map[string]int  // of words and lines, so that comparing them is cheap
}

func newDiffer(ctx context.Context) *differ {
	return &differ{align.New[int](ctx, rules), ctx, map[string]int{}}
}

// name numbers a key.
func (d *differ) name(key string) int {
	n, ok := d.names[key]
	if !ok {
		n = len(d.names)
		d.names[key] = n
	}
	return n
}
