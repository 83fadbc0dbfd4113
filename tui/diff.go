package tui

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// This file compares two page trees and two texts. It is pure, and goes away when the server answers the same
// question, so that every client draws the same changes.

// pageChange is what became of a page.
type pageChange struct {
	id            string
	before, after *entry // nil where the page is not there
	edited        bool   // its text
	moved         bool   // to another parent or path
	renamed       bool
	properties    bool // something else: emoji, description, visibility
}

// page is the page as it is, or was.
func (c pageChange) page() api.RevisionPage {
	if c.after != nil {
		return c.after.page
	}
	return c.before.page
}

func (c pageChange) sign() string {
	switch {
	case c.before == nil:
		return "+"
	case c.after == nil:
		return "-"
	default:
		return "~"
	}
}

func (c pageChange) tone() text.Tone {
	return map[string]text.Tone{"+": text.Added, "-": text.Removed, "~": text.Accent}[c.sign()]
}

// what says what happened to the page, for people.
func (c pageChange) what() string {
	switch {
	case c.before == nil:
		return "new"
	case c.after == nil:
		return "deleted"
	}
	var parts []string
	if c.edited {
		parts = append(parts, "edited")
	}
	if c.renamed {
		parts = append(parts, "was “"+c.before.page.Title+"”")
	}
	if c.moved {
		parts = append(parts, "was at "+c.before.page.Path)
	}
	if c.properties {
		parts = append(parts, "settings")
	}
	return strings.Join(parts, ", ")
}

// changedPages compares two trees: pages that are there now in reading order, then those that are gone.
func changedPages(before, after []api.RevisionPage) []pageChange {
	old := map[string]*entry{}
	gone := flatten(before)
	for i := range gone {
		old[gone[i].page.ID] = &gone[i]
	}
	var out []pageChange
	kept := map[string]bool{}
	now := flatten(after)
	for i := range now {
		id := now[i].page.ID
		kept[id] = true
		c := compare(old[id], &now[i])
		if c.before == nil || c.edited || c.moved || c.renamed || c.properties {
			out = append(out, c)
		}
	}
	for i := range gone {
		if id := gone[i].page.ID; !kept[id] {
			out = append(out, pageChange{id: id, before: &gone[i]})
		}
	}
	return out
}

func compare(before, after *entry) pageChange {
	c := pageChange{id: after.page.ID, before: before, after: after}
	if before == nil {
		return c
	}
	c.edited = before.page.DocumentID != after.page.DocumentID
	c.moved = before.parent != after.parent || before.page.Slug != after.page.Slug
	c.renamed = before.page.Title != after.page.Title
	c.properties = !reflect.DeepEqual(settings(before.page), settings(after.page))
	return c
}

// settings are the members of a page that are neither its text nor its name nor its place.
func settings(p api.RevisionPage) api.RevisionPage {
	p.Title, p.Slug, p.Path, p.DocumentID, p.Pages, p.URLs, p.Markdown, p.Blocks = "", "", "", "", nil, api.PageURLs{}, nil, nil
	p.CreatedAt, p.UpdatedAt = api.Time{}, api.Time{}
	return p
}

// operation is what happened to a piece of a text.
type operation int

const (
	same operation = iota
	removed
	added
	edited
	moved // it stands elsewhere now, and may be edited
)

// blockChange is what became of a block.
type blockChange struct {
	op       operation
	old, new passage
}

// diffBlocks aligns the blocks of two texts by their ids; what is left between two that are in both is paired when
// it is alike.
func diffBlocks(old, new []passage) []blockChange {
	pairs := common(blockKeys(old), blockKeys(new))
	oldAt := map[string]passage{}
	for _, b := range old {
		oldAt[b.id] = b
	}
	newHas := map[string]bool{}
	for _, b := range new {
		newHas[b.id] = true
	}
	var out []blockChange
	i, j := 0, 0
	for _, pair := range append(pairs, [2]int{len(old), len(new)}) {
		out = append(out, gap(old[i:pair[0]], new[j:pair[1]], oldAt, newHas)...)
		if pair[0] < len(old) {
			out = append(out, blockChange{op: changed(old[pair[0]], new[pair[1]]), old: old[pair[0]], new: new[pair[1]]})
		}
		i, j = pair[0]+1, pair[1]+1
	}
	return out
}

func changed(old, new passage) operation {
	if old.text == new.text {
		return same
	}
	return edited
}

func blockKeys(blocks []passage) []string {
	keys := make([]string, len(blocks))
	for i, b := range blocks {
		keys[i] = b.id
		if b.id == "" {
			keys[i] = "text:" + b.text
		}
	}
	return keys
}

