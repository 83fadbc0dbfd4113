package render

import (
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Suggested draws what a text would become, word by word. The threads and the drafts of suggestions are drawn with it.
func Suggested(original, suggestion string, width int, marks Marks) []Line {
	lead := Line{In(Dim, "suggests: ")}
	if suggestion == "" {
		lead = Line{In(Dim, "suggests to take out: ")}
	}
	var out []Line
	for i, line := range ownLines(words(original, suggestion)) {
		spans := inlineDiff(line, marks)
		if i == 0 {
			spans = Join(lead, spans)
		}
		out = append(out, Wrap(spans, width, Line{Plain("  ")})...)
	}
	return out
}

// words compares two texts by their words.
func words(before, after string) []piece {
	var all []string
	numbers := map[string]rune{}
	coded := func(s string) []rune {
		var out []rune
		for _, w := range tokens(s) {
			if _, known := numbers[w]; !known {
				numbers[w] = code(len(all))
				all = append(all, w)
			}
			out = append(out, numbers[w])
		}
		return out
	}
	was, is := coded(before), coded(after)
	var pieces []piece
	d := diffmatchpatch.New()
	for _, part := range d.DiffCleanupSemantic(d.DiffMainRunes(was, is, false)) { // few words that stayed among many that did not are no help
		op := map[diffmatchpatch.Operation]operation{diffmatchpatch.DiffDelete: removed, diffmatchpatch.DiffInsert: added}[part.Type]
		var b strings.Builder
		for _, r := range part.Text {
			b.WriteString(all[wordIndex(r)])
		}
		pieces = joinPiece(pieces, piece{op, b.String()})
	}
	return withoutGaps(pieces)
}

// withoutGaps makes one change of those that only white space parts: people read words, not gaps.
func withoutGaps(pieces []piece) []piece {
	var out []piece
	var gone, come string
	flush := func() {
		for _, p := range []piece{{removed, gone}, {added, come}} {
			if p.text != "" {
				out = joinPiece(out, p)
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
			out = joinPiece(out, p)
		}
	}
	flush()
	return out
}

// surrogates are no characters: what stands behind them is moved.
const (
	surrogates      = 0xd800
	behindSurrogate = 0xe000
)

// code is the character that stands for a word.
func code(n int) rune {
	if n++; n >= surrogates {
		n += behindSurrogate - surrogates
	}
	return rune(n) //nolint:gosec // a text has at most 64 KiB, and fewer words
}

// wordIndex is the word that a character stands for.
func wordIndex(r rune) int {
	if r >= behindSurrogate {
		r -= behindSurrogate - surrogates
	}
	return int(r) - 1
}

// tokens cuts a text into words, each with the white space behind it apart.
func tokens(s string) (out []string) {
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
