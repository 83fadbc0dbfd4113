package screens

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// resultRows draw the page as it is after the change.
func (p *change) resultRows(blocks []render.BlockChange, width int) []components.Row {
	var rows []components.Row
	for _, b := range blocks {
		if b.Gone() {
			continue
		}
		on := p.threads.On(b.New.ID)
		rows = append(rows, marked(wholeRows(b, b.New, width), append(p.threads.Phrases(on), p.threads.UnsentPhrases(b.New.ID)...), 0)...)
		rows = append(rows, p.threads.Under(on, b.New.Text, width)...)
		rows = append(rows, p.threads.Unsent(b.New.ID, width)...)
	}
	return rows
}

// earlierRows draw the page as it was before the change.
func (p *change) earlierRows(blocks []render.BlockChange, width int) []components.Row {
	var rows []components.Row
	for _, b := range blocks {
		if b.Old.Text == "" {
			continue
		}
		drawn := wholeRows(b, b.Old, width)
		for i := range drawn {
			drawn[i].About = components.Subject{Page: goneText, Quote: b.Old.Text}
		}
		rows = append(rows, drawn...)
	}
	return rows
}

// wholeRows draw one version of a block, the first line that differs from the other one as that of a change.
func wholeRows(b render.BlockChange, version render.Passage, width int) []components.Row {
	rows := blockRows(version, width)
	lines := version.Lines(width)
	if len(lines) > 0 {
		rows[b.FirstDrawn(lines, version, width)].Change = b.Changed()
	}
	return rows
}

// marked are the rows of a block with the phrases that threads are about.
func marked(rows []components.Row, phrases []string, signs int) []components.Row {
	lines := make([]render.Line, len(rows))
	for i := range rows {
		lines[i] = rows[i].Line
	}
	for _, phrase := range phrases {
		lines = render.MarkPhrase(lines, phrase, render.Anchor, signs)
	}
	for i := range rows {
		rows[i].Line = lines[i]
	}
	return rows
}

// changeRows draw what changed, with what is around it; the rest is folded.
func (p *change) changeRows(blocks []render.BlockChange, width int) []components.Row {
	near := render.Near(blocks, func(b render.BlockChange) bool {
		return b.Changed() || len(p.threads.On(b.New.ID)) > 0 || len(p.threads.Unsent(b.New.ID, width)) > 0
	})
	var rows []components.Row
	for i := 0; i < len(blocks); {
		end := i
		for end < len(blocks) && !near[end] {
			end++
		}
		if end > i {
			rows = append(rows, p.foldRows(blocks[i:end], i, width)...)
			i = end
			continue
		}
		rows = append(rows, p.blockRows(blocks[i], i, width)...)
		i++
	}
	return rows
}

// foldKey begins the keys of the rows that stand for folded blocks.
const foldKey = "fold/"

// foldRows draw the blocks of a fold when it is open, and one row for them when not.
func (p *change) foldRows(blocks []render.BlockChange, at, width int) []components.Row {
	if !p.unfold && !p.opened[at] {
		what := fmt.Sprintf("┄┄┄ %s unchanged · ⏎ opens ", render.Plural(len(blocks), "block"))
		line := render.Line{render.In(render.Faint, what+strings.Repeat("┄", max(min(width, 60)-len([]rune(what)), 0)))}
		key := foldKey + strconv.Itoa(at)
		return []components.Row{{Key: key, Line: line.Cut(width), About: components.Subject{At: at}}, {Key: key}}
	}
	var rows []components.Row
	for i, b := range blocks {
		drawn := p.blockRows(b, at+i, width)
		for j := range drawn {
			drawn[j].About.Fold = at + 1
		}
		rows = append(rows, drawn...)
	}
	return rows
}

// onFold reports whether the cursor is on folded blocks.
func (p *change) onFold() bool {
	r, _ := p.Selected()
	return strings.HasPrefix(r.Key, foldKey)
}

// turnFold opens the fold under the cursor or closes the one around it; elsewhere it opens or closes all.
func (p *change) turnFold() tea.Cmd {
	about := p.About()
	switch {
	case p.onFold():
		p.opened[about.At] = true
	case about.Comment != "":
		p.threads.TurnFold(about.Comment)
	case !p.unfold && about.Fold > 0:
		delete(p.opened, about.Fold-1)
		p.List.Want(foldKey + strconv.Itoa(about.Fold-1))
	default:
		p.unfold = !p.unfold
		clear(p.opened)
	}
	return nil
}

// Opens says what Open does.
func (p *change) Opens() string {
	switch about := p.About(); {
	case p.onFold():
		return "unfold"
	case p.threads.Folded(about.Comment):
		return "unfold"
	case p.now().Deleted:
		return ""
	default:
		return "page"
	}
}

// Open unfolds what is folded under the cursor; elsewhere it shows the whole page as it is after the change, at the
// block under the cursor.
func (p *change) Open() tea.Cmd {
	if p.onFold() || p.threads.Folded(p.About().Comment) {
		return p.turnFold()
	}
	if p.now().Deleted {
		return nil
	}
	whole := newReader(p.Session, p.at, p.now().Shown())
	whole.List.Want(blockKey(p.About().Block))
	return page.Push(whole)
}

// blockRows draw what became of a block, and the threads on it.
func (p *change) blockRows(b render.BlockChange, at, width int) []components.Row {
	about := components.Subject{Page: p.now().Page.ID, Block: b.New.ID, Quote: b.New.Text, Lead: b.New.Lead, Fresh: b.Fresh(), At: at}
	key := blockKey(b.New.ID)
	if b.Gone() {
		about, key = components.Subject{Page: goneText, Quote: b.Old.Text, At: at}, "removed/"+b.Old.ID
	}
	var rows []components.Row
	lines := p.blockLines(b, width)
	for _, line := range lines {
		rows = append(rows, components.Row{Key: key, Line: line, About: about})
	}
	on := p.threads.On(b.New.ID)
	var phrases []string
	if !p.wide(width) {
		phrases = append(p.threads.Phrases(on), p.threads.UnsentPhrases(b.New.ID)...)
	}
	if len(rows) > 0 {
		rows[b.First(lines, p.wide(width), width, render.MarksOn(p.Session.Grounded))].Change = b.Changed()
	}
	rows = marked(rows, phrases, 1)
	rows = append(append(rows, p.overlapRow(b, key, about, width)...), components.Row{Key: key, About: about})
	rows = append(rows, p.threads.Under(on, b.New.Text, render.Measure(width))...)
	return append(rows, p.threads.Unsent(b.New.ID, render.Measure(width))...)
}

func (p *change) blockLines(b render.BlockChange, width int) []render.Line {
	if p.wide(width) {
		return b.Split(width, render.MarksOn(p.Session.Grounded))
	}
	return b.Unified(width, render.MarksOn(p.Session.Grounded))
}
