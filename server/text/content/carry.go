package content

import (
	"docspace.dev/wsd/server/text/align"
)

// quoteRules are the alignment rules of quoted words. They search for the longest common sequence without heuristics,
// because a quote that is lost becomes an orphan. In texts above the limit only the common beginning and end count.
var quoteRules = align.Rules{Anchors: align.NoAnchors, Search: align.Earliest, Pairs: 1 << 20}

// wordSpan is the byte range of a word in its block.
type wordSpan struct{ start, end int }

// wordsOf returns the hashes of a block's words, and their spans.
func wordsOf(block []byte) (hashes []uint64, spans []wordSpan) {
	const bytesOfWord = 4 // estimated bytes per word, with its separator
	hashes, spans = make([]uint64, 0, len(block)/bytesOfWord+1), make([]wordSpan, 0, len(block)/bytesOfWord+1)
	eachWord(block, func(hash uint64, start, end int) {
		hashes, spans = append(hashes, hash), append(spans, wordSpan{start, end})
	})
	return hashes, spans
}

// mapSpan maps the span [from, to) of a block to the block's later text. It returns the new span, which includes
// everything between the surviving words around it, and the share of common words in percent of the words of both.
func mapSpan(block []byte, from, to int, later []byte) (score, start, end int) {
	words, spans := wordsOf(block)
	laterWords, laterSpans := wordsOf(later)
	al := align.NewWithoutContext[uint64](quoteRules)
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
	for start > 0 && !isSpace(later[start-1]) { // including punctuation attached to words
		start--
	}
	for end < len(later) && !isSpace(later[end]) {
		end++
	}
	return 200 * kept / (quoted + hi - lo), start, end
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }
