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

// checkRows say what stands in the way of a merge and what else is worth knowing before one. Nothing is said of a
// request that is finished, nor by a server that does not tell.
func (p *request) checkRows(width int) []components.Row {
	checks := p.merging.Checks.Latest
	rules := checks.Rules
	if s := p.remote.Latest.Status; len(rules) == 0 || s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	rows := []components.Row{{Key: "checks", Line: render.Merge(checks, p.remote.Latest.Status).Cut(width), Skip: true}}
	stops, advice := render.Stands(checks)
	list := func(shown []api.MergeGate) {
		for _, g := range shown {
			for i, line := range render.Wrap(p.check(g), width, render.Line{render.Plain("  ")}) {
				rows = append(rows, components.Row{Key: p.checkRow(g), Line: line, Skip: i > 0})
			}
		}
	}
	list(slices.Concat(stops, advice))
	fold := map[bool]string{true: "▾ ", false: "▸ "}[p.whole]
	held := render.Join(render.Line{render.In(render.Accent, fold)}, render.Passing(rules))
	rows = append(rows, components.Row{Key: checkKey + allChecks, Line: held.Cut(width)})
	if p.whole {
		list(render.Alike(rules))
		list(slices.DeleteFunc(slices.Clone(rules), func(g api.MergeGate) bool { return g.State != api.GatePassed }))
	}
	return append(rows, components.Row{Key: "checks"})
}

// check is the line of a check; behind the one of the conflicts stands how many are decided on this machine.
func (p *request) check(g api.MergeGate) render.Line {
	line := p.onlooker().Check(g)
	if n := p.Session.DecidedAt(p.at); n > 0 && g.Rule == api.GateConflicts && g.State != api.GatePassed {
		line = append(line, render.In(render.Dim, fmt.Sprintf(" · %d decided, not applied", n)))
	}
	return line
}

// forgetDecided drops the decisions of conflicts that a request still has which was merged without them.
func (p *request) forgetDecided() tea.Cmd {
	if p.remote.Latest.Status != api.StatusMerged || p.Session.DecidedAt(p.at) == 0 {
		return nil
	}
	s, at, all := p.Session, p.at, p.Session.Decided
	return func() tea.Msg {
		for _, d := range all {
			if d.Target != at {
				continue
			}
			if err := s.Drafts.Discard(d, s.Now()); err != nil {
				return remote.FailMsg{Err: err}
			}
		}
		return page.CountMsg{}
	}
}

// checkKey begins the keys of the rows of checks; allChecks ends that of the row that unfolds those that pass.
const (
	checkKey  = "check/"
	allChecks = "all"
)

// checkRow is the key of the row of a check. Several rules may have one name.
func (p *request) checkRow(g api.MergeGate) string {
	at := slices.IndexFunc(p.merging.Checks.Latest.Rules, func(r api.MergeGate) bool {
		return r.Rule == g.Rule && r.State == g.State && r.Message == g.Message
	})
	return fmt.Sprintf("%s%s %d", checkKey, g.Rule, at)
}

// checkOf is the check of a row.
func (p *request) checkOf(key string) (g api.MergeGate, ok bool) {
	rules := p.merging.Checks.Latest.Rules
	at := slices.IndexFunc(rules, func(r api.MergeGate) bool { return p.checkRow(r) == key })
	if at < 0 {
		return g, false
	}
	return rules[at], true
}

// onlooker is the user, as who reads the checks.
func (p *request) onlooker() render.Reader {
	return render.Reader{Me: p.Session.Me, Keys: true, Asked: p.askedSince, Free: p.merging.Checks.Latest.Mergeable}
}

// nothing is what opening does where there is nothing to open.
func nothing() tea.Cmd { return nil }

// cause is what opening the row of a check is called, and does: it leads to what can be done about it. Without a name there is
// no more than the line says.
func (p *request) cause(key string) (hint string, do func() tea.Cmd) {
	if key == checkKey+allChecks {
		return "unfold", func() tea.Cmd { p.whole, p.Stale = !p.whole, true; return nil }
	}
	g, ok := p.checkOf(key)
	switch {
	case !ok || g.State == api.GatePassed:
		return "", nothing
	case render.OfVerdicts(g.Rule):
		return p.causeOfVerdict(g)
	}
	switch g.Rule {
	case api.GateThreads:
		return "the threads", func() tea.Cmd { return p.threads.Step(1) }
	case api.GateBlocking:
		return "the comment", p.toBlocking
	case api.GateConflicts:
		return "decide them", p.merging.LoadConflicts
	case api.GateUpToDate, string(api.RuleUpToDate):
		return "update", p.merging.AskToPull
	case api.GateLinks:
		return "the links", p.loadBroken
	case string(api.RuleSubject):
		return "change the subject", p.authoring.ChangeSubject
	default:
		return "", nothing
	}
}

// causeOfVerdict is that of a check that is about what reviewers said: what they said, or who is to say something.
func (p *request) causeOfVerdict(g api.MergeGate) (hint string, do func() tea.Cmd) {
	others, mine := render.Awaited(g, p.Session.Me.ID)
	said := p.saidBy(others)
	switch {
	case said != "" && len(g.Unseen) == 0:
		return "the review", func() tea.Cmd { return p.goTo(page.CommentKey(said)) }
	case mine && !p.own():
		return "submit review", p.verdict().open("")
	case len(others) > 0:
		return p.authoring.AskHint(others), func() tea.Cmd { return p.authoring.Ask(others) }
	case p.own():
		return "ask for review", p.authoring.AskSomebody
	default:
		return "submit review", p.verdict().open("")
	}
}

// goTo puts the cursor on another row.
func (p *request) goTo(key string) tea.Cmd {
	p.List.Want(key)
	p.Stale = true
	return nil
}

// toBlocking goes to the first open comment that its author calls blocking.
func (p *request) toBlocking() tea.Cmd {
	blocking := p.threads.Shown(func(th *Thread) bool {
		return th.Status == api.CommentOpen && th.Weight == api.WeightBlocking
	})
	switch {
	case len(blocking) == 0:
		return components.Toast("it is not among the comments that are shown: R loads them again")
	case blocking[0].Target.Page == nil:
		return p.goTo(page.CommentKey(blocking[0].ID))
	default:
		return showThread(p.Session, p.at, blocking[0].Comment)
	}
}

// loadBroken asks for the links that the request would break: those of pages that it changes, and those to them.
func (p *request) loadBroken() tea.Cmd {
	s, at, ids := p.Session, p.at, pageIDs(p.remote.Latest.Pages)
	return p.broken.Load(s.Connection, func(ctx context.Context) ([]edge, error) { return wouldBreak(ctx, s, at, ids) })
}

// wouldBreak are the broken links of pages of a change request that the space does not have so.
func wouldBreak(ctx context.Context, s *page.Session, at remote.Target, changed []string) (all []edge, err error) {
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
		for _, l := range Broken(links) {
			if before[shown.ID+" "+l.Href] {
				continue
			}
			e := edge{Link: l, from: &shown}
			for _, where := range l.Locations {
				if e.at = where.InternalLocation; e.at != nil {
					break
				}
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// showBroken goes to the link that would be broken, or offers them when there are several.
func (p *request) showBroken() tea.Cmd {
	if p.broken.Err != nil {
		return components.Send(remote.FailMsg{Err: p.broken.Err})
	}
	var choices []components.Choice
	for _, e := range p.broken.Latest {
		label := strings.TrimSpace(render.Titled(e.from.Title) + " → " + e.Href)
		choices = append(choices, components.Choice{Label: label, Cmd: toBroken(p.Session, p.at, e)})
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
