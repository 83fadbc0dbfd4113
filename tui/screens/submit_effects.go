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

// effects lists the effects of sending: in the pane next to the review, or at its end if the window is too narrow.
type effects struct {
	page.Frame
	review *reviewPage
}

func (e *effects) Title() string                { return "what sending does" }
func (e *effects) Kind() string                 { return "effects" }
func (e *effects) Load() tea.Cmd                { return nil }
func (e *effects) Update(tea.Msg) tea.Cmd       { return nil }
func (e *effects) Open() tea.Cmd                { return nil }
func (e *effects) Actions() []components.Action { return nil }
func (e *effects) LoadState() remote.LoadState  { return remote.LoadState{Loaded: true} }

// Rows implements page.Page.
func (e *effects) Rows(width int) []components.Row {
	var rows []components.Row
	add := func(line render.Line) {
		indent := render.Line{render.Plain("  ")} // under the text after the sign
		if len(line) == 1 {
			indent = nil
		}
		for _, l := range render.Wrap(line, width, indent) {
			rows = append(rows, components.Row{Key: "effects", Line: l, Skip: true})
		}
	}
	rows = append(rows, heading("What sending does", "", width))
	for _, line := range e.effectLines() {
		add(line)
	}
	rows = append(rows, blankRow("effects"), heading("Kept on disk", "", width))
	add(render.Line{render.In(render.Dim, "Everything is sent once: if the answer gets lost, sending it again posts nothing twice.")})
	return append(rows, blankRow("effects"))
}

// effectLines describes the effects on the request and the users who are notified.
func (e *effects) effectLines() []render.Line {
	p := e.review
	s := p.plannedSubmission()
	n := fmt.Sprintf("#%d", p.request.Number)
	var lines []render.Line
	switch isOld := s.Body.Status != "" && p.Session.Heads.HasMoved(p.target, s.Body.Revision); {
	case isOld:
		lines = append(lines, render.Line{
			render.In(render.Warning, "! "), render.Plain(verdictName(s.Body.Status) + " " + n + ": " + p.verdictScope() +
				"; it does not count for what came in since"),
		})
	case s.Body.Status == api.ReviewApproved:
		lines = append(lines, render.Line{render.In(render.Added, "✓ "), render.Plain("you approve " + p.verdictScope() + " in " + n)})
	case s.Body.Status == api.ReviewChangesRequested:
		lines = append(lines, render.Line{
			render.In(render.Failure, "✗ "), render.Plain("you request changes in " + n + ", until you approve"),
		})
	default:
		if p.canDecide() {
			lines = append(lines, render.Line{render.In(render.Dim, "· "), render.Plain("no verdict: " + p.keptVerdictText(n))})
		}
	}
	if was := earlierVerdictName(s.Replaces); was != "" {
		lines = append(lines, render.Line{render.In(render.Dim, "→ "), render.Plain("it takes the place of " + was)})
	}
	if !p.isAuthor() && p.request.CreatedBy.DisplayName != "" {
		lines = append(lines, render.Line{
			render.In(render.Dim, "→ "), render.Plain(p.request.CreatedBy.DisplayName + ", the author, can see it"),
		})
	}
	if posted := summarize(s.Body); posted != "" {
		lines = append(lines, render.Line{render.In(render.Dim, "→ "), render.Plain(posted + " posted, for everybody to read")})
	}
	if len(lines) == 0 {
		lines = append(lines, render.Line{render.In(render.Dim, "· "), render.Plain("nothing yet: there is nothing to send")})
	}
	return lines
}

// keptVerdictText describes the effect of no verdict on the user's previous one.
func (p *reviewPage) keptVerdictText(n string) string {
	was := earlierVerdictName(p.currentRequest.Latest.lastVerdict)
	if was == "" {
		was = "your earlier one on " + n + ", if any,"
	}
	return was + " stays"
}
