package diff

import (
	"context"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// An unchanged run of at most maxIsland characters between two changes is shown as part of the change. If a block has at least
// scatteredRuns changes that cover scatteredPercent percent of it, everything between them is shown as changed, since many
// small runs are hard to read.
const (
	maxIsland        = 3
	scatteredRuns    = 4
	scatteredPercent = 65
)

// size returns the number of changed tokens on both sides.
func size(h align.Hunk) int { return h.Removed() + h.Added() }

// changes returns the hunks between two lists of tokens, adjusted for readability.
func (d *differ) changes(old, new []token, lines bool) []align.Hunk {
	oldKeys, newKeys := d.keys(old, lines), d.keys(new, lines)
	var hunks []align.Hunk
	if lines {
		hunks = d.lineChanges(old, new, oldKeys, newKeys)
	} else {
		hunks = align.Hunks(d.Align(oldKeys, newKeys), len(old))
	}
	slideHunks(hunks, old, new, oldKeys, newKeys)
	return joinScattered(coalesce(hunks, old))
}

// keys returns the numbers of the tokens' keys, which include white space if it is significant.
func (d *differ) keys(list []token, lines bool) []int {
	keys := make([]int, len(list))
	for i, t := range list {
		key := t.key
		if lines && strings.Contains(t.space, "\n") {
			key = t.space + "\x00" + key
		}
		keys[i] = d.number(key)
	}
	return keys
}

// lineChanges aligns whole lines first, then words within the changed lines.
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

// linesOf returns the indexes of the first tokens of lines; the final token has a line of its own.
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
		keys[n] = d.number(line.String())
	}
	return keys
}

// slideHunks moves pure insertions and deletions to natural boundaries: the start of a line, of a sentence, of a word.
func slideHunks(hunks []align.Hunk, old, new []token, oldKeys, newKeys []int) {
	for n := range hunks {
		h := &hunks[n]
		up, down := h.A, len(old)-1-h.AEnd // the final token does not move
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

// slideBy returns the distance by which list[from:to] is moved, at most up or down; among equally good positions it
// chooses the last.
func slideBy(list []token, keys []int, from, to, up, down int) int {
	lowest := 0
	for -lowest < up && keys[from+lowest-1] == keys[to+lowest-1] {
		lowest--
	}
	best, by := -1, 0
	for at := lowest; ; at++ {
		if s := boundaryScore(list, from+at); s >= best {
			best, by = s, at
		}
		if at >= down || keys[from+at] != keys[to+at] {
			return by
		}
	}
}

// boundaryScore rates a position as the start of a change: 3 at the start of a line, 2 after the end of a sentence, 1 after
// other white space, 0 without white space before it.
func boundaryScore(list []token, at int) int {
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

// coalesce joins changes that are separated by at most maxIsland visible characters.
func coalesce(hunks []align.Hunk, old []token) []align.Hunk {
	var joined []align.Hunk
	for _, h := range hunks {
		if n := len(joined); n > 0 && visibleChars(old[joined[n-1].AEnd:h.A]) <= maxIsland {
			joined[n-1].AEnd, joined[n-1].BEnd = h.AEnd, h.BEnd
			continue
		}
		joined = append(joined, h)
	}
	return joined
}

// visibleChars returns the number of characters other than white space.
func visibleChars(list []token) int {
	count := 0
	for _, t := range list {
		count += utf8.RuneCountInString(t.text)
	}
	return count
}

// joinScattered joins many changes with little text between them to one.
func joinScattered(hunks []align.Hunk) []align.Hunk {
	if len(hunks) < scatteredRuns {
		return hunks
	}
	changed := 0
	for _, h := range hunks {
		changed += size(h)
	}
	first, last := hunks[0], hunks[len(hunks)-1]
	all := align.Hunk{A: first.A, AEnd: last.AEnd, B: first.B, BEnd: last.BEnd}
	if changed*100 < size(all)*scatteredPercent {
		return hunks
	}
	return []align.Hunk{all}
}

// Runs compares two pieces of prose, such as the sides of a conflict, word by word.
func Runs(ctx context.Context, old, new string) []api.TextRun {
	return newDiffer(ctx).runs(content.KindParagraph, old, new, [2]string{})
}
