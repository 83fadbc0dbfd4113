package threads

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// Outline lists what is said on the page, and the drafts there, a line each.
func (t *Threads) Outline(width int) []text.Line {
	var lines []text.Line
	resolved := 0
	for i := range t.remote.Latest {
		th := &t.remote.Latest[i]
		if th.Status == api.CommentResolved {
			resolved++
			continue
		}
		says := markdown.Gist(th.Quoted())
		if says == "" {
			says = markdown.Gist(th.Body.Markdown)
		}
		line := text.Line{text.In(text.Warning, "● "), text.Plain("“" + says + "”")}
		if th.Suggestion != nil {
			line = text.Line{text.In(text.Warning, "● "), text.In(text.Accent, "edit "), text.Plain("“" + says + "”")}
		}
		lines = append(lines, line.Cut(width))
	}
	if resolved > 0 {
		lines = append(lines, text.Line{text.In(text.Dim, fmt.Sprintf("✓ %d resolved", resolved))}.Cut(width))
	}
	if len(lines) > 0 {
		lines = append([]text.Line{text.Section("Threads")}, lines...)
	}
	list := t.unsent(func(d drafts.Draft) bool { return d.Page == t.page || t.has(d.Comment) })
	if len(list) == 0 {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	lines = append(lines, text.Section("Drafts, not sent"))
	for _, d := range list {
		lines = append(lines, text.Line{text.In(text.Accent, "✎ "), text.Plain(markdown.Gist(page.Says(d)))}.Fill(text.Draft, width))
	}
	return lines
}

// has reports whether a thread is among them.
func (t *Threads) has(id string) bool {
	for i := range t.remote.Latest {
		if id != "" && t.remote.Latest[i].ID == id {
			return true
		}
	}
	return false
}
