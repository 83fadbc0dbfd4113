package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/overview"
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
	rows := []components.Row{{Key: "checks", Line: overview.Merge(p.checks.Latest).Cut(width), Skip: true}}
	stops, advice := overview.Stands(p.checks.Latest)
	shown := slices.Concat(stops, advice)
	holding := len(rules) - len(shown)
	if p.whole {
		shown = append(shown, slices.DeleteFunc(slices.Clone(rules), func(g api.MergeGate) bool { return g.State != api.GatePassed })...)
	}
	for _, g := range shown {
		for i, line := range text.Wrap(overview.Check(g, p.Session.Me.ID), width, text.Line{text.Plain("  ")}) {
			rows = append(rows, components.Row{Key: checkKey + g.Rule, Line: line, Skip: i > 0})
		}
	}
	fold := map[bool]string{true: "▾ ", false: "▸ "}[p.whole]
	held := text.Line{text.In(text.Accent, fold), text.In(text.Dim, fmt.Sprintf("✓ %d of %d checks pass", holding, len(rules)))}
	return append(rows, components.Row{Key: checkKey + "all", Line: held.Cut(width)}, components.Row{Key: "checks"})
}

// checkKey begins the keys of the rows of checks.
const checkKey = "check/"

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
