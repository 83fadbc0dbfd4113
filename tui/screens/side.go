package screens

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/text"
	"docspace.dev/wsd/tui/threads"
)

// The pane at the left of a change: how wide it is, and the window from which there is one.
const (
	sideWidth  = 28
	sideWindow = 120
)

// SideWidth implements the left pane: side by side needs the room itself.
func (p *change) SideWidth(window int) int {
	if window < sideWindow || p.mode == split && window < splitWidth+sideWidth+6 {
		return 0
	}
	return sideWidth
}

// Side implements the left pane: it draws the changed pages with what was read of them, what is said on this one, and who else changes it.
func (p *change) Side(width, height int) []text.Line {
	lines := []text.Line{text.Columns(text.Section("Pages"), text.Line{text.In(text.Dim, p.Session.Read.InWords(p.at))}, width)}
	room := max(height/2, 1)
	from := max(0, min(p.index-room/2, len(p.changes)-room))
	for i := from; i < len(p.changes) && i < from+room; i++ {
		lines = append(lines, p.sideLine(p.changes[i], i == p.index, width))
	}
	if said := p.threads.Outline(width); len(said) > 0 {
		lines = append(append(lines, nil), said...)
	}
	lines = append(lines, p.alsoLines(width)...)
	return lines[:min(len(lines), height)]
}

func (p *change) sideLine(c changes.PageChange, here bool, width int) text.Line {
	mark := text.Plain(" ")
	if here {
		mark = text.Of(text.Style{Tone: text.Accent, Bold: true}, "▌")
	}
	line := append(append(text.Line{mark}, signOf(p.Session, p.at, c.Page.ID)...), text.Of(text.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "))
	if !here {
		return append(line, text.Plain(text.Titled(c.Page.Title))).Cut(width)
	}
	line = append(line, text.Of(text.Style{Bold: true}, text.Titled(c.Page.Title)))
	var right text.Line
	if n := len(p.threads.Shown(func(th *threads.Thread) bool { return th.Status == api.CommentOpen })); n > 0 {
		right = text.Line{text.In(text.Warning, fmt.Sprintf("● %d", n))}
	}
	return text.Columns(line.Cut(max(width-right.Width()-1, 1)), right, width).Fill(text.SelectedItem, width)
}
