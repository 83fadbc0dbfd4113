package render

import (
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// SuggestionDiff draws the difference between original and suggestion word by word. It is used for threads and for drafts
// of suggestions.
func SuggestionDiff(original, suggestion string, width int, marks Marks) []Line {
	lead := Line{In(Dim, "suggests: ")}
	if suggestion == "" {
		lead = Line{In(Dim, "suggests to take out: ")}
	}
	var out []Line
	for i, line := range proseLines(diffWords(original, suggestion)) {
		spans := inlineDiff(line, marks)
		if i == 0 {
			spans = Join(lead, spans)
		}
		out = append(out, Wrap(spans, width, Line{Plain("  ")})...)
	}
	return out
}

// diffWords compares two texts word by word.
func diffWords(before, after string) []segment {
	var all []string
	numbers := map[string]rune{}
	coded := func(s string) []rune {
		var out []rune
		for _, w := range splitWords(s) {
			if _, known := numbers[w]; !known {
				numbers[w] = wordRune(len(all))
				all = append(all, w)
			}
			out = append(out, numbers[w])
		}
		return out
	}
	oldRunes, newRunes := coded(before), coded(after)
	var pieces []segment
	d := diffmatchpatch.New()
	// DiffCleanupSemantic merges a few equal words between many changed ones into the change, because they do not help readers.
	for _, part := range d.DiffCleanupSemantic(d.DiffMainRunes(oldRunes, newRunes, false)) {
		op := map[diffmatchpatch.Operation]operation{diffmatchpatch.DiffDelete: removed, diffmatchpatch.DiffInsert: added}[part.Type]
		var b strings.Builder
		for _, r := range part.Text {
			b.WriteString(all[wordIndex(r)])
		}
		pieces = appendSegment(pieces, segment{op, b.String()})
	}
	return mergeAcrossSpaces(pieces)
}

// mergeAcrossSpaces joins changes that are separated only by white space.
func mergeAcrossSpaces(pieces []segment) []segment {
	var out []segment
	var gone, come string
	flush := func() {
		for _, p := range []segment{{removed, gone}, {added, come}} {
			if p.text != "" {
				out = appendSegment(out, p)
			}
		}
		gone, come = "", ""
	}
	for i, p := range pieces {
		within := i > 0 && i < len(pieces)-1 && strings.TrimSpace(p.text) == "" && !strings.Contains(p.text, "\n")
		switch {
		case p.op == removed:
			gone += p.text
		case p.op == added:
			come += p.text
		case within && gone != "" && come != "":
			gone, come = gone+p.text, come+p.text
		default:
			flush()
			out = appendSegment(out, p)
		}
	}
	flush()
	return out
}

// Runes of the surrogate range are not characters, so word indexes beyond it are shifted.
const (
	firstSurrogate = 0xd800
	surrogateEnd   = 0xe000
)

// wordRune returns the rune that represents a word index.
func wordRune(n int) rune {
	if n++; n >= firstSurrogate {
		n += surrogateEnd - firstSurrogate
	}
	return rune(n) //nolint:gosec // a text has at most 64 KiB, and fewer words
}

// wordIndex returns the word index that a rune represents.
func wordIndex(r rune) int {
	if r >= surrogateEnd {
		r -= surrogateEnd - firstSurrogate
	}
	return int(r) - 1
}

// splitWords splits a text into words and the white space after each of them.
func splitWords(s string) (out []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 0
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return 1
		default:
			return 2
		}
	}
	start, last := 0, -1
	for i, r := range s {
		now := kind(r)
		if last >= 0 && (now != last || now == 2) {
			out, start = append(out, s[start:i]), i
		}
		last = now
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
