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

// mergePart is the part of a page that merges or updates a change request. It loads the checks before a merge. The
// page passes every message to take.
type mergePart struct {
	session    *page.Session
	target     remote.Target
	request    func() (api.ChangeRequest, int) // the request as shown, and the number of pages that it changes
	openThread func(api.Comment) tea.Cmd       // opens a thread about a conflict

	checks          remote.Value[api.Mergeability] // state of the checks
	outcome         remote.Value[api.MergeResult]
	loadedConflicts remote.Value[api.ConflictList] // the conflicts of the request, for the page of conflicts
	requested       bool                           // a merge was requested and waits for the checks
	loading         func() bool                    // reports whether the page is being loaded
	confirmed       mergeConfirmedMsg              // the write in flight
	movedRequest    remote.Value[movedRequest]     // the request after its head moved
	movedWhen       string                         // when the head moved
}

// action returns the action that merges the request; its reason names the failed check.
func (m *mergePart) action() components.Action {
	return components.Action{
		Name: "merge", OfPage: true, Keys: []string{"m"}, Help: "merge", Hint: "merge", Do: m.confirmMerge, DisabledReason: m.blockedReason,
		ShowDisabled: true, OpensText: true,
	}
}

// updateAction returns the action that brings the newer edits of the space into the request.
func (m *mergePart) updateAction() components.Action {
	return components.Action{
		Name: "pull", OfPage: true, Keys: []string{"U"}, Help: "update from the space", Hint: "update", Do: m.confirmUpdate,
		DisabledReason: m.closedOrBusyReason, OpensText: true,
	}
}

// load loads the checks.
func (m *mergePart) load() tea.Cmd {
	client, at := m.session.Client, m.target
	return m.checks.Load(m.session.Connection, func(ctx context.Context) (api.Mergeability, error) { return client.Mergeability(ctx, at) })
}

// setChecks sets the checks that another page has loaded, unless they are missing or being reloaded.
func (m *mergePart) setChecks(checks remote.Value[api.Mergeability]) {
	if checks.Loaded && !checks.Busy {
		m.checks = checks
	}
}

// take handles the messages of a merge; mine is false for other messages.
func (m *mergePart) take(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch {
	case m.checks.Take(msg):
		return m.continueMerge(), true
	case m.loadedConflicts.Take(msg):
		return m.showConflicts(), true
	case m.outcome.Take(msg):
		return m.reportOutcome(), true
	case m.movedRequest.Take(msg):
		return m.askAgain(), true
	}
	if g, ok := msg.(mergeConfirmedMsg); ok && g.part == m {
		return m.start(g), true
	}
	return nil, false
}

// continueMerge continues a merge that waited for the checks.
func (m *mergePart) continueMerge() tea.Cmd {
	if !m.requested {
		return nil
	}
	m.requested = false
	if m.checks.Err != nil {
		return components.Send(remote.ErrorMsg{Err: m.checks.Err})
	}
	return m.action().Run()
}

// busy reports whether a merge or an update is in flight.
func (m *mergePart) busy() bool { return m.outcome.Busy }

// closedReason returns the reason why a change request can no longer be changed, or "".
func closedReason(r api.ChangeRequest) string {
	switch s := r.Status; {
	case r.ID == "":
		return "wait until it is loaded"
	case s == api.StatusMerged || s == api.StatusArchived:
		return fmt.Sprintf("already %s", s)
	default:
		return ""
	}
}

// closedOrBusyReason returns the reason why the request can be neither merged nor updated, or "".
func (m *mergePart) closedOrBusyReason() string {
	if m.outcome.Busy || m.loading() { // nothing is confirmed for a head that is about to be shown
		return "wait until it is loaded"
	}
	r, _ := m.request()
	return closedReason(r)
}

// blockedReason returns the reason why the request cannot be merged, or "". Conflicts do not count: they are decided
// first.
func (m *mergePart) blockedReason() string {
	if reason := m.closedOrBusyReason(); reason != "" {
		return reason
	}
	for _, g := range m.checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule != api.GateConflicts {
			return "not yet: " + render.GateCause(g, m.session.Me.ID)
		}
	}
	return ""
}

