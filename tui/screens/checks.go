package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
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
	held := text.Line{text.In(text.Dim, fmt.Sprintf("✓ %d of %d checks pass", holding, len(rules)))}
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
			who = append(who, whoHas(by.Role))
		}
		line = append(line, text.In(text.Dim, " · "+strings.Join(who, ", ")))
	}
	return line
}

// whoHas names those who have a role, or more.
func whoHas(r api.Role) string {
	names := map[api.Role]string{
		api.RoleRead: "readers", api.RoleComment: "commenters", api.RoleEdit: "editors", api.RoleReview: "reviewers",
		api.RoleCreate: "creators", api.RoleAdmin: "admins",
	}
	if name, ok := names[r]; ok {
		return name
	}
	return string(r)
}
