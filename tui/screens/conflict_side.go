package screens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// The pane at the left: how wide it is, and the window from which there is one.
const (
	conflictSideWidth  = 28
	conflictSideWindow = 120
)

// SideWidth implements the left pane.
func (p *ConflictsPage) SideWidth(window int) int {
	if window < conflictSideWindow {
		return 0
	}
	return conflictSideWidth
}

// Side implements the left pane: it lists the conflicts below the pages that they are on, and what was merged in the space
// since.
func (p *ConflictsPage) Side(width, height int) []render.Line {
	since := p.sinceLines(width)
	head := []render.Line{
		render.Columns(render.Section("Conflicts"), render.Line{render.In(render.Dim, fmt.Sprintf("%d of %d decided", len(p.all)-p.undecided(), len(p.all)))}, width),
		render.Bar(len(p.all)-p.undecided(), len(p.all)),
	}
	list, at := p.listLines(width)
	room := max(height-len(head)-len(since), 1)
	from := max(0, min(at-room/2, len(list)-room))
	lines := slices.Concat(head, list[from:min(from+room, len(list))], since)
	return lines[:min(len(lines), height)]
}

// listLines are a line for each conflict, below that of its page; at is the one under the cursor.
func (p *ConflictsPage) listLines(width int) (lines []render.Line, at int) {
	here, on := p.here()
	page := ""
	for i, c := range p.all {
		if where := cmp.Or(c.Title, "Variables"); where != page {
			page = where
			lines = append(lines, nil, render.Line{render.Of(render.Style{Tone: render.Heading, Bold: true}, where)}.Cut(width))
		}
		if on && c.ID == here.ID {
			at = len(lines)
		}
		lines = append(lines, p.sideLine(i, c, on && c.ID == here.ID, width))
	}
	return lines, at
}

// sideLine is a conflict in a line: whether it is decided, where it is, and how it was decided.
func (p *ConflictsPage) sideLine(i int, c api.Conflict, here bool, width int) render.Line {
	bar, sign := render.Plain(" "), render.In(render.Warning, "● ")
	if here {
		bar = render.Of(render.Style{Tone: render.Accent, Bold: true}, "▌")
	}
	var right render.Line
	if !p.isOpen(i) {
		sign = render.In(render.Added, "✓ ")
		right = render.Line{render.In(render.Added, taken[p.decisions[c.ID].Take])}
	}
	left := render.Line{bar, sign, render.Plain(conflictName(c))}
	line := render.Columns(left.Cut(max(width-right.Width()-1, 1)), right, width)
	if here {
		return line.Fill(render.SelectedItem, width)
	}
	return line
}

// conflictName is the short name of a conflict: the words that it is about, the setting, or the place.
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

// taken says what was taken.
var taken = map[api.ResolutionTake]string{api.TakeOurs: "space", api.TakeTheirs: "request", api.TakeText: "written", api.TakeBoth: "both"}

// sinceLines list the change requests whose merges the conflicts are with, and who made them.
func (p *ConflictsPage) sinceLines(width int) []render.Line {
	var lines []render.Line
	seen := map[string]bool{}
	for _, c := range p.all {
		r := c.Ours.ChangeRequest
		if r == nil || seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		lines = append(lines, render.Line{render.In(render.Accent, fmt.Sprintf("#%d ", r.Number)), render.Plain(r.Subject)}.Cut(width))
		if whose := render.Whose(api.ConflictSide{By: c.Ours.By, At: c.Ours.At}, p.Session.Me.ID, p.Session.Ago); whose != "" {
			lines = append(lines, render.Line{render.In(render.Dim, "  "+whose)}.Cut(width))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]render.Line{nil, render.Section("In the space since").Cut(width)}, lines...)
}