// confirmMerge asks for confirmation of a merge. Known conflicts are decided first.
func (m *mergePart) confirmMerge() tea.Cmd {
	if !m.checks.Loaded && m.checks.Err == nil {
		m.requested = true
		return m.load()
	}
	for _, g := range m.checks.Latest.Rules {
		if g.State == api.GateFailed && g.Rule == api.GateConflicts {
			return m.loadConflicts()
		}
	}
	r, pages := m.request()
	if m.session.Heads.HasMoved(m.target, r.Revision) {
		return m.loadMovedRequest(mergeConfirmedMsg{m, true, r.Revision}, "since it was shown")
	}
	question := m.question(r, pages)
	var against []string
	if r.Status == api.StatusDraft {
		against = append(against, "! It is still a draft: "+render.OpenFirst+" (through :), or merge it as it is")
	}
	for _, g := range m.checks.Latest.Rules {
		if g.State == api.GateAdvice || g.State == api.GateBypassed {
			against = append(against, "! "+render.GateTitle(g, m.session.Me.ID))
		}
	}
	if n := m.session.UnsentCount(m.target); n > 0 {
		against = append(against, fmt.Sprintf("✎ %s of yours on it not sent (p)", render.Plural(n, "draft")))
	}
	if len(against) > 0 {
		question = strings.Join(append(against, question), "\n")
	}
	return page.Ask(m.session, page.ConfirmMsg{
		Question: question, Typed: len(against) > 0, Yes: components.Send(mergeConfirmedMsg{m, true, r.Revision}),
	})
}

// question returns the question that names the request and the space.
func (m *mergePart) question(r api.ChangeRequest, pages int) string {
	space := "the space"
	if name := m.session.Names[m.target.Space]; name != "" {
		space = "“" + name + "”"
	}
	return fmt.Sprintf("Merge #%d “%s” of %s into %s? It changes %s for all readers.", r.Number, render.Subject(r),
		m.session.UserName(r.CreatedBy), space, render.Plural(pages, "page"))
}

// confirmUpdate asks for confirmation of an update from the space.
func (m *mergePart) confirmUpdate() tea.Cmd {
	r, _ := m.request()
	if m.session.Heads.HasMoved(m.target, r.Revision) {
		return m.loadMovedRequest(mergeConfirmedMsg{m, false, r.Revision}, "since it was shown")
	}
	question := strings.Join(append(m.session.OwnerLines(r), fmt.Sprintf("Update #%d with what has changed in the space?", r.Number)), "\n")
	return page.Ask(m.session, page.ConfirmMsg{Question: question, Yes: components.Send(mergeConfirmedMsg{m, false, r.Revision})})
}

// mergeConfirmedMsg reports that a merge or an update was confirmed for the head that was shown.
type mergeConfirmedMsg struct {
	part  *mergePart
	merge bool
	head  string
}

// start merges or updates the request, provided that it has the head that was shown.
func (m *mergePart) start(confirmed mergeConfirmedMsg) tea.Cmd {
	m.confirmed = confirmed
	client, at, key := m.session.Client, m.target, m.session.NewKey()
	return m.outcome.Load(m.session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		if confirmed.merge {
			return client.Merge(ctx, at, confirmed.head, key)
		}
		return client.Pull(ctx, at, confirmed.head, nil, key)
	})
}

// reportOutcome reports the result of a merge or an update. It opens the page of conflicts if there are any, and asks again if
// the head has moved.
func (m *mergePart) reportOutcome() tea.Cmd {
	if err := m.outcome.Err; api.IsReason(err, api.ReasonPrecondition) {
		return m.loadMovedRequest(m.confirmed, "while you were asked")
	} else if err != nil {
		return components.Send(remote.ErrorMsg{Err: err})
	}
	result := m.outcome.Latest
	switch result.Result {
	case api.OutcomeConflicts:
		return page.Push(m.conflictsPage(api.ConflictList{Revision: m.confirmed.head, Conflicts: result.Conflicts}))
	case api.OutcomeMerge:
		return components.Send(remote.ChangedMsg{Space: m.target.Space, Done: "merged into the space"})
	default:
		return components.Send(remote.ChangedMsg{Space: m.target.Space, Done: "updated: it is up to date with the space"})
	}
}

// loadConflicts loads the conflicts of the request for the page of conflicts.
func (m *mergePart) loadConflicts() tea.Cmd {
	client, at := m.session.Client, m.target
	return m.loadedConflicts.Load(m.session.Connection, func(ctx context.Context) (api.ConflictList, error) {
		return client.Conflicts(ctx, at)
	})
}

// conflictsPage returns the page of the conflicts of the request.
func (m *mergePart) conflictsPage(all api.ConflictList) page.Page {
	return newConflictsPage(m.session, m.target, all, m.openThread)
}

// showConflicts opens the page of the loaded conflicts.
func (m *mergePart) showConflicts() tea.Cmd {
	switch {
	case m.loadedConflicts.Err != nil:
		return components.Send(remote.ErrorMsg{Err: m.loadedConflicts.Err})
	case len(m.loadedConflicts.Latest.Conflicts) == 0:
		return components.Toast("there are no conflicts any more: R reloads")
	default:
		return page.Push(m.conflictsPage(m.loadedConflicts.Latest))
	}
}
