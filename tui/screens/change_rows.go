package screens

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// resultRows draws the page as it is after the change.
func (p *changePage) resultRows(blocks []render.BlockChange, width int) []components.Row {
	var rows []components.Row
	for _, b := range blocks {
		if b.Removed() {
			continue
		}
		on := p.threads.blockThreads(b.New.ID)
		phrases := append(p.threads.phrases(on), p.threads.unsentPhrases(b.New.ID)...)
		rows = append(rows, markPhrases(p.versionRows(b, false, width), phrases, 1)...)
		rows = append(rows, p.threads.blockThreadRows(on, b.New.Text, width)...)
		rows = append(rows, p.threads.unsentRows(b.New.ID, width)...)
	}
	return rows
}

// earlierRows draws the page as it was before the change.
func (p *changePage) earlierRows(blocks []render.BlockChange, width int) []components.Row {
	var rows []components.Row
	for _, b := range blocks {
		if b.Old.Text == "" {
			continue
		}
		rows = append(rows, p.versionRows(b, true, width)...)
	}
	return rows
}

// evaluatedRows draws the page with its variables and reusable contents evaluated. Its lines have no comments, because they are
// not those of the source.
func (p *changePage) evaluatedRows(width int) []components.Row {
	c := p.currentChange()
	if c.Deleted || c.Page.Type != api.PageDocument {
		return []components.Row{{Key: "readers", Line: render.Line{render.In(render.Dim, "Readers see no text here.")}.Cut(width)}}
	}
	state := p.evaluatedText.LoadState
	if state.Err != nil {
		state.Loaded = false // an outdated text is not shown
	}
	if rows := p.StateRows(state, false, "", width); rows != nil {
		return rows
	}
	var rows []components.Row
	const key = "readers"
	lines, pan := render.MarkdownAt(p.evaluatedText.Latest, width, p.At(key))
	for _, line := range lines {
		rows = append(rows, components.Row{Key: key, Line: line, Pan: pan})
	}
	return rows
}

// versionRows draws one version of a block, the old or the new one. The first line that differs from the other version is
// marked as a change.
func (p *changePage) versionRows(b render.BlockChange, old bool, width int) []components.Row {
	version := b.New
	if old {
		version = b.Old
	}
	key := blockKey(version.ID)
	about := components.Subject{Page: version.Page, Block: version.ID, Quote: version.Text, QuoteOffset: version.Lead}
	if old {
		about = components.Subject{Page: deletedPageID, Quote: version.Text}
	}
	drawn := b.DrawVersion(old, render.View{Width: width, Marks: render.MarksFor(p.Session.HasGrounds), At: p.At(key)})
	var rows []components.Row
	for i, line := range drawn.Lines {
		rows = append(rows, components.Row{Key: key, Line: line, About: about, Pan: drawn.Pan, Change: i == drawn.First && b.Changed()})
	}
	if !version.InList && len(rows) > 0 {
		rows = append(rows, components.Row{Key: key, About: about})
	}
	return rows
}

