package diff

import (
	"context"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// A run that stands between two changes is drawn with them where it is an island
// of at most so many characters. Where changes are so many and so large a part
// of a block, in percent, all between them is, too: nobody reads mosaics.
const (
	island        = 3
	scatteredRuns = 4
	scatteredPart = 65
)

// size is what a hunk changes, in tokens of both sides.
func size(h align.Hunk) int { return h.Removed() + h.Added() }

// changes are the hunks between two lists of tokens, as people want to see them.
func (d *differ) changes(old, new []token, lines bool) []align.Hunk {
	oldKeys, newKeys := d.keys(old, lines), d.keys(new, lines)
	var hunks []align.Hunk
	if lines {
		hunks = d.lineChanges(old, new, oldKeys, newKeys)
	} else {
		hunks = align.Hunks(d.Align(oldKeys, newKeys), len(old))
	}
	slide(hunks, old, new, oldKeys, newKeys)
	return scattered(coalesce(hunks, old))
}

// keys numbers tokens by what they are compared by; where lines matter, white
// space does.
func (d *differ) keys(list []token, lines bool) []int {
	keys := make([]int, len(list))
	for i, t := range list {
		key := t.key
		if lines && strings.Contains(t.space, "\n") {
			key = t.space + "\x00" + key
		}
		keys[i] = d.name(key)
	}
	return keys
}

// lineChanges aligns whole lines first, then words within those that changed.
func (d *differ) lineChanges(old, new []token, oldKeys, newKeys []int) []align.Hunk {
	oldLines, newLines := linesOf(old), linesOf(new)
	partner := d.Align(d.lineKeys(old, oldLines), d.lineKeys(new, newLines))
	var hunks []align.Hunk
	for _, h := range align.Hunks(partner, len(oldLines)-1) {
		a, aEnd, b, bEnd := oldLines[h.A], oldLines[h.AEnd], newLines[h.B], newLines[h.BEnd]
		for _, in := range align.Hunks(d.Align(oldKeys[a:aEnd], newKeys[b:bEnd]), aEnd-a) {
			hunks = append(hunks, in.Shift(a, b))
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

func (d *differ) lineKeys(list []token, lines []int) []int {
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
		keys[n] = d.name(line.String())
	}
	return keys
}

// slide moves what was only added or only removed to where people would have
// typed it: the start of a line, of a sentence, of a word.
func slide(hunks []align.Hunk, old, new []token, oldKeys, newKeys []int) {
	for n := range hunks {
		h := &hunks[n]
		up, down := h.A, len(old)-1-h.AEnd // the token behind all stays where it is
		if n > 0 {
			up = h.A - hunks[n-1].AEnd
		}
		if n+1 < len(hunks) {
			down = hunks[n+1].A - h.AEnd
		}
		by := 0
		switch {
		case h.A == h.AEnd:
			by = slideBy(new, newKeys, h.B, h.BEnd, up, down)
		case h.B == h.BEnd:
			by = slideBy(old, oldKeys, h.A, h.AEnd, up, down)
		}
		*h = h.Shift(by, by)
	}
}

// slideBy says how far list[from:to] moves, at most so far up or down; of equally
// good places it takes the last.
func slideBy(list []token, keys []int, from, to, up, down int) int {
	lowest := 0
	for -lowest < up && keys[from+lowest-1] == keys[to+lowest-1] {
		lowest--
	}
	best, by := -1, 0
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
func coalesce(hunks []align.Hunk, old []token) []align.Hunk {
	var joined []align.Hunk
	for _, h := range hunks {
		if n := len(joined); n > 0 && visible(old[joined[n-1].AEnd:h.A]) <= island {
			joined[n-1].AEnd, joined[n-1].BEnd = h.AEnd, h.BEnd
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
func scattered(hunks []align.Hunk) []align.Hunk {
	if len(hunks) < scatteredRuns {
		return hunks
	}
	changed := 0
	for _, h := range hunks {
		changed += size(h)
	}
	first, last := hunks[0], hunks[len(hunks)-1]
	all := align.Hunk{A: first.A, AEnd: last.AEnd, B: first.B, BEnd: last.BEnd}
	if changed*100 < size(all)*scatteredPart {
		return hunks
	}
	return []align.Hunk{all}
}

// Runs compares two pieces of prose, such as the sides of a conflict, word by
// word.
func Runs(ctx context.Context, old, new string) []api.TextRun {
	return newDiffer(ctx).runs(content.KindParagraph, old, new, [2]string{})
}
