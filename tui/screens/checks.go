package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// checkRows lists the failed checks and the advice before a merge. It returns nil for a closed request, and if the
// server sends no checks.
func (p *requestPage) checkRows(width int) []components.Row {
	checks := p.merge.checks.Latest
	rules := checks.Rules
	if s := p.remote.Latest.Status; len(rules) == 0 || s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	rows := []components.Row{{Key: "checks", Line: render.MergeHeading(checks, p.remote.Latest.Status).Cut(width), Skip: true}}
	if p.Session.Heads.HasMoved(p.target, p.remote.Latest.Revision) {
		note := render.Line{render.In(render.Warning, "! it changed since: R shows the checks of what is there now")}
		rows = append(rows, components.Row{Key: "checks", Line: note.Cut(width), Skip: true})
	}
	stops, advice := render.MergeBlockers(checks)
	list := func(shown []api.MergeGate) {
		for _, g := range shown {
			rows = append(rows, p.gateRows(g, width)...)
		}
	}
	list(slices.Concat(stops, advice))
	fold := render.Choose(p.allChecks, "▾ ", "▸ ")
	held := render.Join(render.Line{render.In(render.Accent, fold)}, render.PassedRules(rules))
	rows = append(rows, components.Row{Key: checkKeyPrefix + allChecks, Line: held.Cut(width)})
	if p.allChecks {
		list(slices.DeleteFunc(slices.Clone(rules), func(g api.MergeGate) bool { return g.State != api.GatePassed }))
	}
	return append(rows, components.Row{Key: "checks"})
}

// gateRows draws a check in one line, and the rest of it if it is unfolded.
func (p *requestPage) gateRows(g api.MergeGate, width int) []components.Row {
	key := p.checkRowKey(g)
	rows := []components.Row{{Key: key, Line: p.checkLine(g).Cut(width)}}
	if key != p.unfoldedCheck {
		return rows
	}
	for _, text := range p.viewer().Explanation(g) {
		for _, line := range render.Wrap(render.Line{render.Plain("    "), render.In(render.Dim, text)}, width,
			render.Line{render.Plain("    ")}) {
			rows = append(rows, components.Row{Key: key, Line: line, Skip: true})
		}
	}
	return rows
}

// mayUnfold reports whether the row of a check can be unfolded: it has details that the preview pane does not show.
func (p *requestPage) mayUnfold(key string) bool {
	g, ok := p.checkByKey(key)
	return ok && key != p.unfoldedCheck && !page.HasPane(p.Window) && len(p.viewer().Explanation(g)) > 0
}

// checkLine draws a check. The check of the conflicts includes the number of decisions in the local journal.
func (p *requestPage) checkLine(g api.MergeGate) render.Line {
	line := p.viewer().Check(g)
	if n := p.Session.DecisionCount(p.target); n > 0 && g.Rule == api.GateConflicts && g.State != api.GatePassed {
		line = append(line, render.In(render.Dim, fmt.Sprintf(" · %d decided, not applied", n)))
	}
	return line
}

// dropDecisions discards the decisions on conflicts of a request that was merged without them.
func (p *requestPage) dropDecisions() tea.Cmd {
	if p.remote.Latest.Status != api.StatusMerged || p.Session.DecisionCount(p.target) == 0 {
		return nil
	}
	s, at, all := p.Session, p.target, p.Session.Decisions
	return func() tea.Msg {
		for _, d := range all {
			if d.Target != at {
				continue
			}
			if err := s.Drafts.Discard(d, s.Now()); err != nil {
				return remote.ErrorMsg{Err: err}
			}
		}
		return page.CountMsg{}
	}
}

// checkKeyPrefix is the prefix of the keys of rows of checks; allChecks is the suffix for the row that unfolds the passed
// checks.
const (
	checkKeyPrefix = "check/"
	allChecks      = "all"
)

// checkRowKey returns the key of the row of a check. It contains the index of the check because several rules may
// have the same name.
func (p *requestPage) checkRowKey(g api.MergeGate) string {
	at := slices.IndexFunc(p.merge.checks.Latest.Rules, func(r api.MergeGate) bool {
		return r.Rule == g.Rule && r.State == g.State && r.Message == g.Message
	})
	return fmt.Sprintf("%s%s %d", checkKeyPrefix, g.Rule, at)
}

// checkByKey returns the check of the row with a key.
func (p *requestPage) checkByKey(key string) (g api.MergeGate, ok bool) {
	rules := p.merge.checks.Latest.Rules
	at := slices.IndexFunc(rules, func(r api.MergeGate) bool { return p.checkRowKey(r) == key })
	if at < 0 {
		return g, false
	}
	return rules[at], true
}

// viewer returns the context in which the checks are shown to the user, with hints of keys.
func (p *requestPage) viewer() render.Viewer {
	return render.Viewer{Me: p.Session.Me, ShowKeys: true, ReviewRequested: p.wasAskedSince, Mergeable: p.merge.checks.Latest.Mergeable}
}

// noop does nothing. It is the action of rows that cannot be opened.
func noop() tea.Cmd { return nil }

