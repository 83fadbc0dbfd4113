package screens

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/text"
	"docspace.dev/wsd/tui/threads"
)

// Where says at which conflict the cursor is, for the first line of the screen.
func (p *conflicts) Where() text.Line {
	decided := len(p.all) - p.undecided()
	where := text.Plural(len(p.all), "conflict")
	if r, ok := p.Selected(); ok && r.About.At >= 0 {
		where = fmt.Sprintf("conflict %d of %d", r.About.At+1, len(p.all))
	}
	line := text.Line{text.In(text.Dim, fmt.Sprintf("%s · %d decided ", where, decided))}
	return append(line, text.Bar(decided, len(p.all))...)
}

// Opens says what Open does.
func (p *conflicts) Opens() string {
	if p.About().Comment != "" {
		return "its place"
	}
	return ""
}

// Open shows the place of the thread under the cursor.
func (p *conflicts) Open() tea.Cmd {
	if th, _ := p.threads.Selected(); th != nil {
		return showThread(p.Session, p.at, th.Comment)
	}
	return nil
}

// threadRows list what was said about the place of a conflict and is open: about its paragraph or, where it is about a page as
// a whole, about the page.
func (p *conflicts) threadRows(at int, c api.Conflict, width int) []components.Row {
	list := p.threads.Shown(func(th *threads.Thread) bool {
		id, _ := threads.PageOf(th.Comment)
		return th.Status == api.CommentOpen && id == c.Page && c.Page != "" && (c.Block == "" || th.Target.Node != nil && nodeOf(th) == c.Block)
	})
	if len(list) == 0 {
		return nil
	}
	title := "Threads on this paragraph"
	if c.Block == "" {
		title = "Threads on this page"
	}
	rows := []components.Row{{Key: "conflict/" + c.ID, Line: append(text.Line{text.Plain("  ")}, text.In(text.Dim, title)).Cut(width), About: components.Subject{At: at}, Skip: true}}
	for _, th := range list {
		row := p.threads.Brief(th, max(width-2, 1))
		row.Line = text.Join(text.Line{text.Plain("  ")}, row.Line).Cut(width)
		row.About.At = at
		rows = append(rows, row)
	}
	return rows
}

// nodeOf is the block that a thread stands on now.
func nodeOf(th *threads.Thread) string {
	if a := th.Target.Anchor; a != nil {
		return a.Node
	}
	return th.Target.Node.ID
}

// resultLines say how the place will read by a decision: with the text around it.
func resultLines(c api.Conflict, decision api.Resolution, width int) []text.Line {
	chosen, ok := chosenText(c, decision)
	if !ok || c.Block == "" && c.Before == "" && c.After == "" {
		return nil
	}
	var words text.Line
	if c.Before != "" {
		words = append(words, text.In(text.Dim, strings.TrimSpace(c.Readable(c.Before))+" "))
	}
	words = append(words, text.Of(text.Style{Bold: true}, strings.TrimSpace(c.Readable(chosen))))
	if c.After != "" {
		words = append(words, text.In(text.Dim, " "+strings.TrimSpace(c.Readable(c.After))))
	}
	const title = "┄┄ as it will read "
	head := text.Line{text.In(text.Faint, "  "+title+strings.Repeat("┄", max(min(width, 60)-len([]rune(title))-2, 0)))}
	return append([]text.Line{head.Cut(width)}, indented("  ", words, width)...)
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