// markPhrases highlights phrases, the subjects of threads, in the rows of a block.
func markPhrases(rows []components.Row, phrases []string, signs int) []components.Row {
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

// changeRows draws the changed blocks with their context and folds the other blocks.
func (p *changePage) changeRows(blocks []render.BlockChange, width int) []components.Row {
	near := render.WithContext(blocks, func(b render.BlockChange) bool {
		return b.Changed() || p.incoming.keys.Latest[changeKey(b)] || len(p.threads.blockThreads(b.New.ID)) > 0 ||
			len(p.threads.unsentRows(b.New.ID, width)) > 0
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

// foldKeyPrefix is the prefix of the keys of rows of folded blocks.
const foldKeyPrefix = "fold/"

// foldRule draws a label that a rule extends to the edge of the column.
func foldRule(label string, width int) render.Line {
	return render.Line{render.In(render.Faint, label+strings.Repeat("┄", max(width-len([]rune(label)), 0)))}.Cut(width)
}

// foldRows draws the blocks of an open fold, or one row for a closed one.
func (p *changePage) foldRows(blocks []render.BlockChange, at, width int) []components.Row {
	if !p.allUnfolded && !p.openFolds[at] {
		label := fmt.Sprintf("┄┄┄ %s unchanged · ⏎ opens ", render.Plural(len(blocks), "block"))
		key := foldKeyPrefix + strconv.Itoa(at)
		return []components.Row{{Key: key, Line: foldRule(label, width), About: components.Subject{At: at}}, {Key: key}}
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

// onFold reports whether the cursor is on a closed fold.
func (p *changePage) onFold() bool {
	r, _ := p.Selected()
	return strings.HasPrefix(r.Key, foldKeyPrefix)
}

// toggleFold opens the fold under the cursor or closes the one that contains the cursor. Elsewhere it opens or closes
// all folds.
func (p *changePage) toggleFold() tea.Cmd {
	about := p.About()
	switch {
	case p.onFold():
		p.openFolds[about.At] = true
	case about.Comment != "":
		p.threads.toggleFold(about.Comment)
	case !p.allUnfolded && about.Fold > 0:
		delete(p.openFolds, about.Fold-1)
		p.List.SelectKey(foldKeyPrefix + strconv.Itoa(about.Fold-1))
	default:
		p.allUnfolded = !p.allUnfolded
		clear(p.openFolds)
	}
	return nil
}

// OpenHint returns the hint of Open.
func (p *changePage) OpenHint() string {
	switch about := p.About(); {
	case p.onFold():
		return "unfold"
	case p.threads.isFolded(about.Comment):
		return "unfold"
	case p.currentChange().Deleted:
		return ""
	default:
		return "page"
	}
}

// Open opens the fold under the cursor. Elsewhere it shows the whole page after the change, at the block under the
// cursor.
func (p *changePage) Open() tea.Cmd {
	if p.onFold() || p.threads.isFolded(p.About().Comment) {
		return p.toggleFold()
	}
	if p.currentChange().Deleted {
		return nil
	}
	whole := newReaderPage(p.Session, p.target, p.currentChange().RevisionPage())
	whole.List.SelectKey(blockKey(p.About().Block))
	return page.Push(whole)
}

// blockRows draws the diff of a block and its threads.
func (p *changePage) blockRows(b render.BlockChange, at, width int) []components.Row {
	about := components.Subject{
		Page: p.currentChange().Page.ID, Block: b.New.ID, Quote: b.New.Text, QuoteOffset: b.New.Lead, AddedOffset: b.FirstAddedOffset(),
		At: at,
	}
	key := changeKey(b)
	if b.Removed() {
		about = components.Subject{Page: deletedPageID, Quote: b.Old.Text, At: at}
	}
	var rows []components.Row
	drawn := b.Draw(render.View{
		Width: width, Marks: render.MarksFor(p.Session.HasGrounds), Split: p.splitFits(width), At: p.At(key),
	})
	for _, line := range drawn.Lines {
		rows = append(rows, components.Row{Key: key, Line: line, About: about, Pan: drawn.Pan})
	}
	on := p.threads.blockThreads(b.New.ID)
	var phrases []string
	if !p.splitFits(width) {
		phrases = append(p.threads.phrases(on), p.threads.unsentPhrases(b.New.ID)...)
	}
	if len(rows) > 0 {
		rows[drawn.First].Change = b.Changed()
	}
	rows = append(p.incomingRows(b, about, width), markPhrases(rows, phrases, 1)...)
	rows = append(append(rows, p.overlapRow(b, key, about, width)...), components.Row{Key: key, About: about})
	rows = append(rows, p.threads.blockThreadRows(on, b.New.Text, render.ProseWidth(width))...)
	return append(rows, p.threads.unsentRows(b.New.ID, render.ProseWidth(width))...)
}
