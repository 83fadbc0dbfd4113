package browse

import (
	"strings"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// details are what the pane shows of a row that is no change request: a draft as a whole, or what a folded group holds.
func (p *Inbox) details() page.Page {
	row, _ := p.Selected()
	if title, is := strings.CutPrefix(row.Key, groupKey); is {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.groupDetails(title, width) })
	}
	if w, ok := p.unsentHere(); ok {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.draftDetails(w, width) })
	}
	return nil
}

func (p *Inbox) draftDetails(w waiting, width int) []components.Row {
	title, says, how := "Draft, not sent", w.says, "⏎ goes on with it. Drafts of comments and replies are sent from their change request, with S."
	if msg, composed := w.resume.(page.ComposeMsg); composed {
		says = page.Says(msg.Draft)
	} else {
		title, how = "Edited, not saved", "⏎ opens the editor again: it is saved when the editor is left."
	}
	lines := []render.Line{render.Section(title).Cut(width), render.Line{render.In(render.Dim, w.about)}.Cut(width), nil}
	lines = append(lines, render.Render(says, width)...)
	lines = append(lines, nil)
	lines = append(lines, render.Wrap(render.Line{render.In(render.Dim, how)}, width, nil)...)
	return rowsOf(lines)
}

func (p *Inbox) groupDetails(title string, width int) []components.Row {
	lines := []render.Line{render.Section(title).Cut(width), nil}
	for _, g := range groups {
		for _, r := range p.sorted(p.list().Latest.requests) {
			if g.title == title && r.Reason == g.reason {
				lines = append(lines, render.Line{render.In(render.Accent, p.number(r)+"  "), render.Plain(r.Subject)}.Cut(width))
			}
		}
	}
	does := map[bool]string{true: "⏎ unfolds the group", false: "⏎ folds the group"}[p.isFolded(title)]
	return rowsOf(append(lines, nil, render.Line{render.In(render.Dim, does)}.Cut(width)))
}

func rowsOf(lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "preview", Line: line}
	}
	return rows
}
