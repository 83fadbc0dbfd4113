package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
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
	rows := []components.Row{{Key: "checks", Line: p.verdictLine().Cut(width), Skip: true}}
	holding := 0
	for _, g := range rules {
		if g.State == api.GatePassed {
			holding++
			if !p.whole {
				continue
			}
		}
		for i, line := range text.Wrap(checkLine(g), width, text.Line{text.Plain("  ")}) {
			rows = append(rows, components.Row{Key: checkKey + g.Rule, Line: line, Skip: i > 0})
		}
	}
	held := text.Line{text.In(text.Dim, fmt.Sprintf("✓ %d of %d checks pass", holding, len(rules)))}
	return append(rows, components.Row{Key: checkKey + "all", Line: held.Cut(width)}, components.Row{Key: "checks"})
}

// checkKey begins the keys of the rows of checks.
const checkKey = "check/"

// verdictLine says whether the request can be merged; not yet is what it says as well where nothing forbids it and somebody
// asks for changes.
func (p *request) verdictLine() text.Line {
	stops, advice := 0, 0
	for _, g := range p.checks.Latest.Rules {
		switch {
		case g.State == api.GateFailed:
			stops++
		case g.State == api.GatePassed:
		case g.Rule == api.GateChangesRequested, g.Rule == api.GateConflicts:
			stops++
		default:
			advice++
		}
	}
	switch {
	case !p.checks.Latest.Mergeable || stops > 0:
		return append(text.Section("Merge "), text.Chip(text.ChipWarning, "not yet"))
	case advice > 0:
		return append(text.Section("Merge "), text.Chip(text.ChipGood, "can be merged"), text.In(text.Dim, "  with advice against it"))
	default:
		return append(text.Section("Merge "), text.Chip(text.ChipGood, "can be merged"))
	}
}

// toCause goes to what a check is about.
func (p *request) toCause(rule string) tea.Cmd {
	switch rule {
	case "all":
		p.whole, p.Stale = !p.whole, true
		return nil
	case api.GateThreads:
		return p.walk().step(p.Session, p.at, 1)()
	case api.GateConflicts:
		client, at := p.Session.Client, p.at
		return p.found.Load(p.Session.Connection, func(ctx context.Context) ([]api.Conflict, error) { return client.Conflicts(ctx, at) })
	case api.GateUpToDate, string(api.RuleUpToDate):
		return p.askToPull()
	case api.GateReview, api.GateChangesRequested, string(api.RuleReview), string(api.RuleApproval), string(api.RuleAllApproved),
		string(api.RuleSpecificReviewers), string(api.RuleOneOfSpecificReviewers):
		return p.verdict().open("")()
	default:
		return components.Toast("its line says all that there is")
	}
}

// showConflicts opens the conflicts that were found.
func (p *request) showConflicts() tea.Cmd {
	switch {
	case p.found.Err != nil:
		return components.Send(remote.FailMsg{Err: p.found.Err})
	case len(p.found.Latest) == 0:
		return components.Toast("there is no conflict any more: R loads again")
	default:
		return page.Push(newConflicts(p.Session, p.at, p.found.Latest))
	}
}

// checkLine is one thing that does not hold: its sign, why, and who can clear it.
func checkLine(g api.MergeGate) text.Line {
	sign, tone := "! ", text.Warning
	switch g.State {
	case api.GateFailed:
		sign, tone = "✗ ", text.Failure
	case api.GatePassed:
		sign, tone = "✓ ", text.Added
	case api.GateAdvice, api.GateBypassed:
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
