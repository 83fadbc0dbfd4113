package content

import (
	"docspace.dev/wsd/server/text/align"
)

// quoteRules are those of words that somebody commented on. Nothing may hide a longer
// common part: a quote that is lost is an orphan. Of texts with more words, only what
// both begin and end with counts.
var quoteRules = align.Rules{Anchors: align.NoAnchors, Search: align.Earliest, Pairs: 1 << 20}

// wordSpan is where a word stands in its block.
type wordSpan struct{ start, end int }

// wordsOf returns the words of a block by their hashes, and their spans.
func wordsOf(block []byte) (hashes []uint64, spans []wordSpan) {
	const bytesOfWord = 4 // with what stands behind it; most have more
	hashes, spans = make([]uint64, 0, len(block)/bytesOfWord+1), make([]wordSpan, 0, len(block)/bytesOfWord+1)
	eachWord(block, func(hash uint64, start, end int) {
		hashes, spans = append(hashes, hash), append(spans, wordSpan{start, end})
	})
	return hashes, spans
}

// carry follows the span [from, to) of a block into the block's later text: the
// span there, and how much of it is the same words in the same order, in percent
// of the words of both. What stands between the words that survived around it
// belongs to it.
func carry(block []byte, from, to int, later []byte) (score, start, end int) {
	words, spans := wordsOf(block)
	laterWords, laterSpans := wordsOf(later)
	al := align.Short[uint64](quoteRules)
	partner := al.Align(laterWords, words)
	lo, hi, kept, quoted := 0, len(laterWords), 0, 0
	first, last := none, none
	for i, word := range spans {
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
			quoted++
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
	start, end = laterSpans[first].start, laterSpans[last].end
	for start > 0 && !isSpace(later[start-1]) { // with the marks that stand at words
		start--
	}
	for end < len(later) && !isSpace(later[end]) {
		end++
	}
	return 200 * kept / (quoted + hi - lo), start, end
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
