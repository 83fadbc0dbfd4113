package diff

import (
	"context"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
)

// A run that stands between two changes is drawn with them where it is an island
// of at most so many characters. Where changes are so many and so large a part
// of a block, in percent, all between them is, too: nobody reads mosaics.
const (
	island        = 3
	scatteredRuns = 4
	scatteredPart = 65
)

// hunk is a change: old[a:aEnd] became new[b:bEnd].
type hunk struct{ a, aEnd, b, bEnd int }

// size is what the hunk changes, in tokens of both sides.
func (h hunk) size() int { return h.aEnd - h.a + h.bEnd - h.b }

// hunksOf reads the changes off an alignment.
func hunksOf(partner []int, oldLen int) []hunk {
	var found []hunk
	a, b := 0, 0
	add := func(aEnd, bEnd int) {
		if a < aEnd || b < bEnd {
			found = append(found, hunk{a, aEnd, b, bEnd})
		}
	}
	for j, i := range partner {
		if i != none {
			add(i, j)
			a, b = i+1, j+1
		}
	}
	add(oldLen, len(partner))
	return found
}

// changes are the hunks between two lists of tokens, as people want to see them.
func (al *aligner) changes(old, new []token, lines bool) []hunk {
	oldKeys, newKeys := al.keys(old, lines), al.keys(new, lines)
	var hunks []hunk
	if lines {
		hunks = al.lineChanges(old, new, oldKeys, newKeys)
	} else {
		hunks = hunksOf(al.align(oldKeys, newKeys), len(old))
	}
	slide(hunks, old, new, oldKeys, newKeys)
	return scattered(coalesce(hunks, old))
}

// keys numbers tokens by what they are compared by; where lines matter, white
// space does.
func (al *aligner) keys(list []token, lines bool) []int {
	keys := make([]int, len(list))
	for i, t := range list {
		key := t.key
		if lines && strings.Contains(t.space, "\n") {
			key = t.space + "\x00" + key
		}
		keys[i] = al.name(key)
	}
	return keys
}

// lineChanges aligns whole lines first, then words within those that changed.
func (al *aligner) lineChanges(old, new []token, oldKeys, newKeys []int) []hunk {
	oldLines, newLines := linesOf(old), linesOf(new)
	partner := al.align(al.lineKeys(old, oldLines), al.lineKeys(new, newLines))
	var hunks []hunk
	for _, h := range hunksOf(partner, len(oldLines)-1) {
		a, aEnd, b, bEnd := oldLines[h.a], oldLines[h.aEnd], newLines[h.b], newLines[h.bEnd]
		for _, in := range hunksOf(al.align(oldKeys[a:aEnd], newKeys[b:bEnd]), aEnd-a) {
			hunks = append(hunks, hunk{in.a + a, in.aEnd + a, in.b + b, in.bEnd + b})
		}
	}
	return hunks
}

// linesOf are the tokens that lines begin with; the token behind all stands on a
// line of its own.
func linesOf(list []token) []int {
	at := []int{0}
	for i, t := range list {
		if i > 0 && (strings.Contains(t.lead, "\n") || i == len(list)-1) {
			at = append(at, i)
		}
	}
	return append(at, len(list))
}

func (al *aligner) lineKeys(list []token, lines []int) []int {
	keys := make([]int, len(lines)-1)
	for n := range keys {
		var line strings.Builder
		for i, t := range list[lines[n]:lines[n+1]] {
			if i > 0 || t.text == "" {
				line.WriteString(t.space)
			} else {
				line.WriteString("\n")
			}
			line.WriteString(t.key)
		}
		keys[n] = al.name(line.String())
	}
	return keys
}

// slide moves what was only added or only removed to where people would have
// typed it: the start of a line, of a sentence, of a word.
func slide(hunks []hunk, old, new []token, oldKeys, newKeys []int) {
	for n := range hunks {
		h := &hunks[n]
		up, down := h.a, len(old)-1-h.aEnd // the token behind all stays where it is
		if n > 0 {
			up = h.a - hunks[n-1].aEnd
		}
		if n+1 < len(hunks) {
			down = hunks[n+1].a - h.aEnd
		}
		by := 0
		switch {
		case h.a == h.aEnd:
			by = slideBy(new, newKeys, h.b, h.bEnd, up, down)
		case h.b == h.bEnd:
			by = slideBy(old, oldKeys, h.a, h.aEnd, up, down)
		}
		*h = hunk{h.a + by, h.aEnd + by, h.b + by, h.bEnd + by}
	}
}

// slideBy says how far list[from:to] moves, at most so far up or down; of equally
// good places it takes the last.
func slideBy(list []token, keys []int, from, to, up, down int) int {
	lowest := 0
	for -lowest < up && keys[from+lowest-1] == keys[to+lowest-1] {
		lowest--
	}
	best, by := none, 0
	for at := lowest; ; at++ {
		if s := start(list, from+at); s >= best {
			best, by = s, at
		}
		if at >= down || keys[from+at] != keys[to+at] {
			return by
		}
	}
}

// start says how good a place is to begin a change at.
func start(list []token, at int) int {
	switch {
	case at == 0 || strings.Contains(list[at].lead, "\n"):
		return 3
	case list[at].lead == "":
		return 0
	case strings.ContainsAny(list[at-1].text, ".!?。！？"):
		return 2
	}
	return 1
}

// coalesce joins changes with islands between them.
func coalesce(hunks []hunk, old []token) []hunk {
	var joined []hunk
	for _, h := range hunks {
		if n := len(joined); n > 0 && visible(old[joined[n-1].aEnd:h.a]) <= island {
			joined[n-1].aEnd, joined[n-1].bEnd = h.aEnd, h.bEnd
			continue
		}
		joined = append(joined, h)
	}
	return joined
}

// visible is the number of characters that are not white space.
func visible(list []token) int {
	count := 0
	for _, t := range list {
		count += utf8.RuneCountInString(t.text)
	}
	return count
}

// scattered makes one change of many that leave little in between.
func scattered(hunks []hunk) []hunk {
	if len(hunks) < scatteredRuns {
		return hunks
	}
	changed := 0
	for _, h := range hunks {
		changed += h.size()
	}
	first, last := hunks[0], hunks[len(hunks)-1]
	all := hunk{first.a, last.aEnd, first.b, last.bEnd}
	if changed*100 < all.size()*scatteredPart {
		return hunks
	}
	return []hunk{all}
}

// Runs compares two pieces of prose, such as the sides of a conflict, word by
// word.
func Runs(ctx context.Context, old, new string) []api.TextRun {
	return newAligner(ctx).runs(content.KindParagraph, old, new, [2]string{})
}
