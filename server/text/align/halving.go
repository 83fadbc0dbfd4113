package align

import (
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// searchHalving pairs the elements of the longest common subsequence that go-diff finds.
func searchHalving[T comparable](s segment[T]) {
	runes := map[T]rune{}
	diff := diffmatchpatch.New()
	diff.DiffTimeout = 0 // no timeout: the result is exact and the same on every machine
	i, j := 0, 0
	for _, piece := range diff.DiffMainRunes(toRunes(s.a, runes), toRunes(s.b, runes), false) {
		n := utf8.RuneCountInString(piece.Text)
		switch piece.Type {
		case diffmatchpatch.DiffDelete:
			i += n
		case diffmatchpatch.DiffInsert:
			j += n
		case diffmatchpatch.DiffEqual:
			for range n {
				s.pair(i, j)
				i, j = i+1, j+1
			}
		}
	}
}

// toRunes returns the elements as runes, with one rune for each distinct element. It adds new elements to runes, and skips
// surrogates, which a string cannot represent.
func toRunes[T comparable](list []T, runes map[T]rune) []rune {
	const surrogates, surrogateCount = 0xd800, 0x800
	out := make([]rune, len(list))
	for i, x := range list {
		r, ok := runes[x]
		if !ok {
			r = rune(len(runes) + 1) //nolint:gosec // far fewer than there are runes, by Rules.Pairs
			if r >= surrogates {
				r += surrogateCount
			}
			runes[x] = r
		}
		out[i] = r
	}
	return out
}
