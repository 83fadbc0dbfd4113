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

// CursorPosition returns the position of the cursor among the conflicts, for the first line of the screen.
func (p *conflictsPage) CursorPosition() render.Line {
	decided := len(p.conflicts) - p.undecidedCount()
	where := render.Plural(len(p.conflicts), "conflict")
	if r, ok := p.Selected(); ok && r.About.At >= 0 {
		where = fmt.Sprintf("conflict %d of %d", r.About.At+1, len(p.conflicts))
	}
	line := render.Line{render.In(render.Dim, fmt.Sprintf("%s · %d decided ", where, decided))}
	return append(line, render.ProgressBar(decided, len(p.conflicts))...)
}

// OpenHint returns the hint of Open.
func (p *conflictsPage) OpenHint() string {
	if p.About().Comment != "" {
		return "go to it"
	}
	return ""
}

// Open shows the thread under the cursor on its page.
func (p *conflictsPage) Open() tea.Cmd {
	if th, _ := p.threads.selectedThread(); th != nil {
		return p.showThread(th.Comment)
	}
	return nil
}

// threadRows lists the open threads about the paragraph of a conflict or, if the conflict is about a whole page,
// about the page.
func (p *conflictsPage) threadRows(at int, c api.Conflict, width int) []components.Row {
	list := p.threads.filter(func(th *commentThread) bool {
		id, _ := PageOf(th.Comment)
		return th.Status == api.CommentOpen && id == c.Page && c.Page != "" &&
			(c.Block == "" || th.Target.Node != nil && threadNode(th) == c.Block)
	})
	if len(list) == 0 {
		return nil
	}
	title := "Threads on this paragraph"
	if c.Block == "" {
		title = "Threads on this page"
	}
	rows := []components.Row{
		{
			Key: conflictKey(c), Line: append(render.Line{render.Plain("  ")}, render.In(render.Dim, title)).Cut(width),
			About: components.Subject{At: at}, Skip: true,
		},
	}
	for _, th := range list {
		row := p.threads.briefRow(th, max(width-2, 1))
		row.Line = render.Join(render.Line{render.Plain("  ")}, row.Line).Cut(width)
		row.About.At = at
		rows = append(rows, row)
	}
	return rows
}

// threadNode returns the id of the block to which a thread is attached now.
func threadNode(th *commentThread) string {
	if a := th.Target.Anchor; a != nil {
		return a.Node
	}
	return th.Target.Node.ID
}

// resultLines draws the text after a decision with its context. If both sides insert at the same position, the
// context is the neighbouring paragraphs; otherwise it is the same paragraph.
func resultLines(c api.Conflict, decision api.Resolution, width int) []render.Line {
	chosen, ok := chosenText(c, decision)
	if !ok || !isTextConflict(c) {
		return nil
	}
	head := foldRule("  ┄┄ as it will read ", width)
	around := func(words string) render.Line {
		return render.Line{render.In(render.Dim, strings.TrimSpace(c.Readable(words)))}
	}
	paragraphs := splitParagraphs(c.Readable(chosen), render.Style{Bold: true})
	if c.Before != "" {
		paragraphs = joinNote(paragraphs, 0, around(c.Before), c.Kind == "inserted")
	}
	if c.After != "" {
		paragraphs = joinNote(paragraphs, len(paragraphs), around(c.After), c.Kind == "inserted")
	}
	return append([]render.Line{head.Cut(width)}, drawParagraphs("  ", paragraphs, width)...)
}

// isTextConflict reports whether the sides are texts, in contrast to positions or settings.
func isTextConflict(c api.Conflict) bool {
	switch c.Kind {
	case "text", "inserted":
		return true
	case "deleted":
		return c.Block != ""
	default:
		return false
	}
}

// splitParagraphs splits a text at its blank lines.
func splitParagraphs(words string, style render.Style) []render.Line {
	var out []render.Line
	for part := range strings.SplitSeq(strings.ReplaceAll(words, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, render.Line{render.NewSpan(style, part)})
		}
	}
	return out
}

// joinNote inserts words into paragraphs: before the first one if at is 0, after the last one if at is the number of
// paragraphs. If apart is true, words becomes a separate paragraph; otherwise it is joined to that paragraph.
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

// drawParagraphs draws paragraphs after a prefix, with an empty line between them.
func drawParagraphs(begin string, paragraphs []render.Line, width int) (lines []render.Line) {
	for i, words := range paragraphs {
		if i > 0 {
			lines = append(lines, render.Line{render.In(render.Dim, begin)})
		}
		lines = append(lines, indentWords(begin, words, width)...)
	}
	return lines
}

// chosenText returns the text that results from a decision; ok is false if it removes the text or there is no
// decision.
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

// Signs returns the signs of the rows with their meanings, for the help.
func (p *conflictsPage) Signs() [][2]string {
	return [][2]string{
		{"● open", "not decided yet"},
		{"✓", "decided; before an answer: the one that you gave"},
		{"● “…”", "an open thread on the place"},
		{"┄", "before the text with your decision"},
	}
}
