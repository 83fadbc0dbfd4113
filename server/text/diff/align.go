package diff

import (
	"context"

	"docspace.dev/wsd/server/text/align"
)

// rules are the alignment rules of diffs: they work for texts of any length, at a cost that grows with the
// difference.
var rules = align.Rules{Anchors: align.AnchorsLate, Search: align.Greedy}

// differ aligns the words or lines of texts within the budget of one diff.
type differ struct {
	align.Aligner[int]

	ctx     context.Context // context of the request
	numbers map[string]int  // numbers of words and lines, for fast comparison
}

func newDiffer(ctx context.Context) *differ {
	return &differ{align.New[int](ctx, rules), ctx, map[string]int{}}
}

// number returns the number of a key; a new key gets the next number.
func (d *differ) number(key string) int {
	n, ok := d.numbers[key]
	if !ok {
		n = len(d.numbers)
		d.numbers[key] = n
	}
	return n
}
