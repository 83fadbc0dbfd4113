package browse

import (
	"strings"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// details returns the content of the preview pane for other rows than change requests: a whole draft, or the contents
// of a folded group.
func (p *Inbox) details() page.Page {
	row, _ := p.Selected()
	if title, ok := strings.CutPrefix(row.Key, groupKeyPrefix); ok {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.groupDetails(title, width) })
	}
	if w, ok := p.selectedUnsentText(); ok {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.draftDetails(w, width) })
	}
	return nil
}

func (p *Inbox) draftDetails(w unsentText, width int) []components.Row {
	title, text, hint := "Draft, not sent", w.text, "⏎ goes on with it. Drafts of comments and replies are sent from their change "+
		"request, with S."
	if msg, composed := w.resumeMsg.(page.ComposeMsg); composed {
		text = page.DraftText(msg.Draft)
	} else {
		title, hint = "Edited, not saved", "⏎ opens the editor again: it is saved when the editor is left."
	}
	lines := []render.Line{render.Section(title).Cut(width), render.Line{render.In(render.Dim, w.about)}.Cut(width), nil}
	lines = append(lines, render.Render(text, width)...)
	lines = append(lines, nil)
	lines = append(lines, render.Wrap(render.Line{render.In(render.Dim, hint)}, width, nil)...)
	return detailRows(lines)
}

func (p *Inbox) groupDetails(title string, width int) []components.Row {
	lines := []render.Line{render.Section(title).Cut(width), nil}
	for _, g := range groups {
		for _, r := range p.sortRequests(p.currentList().Latest.requests) {
			if g.title == title && r.Reason == g.reason {
				number := render.In(render.Accent, p.numberText(r, width)+"  ")
				lines = append(lines, render.Line{number, render.Plain(r.Subject)}.Cut(width))
			}
		}
	}
	hint := render.Choose(p.isFolded(title), "⏎ unfolds the group", "⏎ folds the group")
	return detailRows(append(lines, nil, render.Line{render.In(render.Dim, hint)}.Cut(width)))
}

func detailRows(lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "preview", Line: line}
	}
	return rows
}
