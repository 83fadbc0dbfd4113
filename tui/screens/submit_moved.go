package screens

import (
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
)

// hasMoved reports whether the head of the request is known to have moved since the request was shown.
func (p *reviewPage) hasMoved() bool { return p.Session.Heads.HasMoved(p.target, p.request.Revision) }

// verdictRevision returns the revision that a verdict is sent for: the one that was shown. If the head has moved since,
// it is the head if everything that came in is marked as read, and otherwise the newest revision that was read
// completely, if there is one.
func (p *reviewPage) verdictRevision() string {
	switch read := p.Session.Read.ReadRevision(p.target); {
	case !p.hasMoved():
		return p.request.Revision
	case p.hasReadIncoming():
		return p.currentRequest.Latest.Revision
	case read != "":
		return read
	default:
		return p.request.Revision
	}
}

// hasReadIncoming reports whether all changes since the request was shown are marked as read. The marks are those of the
// present head. Items that the request no longer changes have no mark and count as read.
func (p *reviewPage) hasReadIncoming() bool {
	now, known := p.Session.Read.State(p.target)
	if !known || !p.currentRequest.Loaded || p.currentRequest.Err != nil || now.Revision != p.currentRequest.Latest.Revision ||
		p.Session.Heads.HasMoved(p.target, now.Revision) || p.currentRequest.Latest.changes.More > 0 {
		return false
	}
	isUnread := func(id string) bool {
		read, known := p.Session.Read.IsRead(p.target, id)
		return known && !read
	}
	for _, c := range p.currentRequest.Latest.changes.Pages {
		if isUnread(c.Page.ID) {
			return false
		}
	}
	for _, c := range p.currentRequest.Latest.changes.Rest {
		if isUnread(c.ID) {
			return false
		}
	}
	return true
}

// verdictScope describes the state of the request that a verdict is about.
func (p *reviewPage) verdictScope() string {
	switch {
	case !p.hasMoved():
		return "what you saw"
	case p.hasReadIncoming():
		return "what is there now"
	default:
		return "what you read before"
	}
}

// movedRows lists what changed since the request was shown.
func (p *reviewPage) movedRows(width int) []components.Row {
	if !p.hasMoved() {
		return nil
	}
	head, _ := p.Session.Heads.Head(p.target)
	left := render.Line{
		render.NewSpan(render.Style{Tone: render.Warning, Bold: true}, "! The request changed while you read"), render.In(render.Dim,
			" · "+p.Session.Ago(head.MovedAt)),
	}
	rows := []components.Row{
		{Key: movedKey, Line: render.Columns(left, render.Line{render.In(render.Dim, "⏎ shows what changed")}, width)},
	}
	add := func(line render.Line) {
		rows = append(rows, components.Row{Key: movedKey, Line: line.Cut(width), Skip: true})
	}
	changes := p.currentRequest.Latest.changes
	for _, c := range changes.Pages {
		add(append(append(render.Line{render.Plain("  ")}, readSign(p.Session, p.target, c.Page.ID)...),
			render.NewSpan(render.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), render.Plain(render.DisplayTitle(c.Page.Title)),
			render.In(render.Dim, " · "+c.Description())))
	}
	for _, item := range changes.Rest {
		add(append(append(render.Line{render.Plain("  ")}, readSign(p.Session, p.target, item.ID)...), render.Plain(item.Text)))
	}
	if changes.More > 0 {
		add(render.Line{render.In(render.Dim, "  and "+render.Plural(changes.More, "more change"))})
	}
	return append(rows, blankRow(movedKey))
}
