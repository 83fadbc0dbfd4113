package merge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/server/text/align"
)

// noSide is the result of includingSide if neither side includes the changes of the other.
const noSide = -1

// includingSide returns the side that has all changes of the other side of a text and more, or noSide. A nil value means that the
// version does not have the text. alignTokens aligns the tokens of a side with those of base.
func includingSide(alignTokens aligner, base, ours, theirs *string) int {
	if ours == nil || theirs == nil {
		return noSide
	}
	b, o, t := tokens(text(base)), tokens(*ours), tokens(*theirs)
	switch {
	case includes(alignTokens, b, o, t):
		return inOurs
	case includes(alignTokens, b, t, o):
		return inTheirs
	}
	return noSide
}

// includes reports whether each change from base to less is also one from base to more. The latter may insert further words before or
// after those that less inserts at the same place, and delete further ones around those that less deletes.
func includes(alignTokens aligner, base, more, less []string) bool {
	have := align.Hunks(alignTokens(base, more), len(base))
	for _, h := range align.Hunks(alignTokens(base, less), len(base)) {
		for len(have) > 1 && have[1].A <= h.A {
			have = have[1:]
		}
		if len(have) == 0 || !includesHunk(have[0], h, more[have[0].B:have[0].BEnd], less[h.B:h.BEnd]) {
			return false
		}
	}
	return true
}

// includesHunk reports whether the change g, which inserts all, includes the change h, which inserts part.
func includesHunk(g, h align.Hunk, all, part []string) bool {
	if len(part) == 0 {
		return len(all) == 0 && g.A <= h.A && h.AEnd <= g.AEnd
	}
	return g.A == h.A && g.AEnd == h.AEnd && beginsOrEndsWith(all, part)
}

// beginsOrEndsWith reports whether list begins or ends with part, and no mark before the end makes it another thing.
func beginsOrEndsWith(list, part []string) bool {
	n := len(list) - len(part)
	return n >= 0 && (slices.Equal(list[:len(part)], part) || slices.Equal(list[n:], part) && !endsInMark(list[:n]))
}

// endsInMark reports whether the last line of a text ends in signs or is an indentation that say what the text after them is: a
// heading, an item, a quote, an expression, a comment of code.
func endsInMark(list []string) bool {
	from := len(list)
	for from > 0 && !strings.HasSuffix(list[from-1], "\n") {
		from--
	}
	return mark.MatchString(strings.Join(list[from:], ""))
}

// mark matches a line without a word, the marker of an item, and a line that ends in a sign that does not close anything.
var mark = regexp.MustCompile(`^([^\p{L}\p{M}\p{N}]+|\s*[0-9]+[.)]\s*|\s*[-+*]\s+\[.\]\s*)$` +
	"|[^\\p{L}\\p{M}\\p{N}\\s.,;:!?…。、！？｡)\\]}\"'”’»|*_`]\\s*$")

// Signs that belong to a word: those directly before a letter or digit (10.5, -5, can't, a/b), and those directly after the last.
const (
	joiningSigns = `-+~!?<>=≤≥±$€£¥#@&%^./\§:;,'’_`
	closingSigns = `%‰°+#$€£¥`
)

// tokens cuts a text into words with the signs that belong to them, white space, and runs of an equal sign.
func tokens(text string) (list []string) {
	next := func(n int) { list, text = append(list, text[:n]), text[n:] }
	for text != "" {
		run := leading(text, func(r rune) bool { return isLetter(r) || strings.ContainsRune(joiningSigns, r) })
		rest := len(text) - run
		if last := strings.LastIndexFunc(text[:run], isLetter); last >= 0 {
			end := last + leading(text[last:run], isLetter)
			next(end + leading(text[end:], func(r rune) bool { return strings.ContainsRune(closingSigns, r) }))
		}
		for len(text) > rest {
			next(equalSigns(text))
		}
		if run == 0 {
			next(max(leading(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) }), equalSigns(text)))
		}
	}
	return list
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// equalSigns returns the length of the run of the first character.
func equalSigns(text string) int {
	first, _ := utf8.DecodeRuneInString(text)
	return leading(text, func(r rune) bool { return r == first })
}

// leading returns the length of the beginning of text whose characters are all in a class.
func leading(text string, class func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !class(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// includingAdditions returns the side whose insertion of blocks at the position of a region has that of the other side and more, or
// noSide. Blocks that were moved there, or that replace others, are not insertions.
func (m *textMerge) includingAdditions(r *region) int {
	if r.hi > r.lo || len(r.ours) != 1 || len(r.theirs) != 1 {
		return noSide
	}
	for side, h := range map[int]align.Hunk{inOurs: r.ours[0], inTheirs: r.theirs[0]} {
		for i := h.B; i < h.BEnd; i++ {
			if v := &m.versions[side]; v.moved[v.id(i)] {
				return noSide
			}
		}
	}
	ours, theirs := m.render(m.unmergedElements(r.ours, inOurs)), m.render(m.unmergedElements(r.theirs, inTheirs))
	return includingSide(alignDown, nil, &ours, &theirs)
}

// sharedIDs gives the blocks of a side's insertion that the other side inserted, too, the ids that both choose.
func (m *textMerge) sharedIDs(list []element, other int, h align.Hunk) []element {
	v, used := &m.versions[other], map[string]bool{}
	for _, e := range list {
		used[e.id] = true
	}
	next := h.B
	for i := range list {
		k := next
		for k < h.BEnd && v.bodies[k] != list[i].text {
			k++
		}
		if k == h.BEnd {
			continue
		}
		next, list[i].pos[other] = k+1, k
		if id := v.id(k); id < list[i].id && !used[id] {
			list[i].id, used[id] = id, true
		}
	}
	return list
}
