package screens

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// outline lists the threads and the drafts of the page, a line each.
func (t *threadsPart) outline(width, most int) []render.Line {
	var lines []render.Line
	resolved := 0
	for i := range t.remote.Latest {
		th := &t.remote.Latest[i]
		if th.Status == api.CommentResolved {
			resolved++
			continue
		}
		if len(lines) >= most || t.onlyWaiting && !t.waitsForUser(th) {
			continue // not visible
		}
		text := render.Gist(th.quote())
		if text == "" {
			text = render.Gist(th.Body.Markdown)
		}
		line := render.Line{render.In(render.Warning, "● "), render.Plain("“" + text + "”")}
		if th.Suggestion != nil {
			line = render.Line{render.In(render.Warning, "● "), render.In(render.Accent, "edit "), render.Plain("“" + text + "”")}
		}
		lines = append(lines, line.Cut(width))
	}
	if resolved > 0 {
		lines = append(lines, render.Line{render.In(render.Dim, fmt.Sprintf("✓ %d resolved", resolved))}.Cut(width))
	}
	if len(lines) > 0 {
		lines = append([]render.Line{render.Section("Threads")}, lines...)
	}
	list := t.unsentDrafts(func(d drafts.Draft) bool { return d.Page == t.page || t.contains(d.Comment) })
	if len(list) == 0 {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	lines = append(lines, render.Section("Drafts, not sent"))
	for _, d := range list {
		lines = append(lines, render.Line{
			render.In(render.Accent, "✎ "), render.Plain(render.Gist(page.DraftText(d))),
		}.Fill(render.Draft, width))
	}
	return lines
}

// contains reports whether a thread with an id is loaded.
func (t *threadsPart) contains(id string) bool {
	for i := range t.remote.Latest {
		if id != "" && t.remote.Latest[i].ID == id {
			return true
		}
	}
	return false
}