// checkAction returns the hint and the action for opening the row of a check: the action leads to the remedy. An
// empty hint means that the row has no action.
func (p *requestPage) checkAction(key string) (hint string, do func() tea.Cmd) {
	if key == checkKeyPrefix+allChecks {
		return "unfold", func() tea.Cmd { p.allChecks, p.Stale = !p.allChecks, true; return nil }
	}
	g, ok := p.checkByKey(key)
	switch {
	case !ok || g.State == api.GatePassed:
		return "", noop
	case p.mayUnfold(key):
		return "why", func() tea.Cmd { p.unfoldedCheck, p.Stale = key, true; return nil }
	case render.IsReviewGate(g.Rule):
		return p.verdictCheckAction(g)
	}
	switch g.Rule {
	case api.GateThreads:
		return "the threads", func() tea.Cmd { return p.threads.step(1) }
	case api.GateBlocking:
		return "the comment", p.selectBlocking
	case api.GateConflicts:
		return "decide them", p.merge.loadConflicts
	case api.GateUpToDate, string(api.RuleUpToDate):
		return "update", p.merge.confirmUpdate
	case api.GateLinks:
		return "the links", p.loadBrokenLinks
	case string(api.RuleSubject):
		return "change the subject", p.authorActions.changeSubject
	default:
		return "", noop
	}
}

// verdictCheckAction returns the hint and the action for a check of verdicts: the review that blocks, or a request
// for a review.
func (p *requestPage) verdictCheckAction(g api.MergeGate) (hint string, do func() tea.Cmd) {
	others, mine := render.AwaitedReviewers(g, p.Session.Me.ID)
	comment := p.threadOfReview(others)
	switch {
	case comment != "" && len(g.Unseen) == 0:
		return "the review", func() tea.Cmd { return p.selectRow(page.CommentKey(comment)) }
	case mine && !p.isOwn():
		return "submit review", p.verdict().openReview("")
	case len(others) > 0:
		return p.authorActions.reviewHint(others), func() tea.Cmd { return p.authorActions.requestReview(others) }
	case p.isOwn():
		return "ask for review", p.authorActions.chooseReviewer
	default:
		return "submit review", p.verdict().openReview("")
	}
}

// selectRow moves the cursor to the row with a key.
func (p *requestPage) selectRow(key string) tea.Cmd {
	p.List.SelectKey(key)
	p.Stale = true
	return nil
}

// selectBlocking moves the cursor to the first open comment with the weight blocking.
func (p *requestPage) selectBlocking() tea.Cmd {
	blocking := p.threads.filter(func(th *commentThread) bool {
		return th.Status == api.CommentOpen && th.Weight == api.WeightBlocking
	})
	switch {
	case len(blocking) == 0:
		return components.Toast("it is not among the comments that are shown: R loads them again")
	case blocking[0].Target.Page == nil:
		return p.selectRow(page.CommentKey(blocking[0].ID))
	default:
		return showThread(p.Session, p.target, blocking[0].Comment)
	}
}

// loadBrokenLinks loads the links that a merge of the request would break: links on the changed pages and links to them.
func (p *requestPage) loadBrokenLinks() tea.Cmd {
	s, at, ids := p.Session, p.target, pageIDs(p.remote.Latest.Pages)
	return p.brokenLinks.Load(s.Connection, func(ctx context.Context) ([]edge, error) { return findNewBrokenLinks(ctx, s, at, ids) })
}

// findNewBrokenLinks returns the broken links of a change request that are not broken in its space. changed are the ids
// of the changed pages.
func findNewBrokenLinks(ctx context.Context, s *page.Session, at remote.Target, changed []string) (all []edge, err error) {
	space, err := s.Client.SpaceLinks(ctx, at.Space)
	if err != nil {
		return nil, err
	}
	before, ids := map[string]bool{}, slices.Clone(changed)
	for _, l := range space {
		toChanged := l.Target != nil && l.Target.Page != nil && slices.Contains(changed, l.Target.Page.ID)
		for _, where := range l.Locations {
			if where.Page == nil {
				continue
			}
			if l.Status == api.LinkBroken {
				before[where.Page.ID+" "+l.Href] = true
			}
			if toChanged && !slices.Contains(ids, where.Page.ID) {
				ids = append(ids, where.Page.ID)
			}
		}
	}
	tree, err := s.Client.Content(at).Pages(ctx)
	if err != nil {
		return nil, err
	}
	for _, shown := range Documents(tree) {
		if !slices.Contains(ids, shown.ID) {
			continue
		}
		links, err := s.Client.Content(at).Links(ctx, shown.ID)
		if err != nil {
			return nil, err
		}
		for _, l := range FilterBroken(links) {
			if before[shown.ID+" "+l.Href] {
				continue
			}
			e := edge{Link: l, from: &shown}
			for _, where := range l.Locations {
				if e.location = where.InternalLocation; e.location != nil {
					break
				}
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// showBrokenLinks opens the only link that would break, or offers all of them.
func (p *requestPage) showBrokenLinks() tea.Cmd {
	if p.brokenLinks.Err != nil {
		return components.Send(remote.ErrorMsg{Err: p.brokenLinks.Err})
	}
	var choices []components.Choice
	for _, e := range p.brokenLinks.Latest {
		label := strings.TrimSpace(render.DisplayTitle(e.from.Title) + " → " + e.Href)
		choices = append(choices, components.Choice{Label: label, Cmd: openBrokenLink(p.Session, p.target, e)})
	}
	switch len(choices) {
	case 0:
		return components.Toast("no broken link is found on the pages that it changes: R loads the checks again")
	case 1:
		return choices[0].Cmd
	default:
		return components.Send(page.PickMsg{Question: fmt.Sprintf("Go to one of %d broken links", len(choices)), Choices: choices})
	}
}
