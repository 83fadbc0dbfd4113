package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// loadChecks asks what a merge depends on.
func (p *request) loadChecks() tea.Cmd {
	client, at := p.Session.Client, p.at
	return p.checks.Load(p.Session.Connection, func(ctx context.Context) (api.Mergeability, error) { return client.Mergeability(ctx, at) })
}

// checkRows say what stands in the way of a merge and what else is worth knowing before one. Nothing is said of a
// request that is finished, nor by a server that does not tell.
func (p *request) checkRows(width int) []components.Row {
	rules := p.checks.Latest.Rules
	if s := p.remote.Latest.Status; len(rules) == 0 || s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	title := "Can be merged"
	if !p.checks.Latest.Mergeable {
		title = "Cannot be merged yet"
	}
	rows := []components.Row{{Key: "gates", Line: text.Section(title).Cut(width)}}
	holding := 0
	for _, g := range rules {
		if g.State == api.GatePassed {
			holding++
			continue
		}
		for _, line := range text.Wrap(checkLine(g), width, text.Line{text.Plain("  ")}) {
			rows = append(rows, components.Row{Key: "gates", Line: line})
		}
	}
	held := text.Line{text.In(text.Dim, fmt.Sprintf("✓ %d of %d hold", holding, len(rules)))}
	return append(rows, components.Row{Key: "gates", Line: held.Cut(width)}, components.Row{Key: "gates"})
}

// checkLine is one thing that does not hold: its sign, why, and who can clear it.
func checkLine(g api.MergeGate) text.Line {
	sign, tone := "! ", text.Warning
	if g.State == api.GateFailed {
		sign, tone = "✗ ", text.Failure
	}
	line := text.Line{text.Of(text.Style{Tone: tone, Bold: true}, sign), text.Plain(g.Message)}
	if g.State == api.GateBypassed {
		line = append(line, text.In(text.Dim, " (you may merge all the same)"))
	}
	if by := g.ClearedBy; by != nil {
		var who []string
		for _, u := range by.Users {
			who = append(who, u.DisplayName)
		}
		if by.Role != "" {
			who = append(who, "role "+string(by.Role))
		}
		line = append(line, text.In(text.Dim, " · "+strings.Join(who, ", ")))
	}
	return line
}

// approve has an approval of the revision that is shown confirmed.
func (p *request) approve() tea.Cmd {
	r, s, at := p.remote.Latest, p.Session, p.at
	body := api.ReviewCreate{Status: api.ReviewApproved, Revision: r.Revision}
	approve := s.Write(at.Space, "approved", func(ctx context.Context, key string) error { return s.Client.Review(ctx, at, body, key) })
	return components.Send(page.ConfirmMsg{Question: fmt.Sprintf("Approve #%d as you see it?", r.Number), Yes: approve})
}

// requestChanges begins to write what has to change in the revision that is shown.
func (p *request) requestChanges() tea.Cmd {
	return components.Send(page.ComposeMsg{Draft: drafts.Draft{
		Target: p.at, Verdict: api.ReviewChangesRequested, Revision: p.remote.Latest.Revision, About: "what has to change",
	}})
}
