package render

import (
	"regexp"
	"strings"
)

// MarkPhrase applies a ground to a phrase in rendered Markdown. It ignores white space, emphasis syntax and removed
// words. Added words keep their ground and are underlined. The first signs spans of each line are not text. The lines
// are returned unchanged if they do not contain the phrase or contain nothing else.
func MarkPhrase(lines []Line, phrase string, ground Ground, signs int) []Line {
	for _, links := range []string{"$0", "$1", "$1($2)"} { // the phrase as written, and with its links as rendered
		if marked, found := markPhrase(lines, linkSyntax.ReplaceAllString(phrase, links), ground, signs); found {
			return marked
		}
	}
	return lines
}

// linkSyntax matches a link with its text and target.
var linkSyntax = regexp.MustCompile(`!?\[([^\]\[]*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)`)

func markPhrase(lines []Line, phrase string, ground Ground, signs int) (marked []Line, found bool) {
	wanted := normalizeLetters(phrase)
	if wanted == "" {
		return lines, false
	}
	var all strings.Builder
	var places []runePosition
	for i, line := range lines {
		for j, s := range line {
			if j < signs || s.style.Ground == RemovedWord || s.style.Ground == RemovedLine || s.style.Strike {
				continue
			}
			for at, r := range s.text {
				if isIgnored(r) {
					continue
				}
				all.WriteRune(r)
				places = append(places, runePosition{i, j, at, at + len(string(r))})
			}
		}
	}
	runes := []rune(all.String())
	at := strings.Index(all.String(), wanted)
	if at < 0 || len(wanted) == all.Len() || len(runes) != len(places) {
		return lines, false
	}
	first := len([]rune(all.String()[:at]))
	return applyGround(lines, places[first:first+len([]rune(wanted))], ground), true
}

// runePosition is the position of a character: line, span and byte range.
type runePosition struct{ line, span, start, end int }

// isIgnored reports whether a rune is white space or Markdown syntax.
func isIgnored(r rune) bool { return strings.ContainsRune(" \t\r\n*_`~\\", r) }

func normalizeLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, s)
}

// applyGround applies a ground to consecutive characters and the white space between them.
func applyGround(lines []Line, places []runePosition, ground Ground) []Line {
	from := map[[2]int]runePosition{}
	for _, p := range places {
		key := [2]int{p.line, p.span}
		known, ok := from[key]
		if !ok {
			known = p
		}
		known.end = p.end
		from[key] = known
	}
	for key, p := range from { // white space between two spans belongs to the phrase
		if before, ok := from[[2]int{key[0], key[1] - 1}]; ok && before.end == len(lines[key[0]][key[1]-1].text) {
			p.start = 0
			from[key] = p
		}
	}
	out := make([]Line, len(lines))
	for i, line := range lines {
		for j, s := range line {
			p, ok := from[[2]int{i, j}]
			if !ok {
				out[i] = append(out[i], s)
				continue
			}
			under := s.style
			if under.Ground == AddedWord {
				under.Underline = true
			} else {
				under.Ground = ground
			}
			out[i] = append(out[i], Span{s.text[:p.start], s.style, ""}, Span{s.text[p.start:p.end], under, ""}, Span{
				s.text[p.end:],
				s.style, "",
			})
		}
	}
	return out
}

// ProgressBar draws a progress bar of ten cells.
func ProgressBar(at, all int) Line {
	const cells = 10
	done := cells
	if all > 0 {
		done = min(max(at*cells/all, 0), cells)
	}
	return Line{In(Accent, strings.Repeat("━", done)), In(Faint, strings.Repeat("─", cells-done))}
}
