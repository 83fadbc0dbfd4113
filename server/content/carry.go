package content

import "slices"

// maxAligned bounds the words of one block times those of the other that are
// compared with each other: beyond it only what both begin and end with counts.
const maxAligned = 1 << 20

// token is a word of a block with its span.
type token struct {
	hash       uint64
	start, end int
}

func tokens(block []byte) (list []token) {
	eachWord(block, func(hash uint64, start, end int) { list = append(list, token{hash, start, end}) })
	return list
}

// carry follows the span [from, to) of a block into the block's later text: the
// span there, and how much of it is the same words in the same order, in percent
// of the words of both. What stands between the words that survived around it
// belongs to it.
func carry(block []byte, from, to int, later []byte) (score, start, end int) {
	a, b := tokens(block), tokens(later)
	partner := alignWords(a, b)
	lo, hi, kept, words := 0, len(b), 0, 0
	first, last := none, none
	for i, word := range a {
		p := partner[i]
		switch {
		case word.end <= from:
			if p != none {
				lo = p + 1
			}
		case word.start >= to:
			if p != none {
				hi = min(hi, p)
			}
		default:
			words++
			if p != none {
				kept, last = kept+1, p
				if first == none {
					first = p
				}
			}
		}
	}
	if kept == 0 {
		return 0, 0, 0
	}
	start, end = b[first].start, b[last].end
	for start > 0 && !isSpace(later[start-1]) { // with the marks that stand at words
		start--
	}
	for end < len(later) && !isSpace(later[end]) {
		end++
	}
	return 200 * kept / (words + hi - lo), start, end
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// alignWords pairs the words of two texts: a longest common subsequence. The
// answer has the partner of each word of a, or none.
func alignWords(a, b []token) []int {
	partner := make([]int, len(a))
	for i := range partner {
		partner[i] = none
	}
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo].hash == b[lo].hash {
		partner[lo] = lo
		lo++
	}
	aEnd, bEnd := len(a), len(b)
	for aEnd > lo && bEnd > lo && a[aEnd-1].hash == b[bEnd-1].hash {
		aEnd, bEnd = aEnd-1, bEnd-1
		partner[aEnd] = bEnd
	}
	if (aEnd-lo)*(bEnd-lo) <= maxAligned {
		for i, p := range longestCommon(a[lo:aEnd], b[lo:bEnd]) {
			if p != none {
				partner[lo+i] = lo + p
			}
		}
	}
	return partner
}

// longestCommon is alignWords without its shortcuts.
func longestCommon(a, b []token) []int {
	width := len(b) + 1
	best := make([]int32, (len(a)+1)*width) // of a[i:] and b[k:]
	for i, word := range slices.Backward(a) {
		for k, other := range slices.Backward(b) {
			at := i*width + k
			if word.hash == other.hash {
				best[at] = best[at+width+1] + 1
			} else {
				best[at] = max(best[at+width], best[at+1])
			}
		}
	}
	partner := make([]int, len(a))
	for i, k := 0, 0; i < len(a); i++ {
		partner[i] = none
		for k < len(b) && best[i*width+k+1] == best[i*width+k] && a[i].hash != b[k].hash {
			k++
		}
		if k < len(b) && a[i].hash == b[k].hash {
			partner[i] = k
			k++
		}
	}
	return partner
}
