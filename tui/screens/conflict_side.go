package screens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// The width of the left pane, and the minimum width of the window for it.
const (
	conflictSideWidth  = 28
	conflictSideWindow = 120
)

// SideWidth returns the width of the left pane, or 0 if the window is too narrow for it.
func (p *conflictsPage) SideWidth(window int) int {
	if window < conflictSideWindow {
		return 0
	}
	return conflictSideWidth
}

// Side implements the left pane: it lists the conflicts by page, and the change requests that were merged into the
// space in the meantime.
func (p *conflictsPage) Side(width, height int) []render.Line {
	since := p.mergedLines(width)
	head := []render.Line{
		render.Columns(render.Section("Conflicts"), render.Line{
			render.In(render.Dim, fmt.Sprintf("%d of %d decided", len(p.conflicts)-p.undecidedCount(), len(p.conflicts))),
		}, width),
		render.ProgressBar(len(p.conflicts)-p.undecidedCount(), len(p.conflicts)),
	}
	list, at := p.listLines(width)
	visible := max(height-len(head)-len(since), 1)
	from := max(0, min(at-visible/2, len(list)-visible))
	lines := slices.Concat(head, list[from:min(from+visible, len(list))], since)
	return lines[:min(len(lines), height)]
}

// listLines returns a line for each conflict below the title of its page; at is the index of the line under the
// cursor.
func (p *conflictsPage) listLines(width int) (lines []render.Line, at int) {
	here, on := p.selectedConflict()
	page := ""
	for i, c := range p.conflicts {
		if where := cmp.Or(c.Title, "Variables"); where != page {
			page = where
			lines = append(lines, nil, render.Line{render.NewSpan(render.Style{Tone: render.Heading, Bold: true}, where)}.Cut(width))
		}
		if on && c.ID == here.ID {
			at = len(lines)
		}
		lines = append(lines, p.sideLine(i, c, on && c.ID == here.ID, width))
	}
	return lines, at
}

// sideLine draws a conflict in one line: its state, its name and the answer.
func (p *conflictsPage) sideLine(i int, c api.Conflict, here bool, width int) render.Line {
	bar, sign := render.Plain(" "), render.In(render.Warning, "● ")
	if here {
		bar = render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "▌")
	}
	var right render.Line
	if !p.isOpen(i) {
		sign = render.In(render.Added, "✓ ")
		right = render.Line{render.In(render.Added, takeNames[p.decisions[c.ID].Take])}
	}
	left := render.Line{bar, sign, render.Plain(conflictName(c))}
	line := render.Columns(left.Cut(max(width-right.Width()-1, 1)), right, width)
	if here {
		return line.Fill(render.SelectedItem, width)
	}
	return line
}

// conflictName returns the short name of a conflict: its words, its setting or its position.
func conflictName(c api.Conflict) string {
	switch {
	case c.Ours.Absent && !c.Theirs.Absent && c.Base != nil:
		return "deleted, edited here"
	case c.Theirs.Absent && !c.Ours.Absent && c.Base != nil:
		return "edited, deleted here"
	}
	for _, side := range []api.ConflictSide{c.Theirs, c.Ours} {
		for _, run := range side.Runs {
			if words := strings.TrimSpace(c.Readable(run.Text)); run.Change == api.TextRemoved && words != "" {
				return "“" + render.Excerpt(words) + "”"
			}
		}
	}
	return cmp.Or(c.Variable, c.AttributeLabel, c.Place)
}

// takeNames are the short names of the answers.
var takeNames = map[api.ResolutionTake]string{
	api.TakeOurs: "space", api.TakeTheirs: "request", api.TakeText: "written", api.TakeBoth: "both",
}

// mergedLines lists the merged change requests that the conflicts are with, and their authors.
func (p *conflictsPage) mergedLines(width int) []render.Line {
	var lines []render.Line
	seen := map[string]bool{}
	for _, c := range p.conflicts {
		r := c.Ours.ChangeRequest
		if r == nil || seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		lines = append(lines, render.Line{render.In(render.Accent, fmt.Sprintf("#%d ", r.Number)), render.Plain(r.Subject)}.Cut(width))
		if author := render.SideAuthor(api.ConflictSide{By: c.Ours.By, At: c.Ours.At}, p.Session.Me.ID, p.Session.Ago); author != "" {
			lines = append(lines, render.Line{render.In(render.Dim, "  "+author)}.Cut(width))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]render.Line{nil, render.Section("In the space since").Cut(width)}, lines...)
}
