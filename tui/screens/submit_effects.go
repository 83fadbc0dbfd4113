package screens

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// effects is what sending does: the pane beside the review, or its end where there is no room for one.
type effects struct {
	page.Frame
	of *Review
}

func (e *effects) Title() string                { return "what sending does" }
func (e *effects) Kind() string                 { return "effects" }
func (e *effects) Load() tea.Cmd                { return nil }
func (e *effects) Update(tea.Msg) tea.Cmd       { return nil }
func (e *effects) Open() tea.Cmd                { return nil }
func (e *effects) Actions() []components.Action { return nil }
func (e *effects) Condition() remote.Condition  { return remote.Condition{Loaded: true} }

// Rows implements page.Page.
func (e *effects) Rows(width int) []components.Row {
	var rows []components.Row
	say := func(line render.Line) {
		indent := render.Line{render.Plain("  ")} // below what stands behind the sign
		if len(line) == 1 {
			indent = nil
		}
		for _, l := range render.Wrap(line, width, indent) {
			rows = append(rows, components.Row{Key: "effects", Line: l, Skip: true})
		}
	}
	rows = append(rows, heading("What sending does", "", width))
	for _, line := range e.does() {
		say(line)
	}
	if p := e.of; p.hasMoved() {
		rows = append(rows, blank("effects"), heading("New since you read it", "", width))
		for _, c := range p.now.Latest.since.Pages {
			say(render.Line{render.Of(render.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), render.Plain(render.Titled(c.Page.Title)), render.In(render.Dim, " · "+c.What())})
		}
		for _, what := range p.now.Latest.since.Rest {
			say(render.Line{render.Plain(what.What)})
		}
		say(render.Line{render.In(render.Dim, map[bool]string{true: "Your verdict is about what you saw. "}[p.judges()]+"R shows what changed.")})
	}
	rows = append(rows, blank("effects"), heading("Kept on disk", "", width))
	say(render.Line{render.In(render.Dim, "Everything is sent once: if the answer gets lost, sending it again posts nothing twice.")})
	return append(rows, blank("effects"))
}

// does says what becomes of the request and who hears of it.
func (e *effects) does() []render.Line {
	p := e.of
	s := p.built()
	n := fmt.Sprintf("#%d", p.of.Number)
	var lines []render.Line
	switch s.Body.Status {
	case api.ReviewApproved:
		lines = append(lines, render.Line{render.In(render.Added, "✓ "), render.Plain(n + " has your approval, as you saw it")})
	case api.ReviewChangesRequested:
		lines = append(lines, render.Line{render.In(render.Failure, "✗ "), render.Plain("you request changes in " + n + ", until you approve")})
	default:
		if p.judges() {
			lines = append(lines, render.Line{render.In(render.Dim, "· "), render.Plain("no verdict: " + p.staying(n))})
		}
	}
	if was := earlierVerdict(s.Replaces); was != "" {
		lines = append(lines, render.Line{render.In(render.Dim, "→ "), render.Plain("it takes the place of " + was)})
	}
	if !p.mine() && p.of.CreatedBy.DisplayName != "" {
		lines = append(lines, render.Line{render.In(render.Dim, "→ "), render.Plain(p.of.CreatedBy.DisplayName + ", the author, can see it")})
	}
	if posted := tally(s.Body); posted != "" {
		lines = append(lines, render.Line{render.In(render.Dim, "→ "), render.Plain(posted + " posted, for everybody to read")})
	}
	if len(lines) == 0 {
		lines = append(lines, render.Line{render.In(render.Dim, "· "), render.Plain("nothing yet: there is nothing to send")})
	}
	return lines
}

// staying says what becomes of the verdict that the user gave before, where they give none now.
func (p *Review) staying(n string) string {
	was := earlierVerdict(p.now.Latest.given)
	if was == "" {
		was = "your earlier one on " + n + ", if any,"
	}
	return was + " stays"
}
