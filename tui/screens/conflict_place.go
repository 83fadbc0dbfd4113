package screens

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
)

// Where says at which conflict the cursor is, for the first line of the screen.
func (p *ConflictsPage) Where() render.Line {
	decided := len(p.all) - p.undecided()
	where := render.Plural(len(p.all), "conflict")
	if r, ok := p.Selected(); ok && r.About.At >= 0 {
		where = fmt.Sprintf("conflict %d of %d", r.About.At+1, len(p.all))
	}
	line := render.Line{render.In(render.Dim, fmt.Sprintf("%s · %d decided ", where, decided))}
	return append(line, render.Bar(decided, len(p.all))...)
}

// Opens says what Open does.
func (p *ConflictsPage) Opens() string {
	if p.About().Comment != "" {
		return "go to it"
	}
	return ""
}

// Open shows the place of the thread under the cursor.
func (p *ConflictsPage) Open() tea.Cmd {
	if th, _ := p.threads.Selected(); th != nil {
		return p.show(th.Comment)
	}
	return nil
}

// threadRows list what was said about the place of a conflict and is open: about its paragraph or, where it is about a page as
// a whole, about the page.
func (p *ConflictsPage) threadRows(at int, c api.Conflict, width int) []components.Row {
	list := p.threads.Shown(func(th *Thread) bool {
		id, _ := PageOf(th.Comment)
		return th.Status == api.CommentOpen && id == c.Page && c.Page != "" && (c.Block == "" || th.Target.Node != nil && nodeOf(th) == c.Block)
	})
	if len(list) == 0 {
		return nil
	}
	title := "Threads on this paragraph"
	if c.Block == "" {
		title = "Threads on this page"
	}
	rows := []components.Row{{Key: rowKey(c), Line: append(render.Line{render.Plain("  ")}, render.In(render.Dim, title)).Cut(width), About: components.Subject{At: at}, Skip: true}}
	for _, th := range list {
		row := p.threads.Brief(th, max(width-2, 1))
		row.Line = render.Join(render.Line{render.Plain("  ")}, row.Line).Cut(width)
		row.About.At = at
		rows = append(rows, row)
	}
	return rows
}

// nodeOf is the block that a thread stands on now.
func nodeOf(th *Thread) string {
	if a := th.Target.Anchor; a != nil {
		return a.Node
	}
	return th.Target.Node.ID
}

// resultLines say how the place will read by a decision: with the text around it. Where both sides put something in the same
// place, that is of other paragraphs; elsewhere it is of the same one.
func resultLines(c api.Conflict, decision api.Resolution, width int) []render.Line {
	chosen, ok := chosenText(c, decision)
	if !ok || !readsAsText(c) {
		return nil
	}
	const title = "┄┄ as it will read "
	head := render.Line{render.In(render.Faint, "  "+title+strings.Repeat("┄", max(min(width, 60)-len([]rune(title))-2, 0)))}
	around := func(words string) render.Line {
		return render.Line{render.In(render.Dim, strings.TrimSpace(c.Readable(words)))}
	}
	paragraphs := paragraphsOf(c.Readable(chosen), render.Style{Bold: true})
	if c.Before != "" {
		paragraphs = joinNote(paragraphs, 0, around(c.Before), c.Kind == "inserted")
	}
	if c.After != "" {
		paragraphs = joinNote(paragraphs, len(paragraphs), around(c.After), c.Kind == "inserted")
	}
	return append([]render.Line{head.Cut(width)}, inParagraphs("  ", paragraphs, width)...)
}

// readsAsText reports whether what a side has is a text, and no place or setting.
func readsAsText(c api.Conflict) bool {
	switch c.Kind {
	case "text", "inserted":
		return true
	case "deleted":
		return c.Block != ""
	default:
		return false
	}
}

// paragraphsOf cuts a text at its blank lines.
func paragraphsOf(words string, style render.Style) []render.Line {
	var out []render.Line
	for part := range strings.SplitSeq(strings.ReplaceAll(words, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, render.Line{render.Of(style, part)})
		}
	}
	return out
}

// joinNote puts words before the first of some paragraphs or, with at behind them, after the last: into it, or as one of their own.
func joinNote(paragraphs []render.Line, at int, words render.Line, apart bool) []render.Line {
	switch {
	case apart || len(paragraphs) == 0:
		return slices.Insert(paragraphs, at, words)
	case at == 0:
		paragraphs[0] = render.Join(words, render.Line{render.Plain(" ")}, paragraphs[0])
	default:
		paragraphs[at-1] = render.Join(paragraphs[at-1], render.Line{render.Plain(" ")}, words)
	}
	return paragraphs
}

// inParagraphs draws paragraphs behind a beginning, with an empty line between them.
func inParagraphs(begin string, paragraphs []render.Line, width int) (lines []render.Line) {
	for i, words := range paragraphs {
		if i > 0 {
			lines = append(lines, render.Line{render.In(render.Dim, begin)})
		}
		lines = append(lines, indented(begin, words, width)...)
	}
	return lines
}

// chosenText is the text that a decision leaves; ok is false where it leaves none, or nothing is decided.
func chosenText(c api.Conflict, decision api.Resolution) (chosen string, ok bool) {
	switch decision.Take {
	case api.TakeOurs:
		return c.Ours.Value, !c.Ours.Absent
	case api.TakeTheirs:
		return c.Theirs.Value, !c.Theirs.Absent
	case api.TakeText:
		return decision.Text.Get()
	case api.TakeBoth:
		if c.Proposed != nil {
			return *c.Proposed, true
		}
	}
	return "", false
}

// Signs explain what stands on the rows.
func (p *ConflictsPage) Signs() [][2]string {
	return [][2]string{
		{"● open", "not decided yet"},
		{"✓", "decided; before an answer: the one that you gave"},
		{"● “…”", "an open thread on the place"},
	}
}
