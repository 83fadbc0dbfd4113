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
	"docspace.dev/wsd/tui/render"
)

// Merge is a part of the pages that a change request is merged from: what a merge depends on, and the merge. The page hands
// it every message.
type Merge struct {
	Session *page.Session
	At      remote.Target
	Of      func() (api.ChangeRequest, int) // as it is shown, and how many pages it changes
	Discuss func(api.Comment) tea.Cmd       // to a thread about a conflict

	Checks  remote.Value[api.Mergeability] // what the merge depends on
	outcome remote.Value[api.MergeResult]
	found   remote.Value[[]api.Conflict] // of the request, when they are asked for
	wanted  bool                         // a merge was asked for, and waits for the checks
}

// Action merges, or says what stops it.
func (m *Merge) Action() components.Action {
	return components.Action{Name: "merge", Keys: []string{"m"}, Help: "merge", Hint: "merge", Do: m.ask, WhyNot: m.blocked, Tells: true}
}

// Load asks what a merge depends on.
func (m *Merge) Load() tea.Cmd {
	client, at := m.Session.Client, m.At
	return m.Checks.Load(m.Session.Connection, func(ctx context.Context) (api.Mergeability, error) { return client.Mergeability(ctx, at) })
}

// Given are the checks that another page has asked for.
func (m *Merge) Given(checks remote.Value[api.Mergeability]) {
	if checks.Loaded && !checks.Busy {
		m.Checks = checks
	}
}

// Take accepts the messages of a merge, and reports whether one was.
func (m *Merge) Take(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch {
	case m.Checks.Take(msg):
		return m.known(), true
	case m.found.Take(msg):
		return m.showConflicts(), true
	case m.outcome.Take(msg):
		return m.decided(), true
	}
	if g, ok := msg.(goMsg); ok && g.of == m {
		return m.begin(g.merge), true
	}
	return nil, false
}

// known goes on with a merge that waited for the checks.
func (m *Merge) known() tea.Cmd {
	if !m.wanted {
		return nil
	}
	m.wanted = false
	if m.Checks.Err != nil {
		return components.Send(remote.FailMsg{Err: m.Checks.Err})
	}
	return m.Action().Run()
}

// Busy reports whether a merge or an update is on its way.
func (m *Merge) Busy() bool { return m.outcome.Busy }

// Closed says why nothing can be done about a change request any more, "" where something can.
func Closed(r api.ChangeRequest) string {
	switch s := r.Status; {
	case r.ID == "":
		return "wait until it is loaded"
	case s == api.StatusMerged || s == api.StatusArchived:
		return fmt.Sprintf("already %s", s)
	default:
		return ""
	}
}

// ClosedOrBusy says why the request can be neither merged nor updated.
func (m *Merge) ClosedOrBusy() string {
	if m.outcome.Busy {
		return "wait until it is loaded"
	}
	r, _ := m.Of()
	return Closed(r)
}

// blocked says why the request cannot be merged; conflicts are no reason: they are decided first.
func (m *Merge) blocked() string {
	if why := m.ClosedOrBusy(); why != "" {
		return why
	}
	for _, g := range m.Checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule != api.GateConflicts {
			return "not yet: " + render.ForMe(g.Message, m.Session.Me)
		}
	}
	return ""
}

// ask has a merge confirmed; conflicts that are known are decided first.
func (m *Merge) ask() tea.Cmd {
	if !m.Checks.Loaded && m.Checks.Err == nil {
		m.wanted = true
		return m.Load()
	}
	for _, g := range m.Checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule == api.GateConflicts {
			return m.LoadConflicts()
		}
	}
	r, pages := m.Of()
	question := m.question(r, pages)
	var against []string
	if r.Status == api.StatusDraft {
		against = append(against, "! It is still a draft: "+render.OpenFirst+" (through :), or merge it as it is")
	}
	for _, g := range m.Checks.Latest.Rules {
		if g.State == api.GateAdvice || g.State == api.GateBypassed {
			against = append(against, "! "+render.ForMe(g.Message, m.Session.Me))
		}
	}
	if n := m.Session.WaitingAt(m.At); n > 0 {
		against = append(against, fmt.Sprintf("✎ %s of yours on it not sent (p)", render.Plural(n, "draft")))
	}
	if len(against) > 0 {
		question = strings.Join(append(against, question), "\n")
	}
	return page.Ask(m.Session, page.ConfirmMsg{Question: question, Typed: len(against) > 0, Yes: components.Send(goMsg{m, true})})
}

// question names what is merged, and where.
func (m *Merge) question(r api.ChangeRequest, pages int) string {
	space := "the space"
	if name := m.Session.Names[m.At.Space]; name != "" {
		space = "“" + name + "”"
	}
	return fmt.Sprintf("Merge #%d “%s” of %s into %s? It changes %s for all readers.", r.Number, render.Subject(r), m.Session.NameOf(r.CreatedBy), space, render.Plural(pages, "page"))
}

// AskToPull has an update confirmed.
func (m *Merge) AskToPull() tea.Cmd {
	r, _ := m.Of()
	question := strings.Join(append(m.Session.Owner(r), fmt.Sprintf("Update #%d with what has changed in the space?", r.Number)), "\n")
	return page.Ask(m.Session, page.ConfirmMsg{Question: question, Yes: components.Send(goMsg{m, false})})
}

// goMsg says that a merge or an update was confirmed.
type goMsg struct {
	of    *Merge
	merge bool
}

// begin merges or updates.
func (m *Merge) begin(merge bool) tea.Cmd {
	client, at, key := m.Session.Client, m.At, m.Session.NewKey()
	return m.outcome.Load(m.Session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		if merge {
			return client.Merge(ctx, at, key)
		}
		return client.Pull(ctx, at, nil, key)
	})
}

// decided says what a merge or an update did.
func (m *Merge) decided() tea.Cmd {
	if err := m.outcome.Err; err != nil {
		return components.Send(remote.FailMsg{Err: err})
	}
	result := m.outcome.Latest
	switch result.Result {
	case api.OutcomeConflicts:
		return page.Push(m.conflicts(result.Conflicts))
	case api.OutcomeMerge:
		return components.Send(remote.ChangedMsg{Space: m.At.Space, Done: "merged into the space"})
	default:
		return components.Send(remote.ChangedMsg{Space: m.At.Space, Done: "updated: it is up to date with the space"})
	}
}

// LoadConflicts asks for the conflicts of the request, to be shown.
func (m *Merge) LoadConflicts() tea.Cmd {
	client, at := m.Session.Client, m.At
	return m.found.Load(m.Session.Connection, func(ctx context.Context) ([]api.Conflict, error) { return client.Conflicts(ctx, at) })
}

// conflicts is the page of the conflicts of the request.
func (m *Merge) conflicts(all []api.Conflict) page.Page {
	return NewConflicts(m.Session, m.At, all, m.Discuss)
}

// showConflicts opens the conflicts that were found.
func (m *Merge) showConflicts() tea.Cmd {
	switch {
	case m.found.Err != nil:
		return components.Send(remote.FailMsg{Err: m.found.Err})
	case len(m.found.Latest) == 0:
		return components.Toast("there are no conflicts any more: R reloads")
	default:
		return page.Push(m.conflicts(m.found.Latest))
	}
}