// gap says what became of blocks between two that kept their order.
func gap(old, new []passage, oldAt map[string]passage, newHas map[string]bool) []blockChange {
	var gone []passage
	for _, b := range old {
		if b.id == "" || !newHas[b.id] { // the others are shown where they stand now
			gone = append(gone, b)
		}
	}
	var out []blockChange
	for _, b := range new {
		if was, ok := oldAt[b.id]; ok && b.id != "" {
			out = append(out, blockChange{op: moved, old: was, new: b})
			continue
		}
		at := likeliest(gone, b)
		if at < 0 {
			out = append(out, blockChange{op: added, new: b})
			continue
		}
		for _, r := range gone[:at] {
			out = append(out, blockChange{op: removed, old: r})
		}
		out = append(out, blockChange{op: changed(gone[at], b), old: gone[at], new: b})
		gone = gone[at+1:]
	}
	for _, r := range gone {
		out = append(out, blockChange{op: removed, old: r})
	}
	return out
}

// enoughAlike is the share of common words from which two blocks are one that was edited.
const enoughAlike = 0.4

// lookAhead bounds how many removed blocks are compared with a new one.
const lookAhead = 16

func likeliest(gone []passage, b passage) int {
	best, at := enoughAlike, -1
	for i := range min(len(gone), lookAhead) {
		if gone[i].kind != b.kind {
			continue
		}
		if alike := similarity(gone[i].text, b.text); alike > best {
			best, at = alike, i
		}
	}
	return at
}

// similarity is the share of words that two texts have in common, from 0 to 1.
func similarity(a, b string) float64 {
	count := map[string]int{}
	left, right := strings.Fields(a), strings.Fields(b)
	for _, w := range left {
		count[w]++
	}
	both := 0
	for _, w := range right {
		if count[w] > 0 {
			count[w]--
			both++
		}
	}
	if len(left)+len(right) == 0 {
		return 1
	}
	return 2 * float64(both) / float64(len(left)+len(right))
}

// piece is a run of a text that has one fate.
type piece struct {
	op   operation
	text string
}

// diffWords compares two texts word by word. A line break is a space, so that wrapping a paragraph anew is no
// change; what stands alone between two changes goes with them.
func diffWords(old, new string) []piece {
	a, b := tokens(old), tokens(new)
	return coalesce(edits(a, b, wordKey))
}

// diffLines compares two texts line by line.
func diffLines(old, new string) []piece {
	split := func(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }
	return edits(split(old), split(new), func(s string) string { return s })
}

// edits turns one list of tokens into the other.
func edits(a, b []string, key func(string) string) []piece {
	keys := func(all []string) []string {
		out := make([]string, len(all))
		for i, t := range all {
			out[i] = key(t)
		}
		return out
	}
	var out []piece
	i, j := 0, 0
	for _, pair := range append(common(keys(a), keys(b)), [2]int{len(a), len(b)}) {
		for _, t := range a[i:pair[0]] {
			out = append(out, piece{removed, t})
		}
		for _, t := range b[j:pair[1]] {
			out = append(out, piece{added, t})
		}
		if pair[0] < len(a) {
			out = append(out, piece{same, b[pair[1]]})
		}
		i, j = pair[0]+1, pair[1]+1
	}
	return out
}

// tokens cuts a text into words, runs of white space, and single other characters.
func tokens(s string) []string {
	var out []string
	for s != "" {
		first, size := utf8.DecodeRuneInString(s)
		class := classOf(first)
		end := size
		for class != classOther && end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if classOf(r) != class {
				break
			}
			end += n
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

const (
	classOther = iota
	classSpace
	classWord
)

func classOf(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return classSpace
	case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r):
		return classOther // there are no spaces between words
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '\'', r == '’':
		return classWord
	default:
		return classOther
	}
}

func wordKey(token string) string {
	if first, _ := utf8.DecodeRuneInString(token); unicode.IsSpace(first) {
		if strings.Count(token, "\n") > 1 {
			return "\n\n"
		}
		return " "
	}
	return token
}

// island is the size in characters up to which equal text between two changes is drawn with them.
const island = 3

// coalesce joins pieces of one fate, and puts what was removed before what was added.
func coalesce(pieces []piece) []piece {
	var out []piece
	for i := 0; i < len(pieces); {
		if pieces[i].op == same {
			out = joinPiece(out, pieces[i])
			i++
			continue
		}
		var gone, come strings.Builder
		end := i
		for at := i; at < len(pieces); at++ {
			if pieces[at].op != same {
				end = at + 1
			} else if !smallIsland(pieces, at, end) {
				break
			}
		}
		for _, p := range pieces[i:end] {
			if p.op != added {
				gone.WriteString(p.text)
			}
			if p.op != removed {
				come.WriteString(p.text)
			}
		}
		out = joinPiece(joinPiece(out, piece{removed, gone.String()}), piece{added, come.String()})
		i = end
	}
	return out
}

// smallIsland reports whether the equal text from start to at is short enough to be drawn as changed.
func smallIsland(pieces []piece, at, start int) bool {
	size := 0
	for _, p := range pieces[start : at+1] {
		size += utf8.RuneCountInString(strings.TrimSpace(p.text))
	}
	return size <= island
}

func joinPiece(out []piece, p piece) []piece {
	if p.text == "" {
		return out
	}
	if last := len(out) - 1; last >= 0 && out[last].op == p.op {
		out[last].text += p.text
		return out
	}
	return append(out, p)
}
