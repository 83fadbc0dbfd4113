package comments_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// editor makes random edits like those of people. New text comes from a page that is not in the space.
type editor struct {
	*model
	random        *rand.Rand
	newParagraphs []string // paragraphs
}

// edits returns the kinds of edits; each edits one page.
func (e *editor) edits() []struct {
	name string
	make func(page int) bool
} {
	return []struct {
		name string
		make func(page int) bool
	}{
		{"sentence edited", e.editSentence},
		{"paragraph split", e.splitParagraph},
		{"paragraphs joined", e.joinParagraphs},
		{"moved within the page", e.moveWithin},
		{"moved to another page", e.moveAway},
		{"heading renamed", e.renameHeading},
		{"list reordered", e.reorderList},
		{"paragraph rewritten", e.rewrite},
		{"table row added", e.addRow},
		{"page split", e.splitPage},
	}
}

// pick returns the index of a random block that fits, or -1.
func (e *editor) pick(page int, fits func(*modelBlock) bool) int {
	blocks := e.pages[page].blocks
	for _, i := range e.random.Perm(len(blocks)) {
		if fits(blocks[i]) {
			return i
		}
	}
	return -1
}

func isParagraph(b *modelBlock) bool { return b.kind == content.KindParagraph }

func (e *editor) paragraph() string { return e.newParagraphs[e.random.IntN(len(e.newParagraphs))] }

// editSentence replaces two words of a sentence and adds one.
func (e *editor) editSentence(page int) bool {
	at := e.pick(page, func(b *modelBlock) bool {
		return isParagraph(b) && slices.ContainsFunc(b.units, func(u *unit) bool { return len(strings.Fields(u.text)) >= 8 })
	})
	if at < 0 {
		return false
	}
	for _, u := range e.pages[page].blocks[at].units {
		words := strings.Fields(u.text)
		if len(words) < 8 {
			continue
		}
		other := strings.Fields(e.paragraph())
		words[2], words[len(words)-3] = other[0], other[1]
		u.text, u.edited = strings.Join(slices.Insert(words, 4, other[2]), " "), true
		return true
	}
	return false
}

func (e *editor) splitParagraph(page int) bool {
	at := e.pick(page, func(b *modelBlock) bool { return isParagraph(b) && len(b.units) > 1 })
	if at < 0 {
		return false
	}
	p := e.pages[page]
	b := p.blocks[at]
	cut := 1 + e.random.IntN(len(b.units)-1)
	p.blocks = slices.Insert(p.blocks, at+1, &modelBlock{kind: b.kind, separator: b.separator, units: slices.Clone(b.units[cut:])})
	b.units = slices.Clone(b.units[:cut])
	return true
}

func (e *editor) joinParagraphs(page int) bool {
	p := e.pages[page]
	for _, i := range e.random.Perm(len(p.blocks)) {
		if i+1 < len(p.blocks) && isParagraph(p.blocks[i]) && isParagraph(p.blocks[i+1]) {
			p.blocks[i].units = append(p.blocks[i].units, p.blocks[i+1].units...)
			p.blocks = slices.Delete(p.blocks, i+1, i+2)
			return true
		}
	}
	return false
}

// takeParagraph removes and returns a random paragraph.
func (e *editor) takeParagraph(page int) *modelBlock {
	at := e.pick(page, isParagraph)
	if at < 0 || len(e.pages[page].blocks) < 3 {
		return nil
	}
	b := e.pages[page].blocks[at]
	e.pages[page].blocks = slices.Delete(e.pages[page].blocks, at, at+1)
	return b
}

func (e *editor) putParagraph(page int, b *modelBlock) {
	p := e.pages[page]
	at := 1 + e.random.IntN(len(p.blocks))
	for at < len(p.blocks) && p.blocks[at-1].kind == content.KindItem { // insert after the list, not within it
		at++
	}
	p.blocks = slices.Insert(p.blocks, at, b)
}

func (e *editor) moveWithin(page int) bool {
	b := e.takeParagraph(page)
	if b != nil {
		e.putParagraph(page, b)
	}
	return b != nil
}

func (e *editor) moveAway(page int) bool {
	b := e.takeParagraph(page)
	if b != nil {
		e.putParagraph((page+1+e.random.IntN(len(e.pages)-1))%len(e.pages), b)
	}
	return b != nil
}

func (e *editor) renameHeading(page int) bool {
	at := e.pick(page, func(b *modelBlock) bool { return b.kind == content.KindHeading })
	if at < 0 {
		return false
	}
	u := e.pages[page].blocks[at].units[0]
	mark, title, _ := strings.Cut(u.text, " ")
	words := strings.Fields(e.paragraph())
	if e.random.IntN(2) == 0 {
		title += " " + words[0] // longer
	} else {
		title = strings.Join(words[:3], " ") // another one
	}
	u.text, u.edited = mark+" "+title, true
	return true
}

func (e *editor) reorderList(page int) bool {
	run := e.pages[page].firstRun(content.KindItem)
	if run == nil {
		return false
	}
	items := e.pages[page].blocks[run[0] : run[len(run)-1]+1]
	e.random.Shuffle(len(items), func(i, k int) { items[i], items[k] = items[k], items[i] })
	return true
}

func (e *editor) rewrite(page int) bool {
	at := e.pick(page, isParagraph)
	if at < 0 {
		return false
	}
	e.pages[page].blocks[at].units = []*unit{{text: e.paragraph(), inserted: true}}
	return true
}

func (e *editor) addRow(page int) bool {
	run := e.pages[page].firstRun(content.KindTable)
	if run == nil {
		return false
	}
	b := e.pages[page].blocks[run[e.random.IntN(len(run))]]
	row := "|" + strings.Repeat(" "+strings.Fields(e.paragraph())[1]+" |", strings.Count(b.units[0].text, "|")-1)
	b.units = slices.Insert(b.units, 2+e.random.IntN(len(b.units)-1), &unit{text: row, inserted: true})
	return true
}

// splitPage moves the part of a page from a heading in its middle to a new page.
func (e *editor) splitPage(page int) bool {
	p := e.pages[page]
	for i := len(p.blocks) / 2; i < len(p.blocks); i++ {
		if p.blocks[i].kind == content.KindHeading || i+1 == len(p.blocks) {
			e.pages = append(e.pages, &modelPage{blocks: slices.Clone(p.blocks[i:])})
			p.blocks = p.blocks[:i:i]
			return true
		}
	}
	return false
}
