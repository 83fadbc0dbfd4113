package render

import (
	"regexp"
	"strings"
)

// MarkPhrase lays a ground under a phrase where it stands in lines that were drawn of Markdown: white space and the signs
// of emphasis do not count, and what went is passed over. Words that came keep their own ground and are underlined: both are
// to be seen. The first so many spans of each line are signs, not text.
// Where the phrase does not stand, the lines are as they were; where it is all that stands there, too.
func MarkPhrase(lines []Line, phrase string, ground Ground, signs int) []Line {
	for _, links := range []string{"$0", "$1", "$1($2)"} { // as it is written, and as it is read
		if marked, found := markPhrase(lines, linkSyntax.ReplaceAllString(phrase, links), ground, signs); found {
			return marked
		}
	}
	return lines
}

// linkSyntax matches a link: its words, and where it leads.
var linkSyntax = regexp.MustCompile(`!?\[([^\]\[]*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)`)

func markPhrase(lines []Line, phrase string, ground Ground, signs int) (marked []Line, found bool) {
	wanted := plainLetters(phrase)
	if wanted == "" {
		return lines, false
	}
	var all strings.Builder
	var places []place
	for i, line := range lines {
		for j, s := range line {
			if j < signs || s.style.Ground == RemovedWord || s.style.Ground == RemovedLine || s.style.Strike {
				continue
			}
			for at, r := range s.text {
				if passedOver(r) {
					continue
				}
				all.WriteRune(r)
				places = append(places, place{i, j, at, at + len(string(r))})
			}
		}
	}
	runes := []rune(all.String())
	at := strings.Index(all.String(), wanted)
	if at < 0 || len(wanted) == all.Len() || len(runes) != len(places) {
		return lines, false
	}
	first := len([]rune(all.String()[:at]))
	return grounded(lines, places[first:first+len([]rune(wanted))], ground), true
}

// place is a character of a span of a line.
type place struct{ line, span, start, end int }

// passedOver reports white space, and signs of Markdown.
func passedOver(r rune) bool { return strings.ContainsRune(" \t\r\n*_`~\\", r) }

func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if passedOver(r) {
			return -1
		}
		return r
	}, s)
}

// grounded lays a ground under characters that follow one another, and under the white space between them.
func grounded(lines []Line, places []place, ground Ground) []Line {
	from := map[[2]int]place{}
	for _, p := range places {
		key := [2]int{p.line, p.span}
		known, ok := from[key]
		if !ok {
			known = p
		}
		known.end = p.end
		from[key] = known
	}
	for key, p := range from { // white space between two spans belongs to the phrase, too
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
			out[i] = append(out[i], Span{s.text[:p.start], s.style}, Span{s.text[p.start:p.end], under}, Span{s.text[p.end:], s.style})
		}
	}
	return out
}

// Bar is a bar of ten cells that shows how far something is.
func Bar(at, all int) Line {
	const cells = 10
	done := cells
	if all > 0 {
		done = min(max(at*cells/all, 0), cells)
	}
	return Line{In(Accent, strings.Repeat("━", done)), In(Faint, strings.Repeat("─", cells-done))}
}
