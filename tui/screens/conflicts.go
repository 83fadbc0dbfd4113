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

// conflictsPage shows the conflicts of a change request and collects a decision on each. The update of the request
// with the decisions resolves them; after it the request can be merged.
type conflictsPage struct {
	page.Frame
	target            remote.Target
	head              string // of the change request, for which the conflicts were computed
	conflicts         []api.Conflict
	decisions         map[string]api.Resolution // by conflict id
	history           [][]decision              // oldest first; each element is undone as one
	restored          bool                      // the decisions of the journal are loaded
	editing           string                    // id of the conflict whose text is in the editor
	outcome           remote.Value[api.MergeResult]
	reloadedConflicts remote.Value[api.ConflictList] // the conflicts after decisions were refused
	threads           threadsPart                    // of the request, shown with the conflicts that they are about
	showThread        func(api.Comment) tea.Cmd
}

// decision is an entry of the undo history: a conflict and its previous resolution.
type decision struct {
	conflict string
	previous *api.Resolution
}

// newConflictsPage returns the page of the conflicts of a change request; show opens the page of a thread.
func newConflictsPage(s *page.Session, at remote.Target, all api.ConflictList, show func(api.Comment) tea.Cmd) *conflictsPage {
	p := &conflictsPage{
		Frame: page.NewFrame(s), target: at, head: all.Revision, conflicts: all.Conflicts, decisions: map[string]api.Resolution{},
		showThread: show,
	}
	p.threads = newThreadsPart(&p.Frame, at, "")
	return p
}

// Title implements page.Page.
func (p *conflictsPage) Title() string { return "conflicts" }

// Kind implements page.Page.
func (p *conflictsPage) Kind() string { return "conflicts" }

// Space implements page.Page.
func (p *conflictsPage) Space() string { return p.target.Space }

// LoadState implements page.Page.
func (p *conflictsPage) LoadState() remote.LoadState {
	c := p.outcome.LoadState
	c.Loaded = true // the conflicts are always loaded
	return c
}

// Update implements page.Page.
func (p *conflictsPage) Update(msg tea.Msg) tea.Cmd {
	if edited, ok := msg.(page.EditedMsg); ok && p.editing != "" {
		return p.takeEdited(edited)
	}
	if journal, ok := msg.(journalMsg); ok && journal.page == p {
		return p.restore(journal.drafts)
	}
	if confirmed, ok := msg.(decisionsConfirmedMsg); ok && confirmed.page == p && p.undecidedCount() == 0 {
		return p.sendDecisions()
	}
	if p.threads.take(msg) {
		p.Stale = true
	}
	if p.reloadedConflicts.Take(msg) {
		return p.takeReloaded()
	}
	if !p.outcome.Take(msg) {
		return nil
	}
	p.Stale = true
	if err := p.outcome.Err; api.IsReason(err, api.ReasonPrecondition) {
		return tea.Sequence(components.Toast("it changed while you were asked: your decisions are kept, A applies them"),
			p.reloadAfter(err))
	} else if err != nil {
		return tea.Sequence(components.Send(remote.ErrorMsg{Err: err}), p.reloadAfter(err))
	}
	if result := p.outcome.Latest; result.Result == api.OutcomeConflicts {
		p.conflicts, p.history = result.Conflicts, nil
		return p.dropOutdated()
	}
	forgotten := p.deleteApplied()
	return tea.Sequence(forgotten, components.Send(page.PopMsg{From: p}),
		components.Send(remote.ChangedMsg{Space: p.target.Space, Done: "updated with your decisions; it can be merged now"}))
}

// takeReloaded shows the reloaded conflicts. It keeps the decisions on unchanged conflicts, drops the others and clears the
// undo history. If there are no conflicts, it leaves the page.
func (p *conflictsPage) takeReloaded() tea.Cmd {
	p.Stale = true
	if err := p.reloadedConflicts.Err; err != nil {
		return components.Send(remote.ErrorMsg{Err: err})
	}
	now := p.reloadedConflicts.Latest
	if len(now.Conflicts) == 0 {
		return tea.Sequence(components.Send(page.PopMsg{From: p}), components.Toast("there are no conflicts any more"))
	}
	p.head, p.conflicts, p.history = now.Revision, now.Conflicts, nil
	return p.dropOutdated()
}

// reloadAfter loads the present conflicts if the server has refused the decisions because the conflicts have changed.
func (p *conflictsPage) reloadAfter(err error) tea.Cmd {
	refused, ok := api.AsError(err)
	isOld := api.IsReason(err, api.ReasonPrecondition) ||
		ok && slices.ContainsFunc(refused.Fields, func(f api.FieldError) bool { return f.Conflict != "" })
	if !isOld {
		return nil
	}
	client, at := p.Session.Client, p.target
	return p.reloadedConflicts.Load(p.Session.Connection,
		func(ctx context.Context) (api.ConflictList, error) { return client.Conflicts(ctx, at) })
}

func (p *conflictsPage) takeEdited(msg page.EditedMsg) tea.Cmd {
	id := p.editing
	p.editing, p.Stale = "", true
	if msg.Err != nil {
		return nil
	}
	if msg.Untouched {
		return components.Toast("nothing was saved, and nothing decided")
	}
	return p.decide(textResolution(id, msg.Text))
}

// Pending reports whether the decisions are in flight.
func (p *conflictsPage) Pending() bool { return p.outcome.Busy }

func (p *conflictsPage) undecidedCount() int {
	open := 0
	for _, c := range p.conflicts {
		if !p.isDecided(c.ID) {
			open++
		}
	}
	return open
}

// Actions implements page.Page.
func (p *conflictsPage) Actions() []components.Action {
	return []components.Action{
		{
			Name: "ours", Keys: []string{"1"}, Help: "as in the space", Hint: "space", Do: p.takeSide(api.TakeOurs),
			DisabledReason: p.takeReason(api.TakeOurs),
		},
		{
			Name: "theirs", Keys: []string{"2"}, Help: "as in the request", Hint: "request", Do: p.takeSide(api.TakeTheirs),
			DisabledReason: p.takeReason(api.TakeTheirs),
		},
		{
			Name: "own", Keys: []string{"3"}, Help: "write your own", Hint: "write", Do: p.editText, OpensText: true,
			DisabledReason: p.takeReason(api.TakeText),
		},
		{
			Name: "both", Keys: []string{"4"}, Help: "take both, one after the other", Hint: "both", Do: p.takeSide(api.TakeBoth),
			DisabledReason: p.takeReason(api.TakeBoth),
		},
		{Name: "apply", Keys: []string{"A"}, Help: applyHelp, Hint: p.applyHint(), Do: p.apply},
		{
			Name: "rest", OfPage: true, Keys: []string{"!"}, Help: "decide all the rest at once", Hint: "all the rest", Do: p.askForRest,
			DisabledReason: p.allDecidedReason,
		},
		{Name: "conflict-next", OfPage: true, Keys: []string{"n"}, Help: "next undecided conflict", Hint: "next", Do: p.nextUndecided(1)},
		{Name: "conflict-previous", OfPage: true, Keys: []string{"N"}, Help: "previous undecided conflict", Do: p.nextUndecided(-1)},
	}
}

// selectedConflict returns the conflict under the cursor.
func (p *conflictsPage) selectedConflict() (api.Conflict, bool) {
	r, ok := p.Selected()
	if !ok || r.About.At < 0 || r.About.At >= len(p.conflicts) {
		return api.Conflict{}, false
	}
	return p.conflicts[r.About.At], true
}

// noConflictReason returns the reason why there is no conflict to decide under the cursor, or "".
func (p *conflictsPage) noConflictReason() string {
	if _, ok := p.selectedConflict(); !ok {
		return "put the cursor on a conflict first: n goes to the next"
	}
	return ""
}

// takeReason returns a function for the reason why the conflict under the cursor does not admit an answer.
func (p *conflictsPage) takeReason(take api.ResolutionTake) func() string {
	return func() string {
		c, ok := p.selectedConflict()
		if !ok || c.Admits(take) {
			return p.noConflictReason()
		}
		var keys []string
		for _, a := range c.Answers {
			keys = append(keys, answerKeys[a.Take])
		}
		slices.Sort(keys)
		return "this conflict takes another answer: " + strings.Join(keys, ", ")
	}
}

// nextUndecided returns the function that moves the cursor to another undecided conflict.
func (p *conflictsPage) nextUndecided(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if p.List.Next(by, func(r components.Row) bool { return r.Change && p.isOpen(r.About.At) }) {
			return nil
		}
		return components.Toast("all are decided: A applies them")
	}
}

// takeSide returns the function that decides the conflict under the cursor for a side.
func (p *conflictsPage) takeSide(side api.ResolutionTake) func() tea.Cmd {
	return func() tea.Cmd {
		c, _ := p.selectedConflict()
		return p.decide(api.Resolution{Conflict: c.ID, Take: side})
	}
}

// decide records and saves resolutions, which are undone as one, and moves the cursor to the next undecided conflict.
func (p *conflictsPage) decide(all ...api.Resolution) tea.Cmd {
	var last []decision
	var saves []tea.Cmd
	for _, r := range all {
		d := decision{conflict: r.Conflict}
		if before, decided := p.decisions[r.Conflict]; decided {
			d.previous = &before
		}
		last, p.decisions[r.Conflict] = append(last, d), r
		saves = append(saves, p.save(r.Conflict))
	}
	p.history, p.Stale = append(p.history, last), true
	p.List.Next(1, func(row components.Row) bool { return row.Change && p.isOpen(row.About.At) })
	return tea.Batch(saves...)
}

func (p *conflictsPage) isOpen(at int) bool {
	return at >= 0 && at < len(p.conflicts) && !p.isDecided(p.conflicts[at].ID)
}

// allDecidedReason returns the reason why there are no other conflicts to decide, or "".
func (p *conflictsPage) allDecidedReason() string {
	switch p.undecidedCount() {
	case 0:
		return "all are decided: A applies them"
	case 1:
		return "there is only one left: 1 to 4 decide it"
	default:
		return ""
	}
}

// askForRest asks for one answer to all other conflicts.
func (p *conflictsPage) askForRest() tea.Cmd {
	choices := []components.Choice{p.restChoice(api.TakeOurs, "as in the space"), p.restChoice(api.TakeTheirs, "as in the request")}
	return page.Ask(p.Session, page.PickMsg{
		Question: fmt.Sprintf("%s not decided yet; decide all the rest", render.Plural(p.undecidedCount(), "conflict")), Choices: choices,
	})
}

// restChoice returns the choice of one answer for all other conflicts. Its label names the conflicts that do not
// admit it.
func (p *conflictsPage) restChoice(take api.ResolutionTake, name string) components.Choice {
	n, others := 0, []api.Conflict(nil)
	for i, c := range p.conflicts {
		switch {
		case !p.isOpen(i):
		case c.Admits(take):
			n++
		default:
			others = append(others, c)
		}
	}
	label := fmt.Sprintf("%s: %s", name, render.Plural(n, "conflict"))
	switch len(others) {
	case 0:
	case 1:
		label += "; 1 has no such answer: " + summarizeConflict(others[0])
	default:
		label += fmt.Sprintf("; %d have no such answer: %s, …", len(others), summarizeConflict(others[0]))
	}
	return components.Choice{Label: label, Do: func() { p.decideRest(take) }, Cmd: components.Send(page.CountMsg{})}
}

// summarizeConflict names a conflict in a list: the setting or the words, and the page.
func summarizeConflict(c api.Conflict) string {
	switch {
	case c.Title == "":
		return conflictName(c)
	case c.AttributeLabel != "":
		return "the " + strings.ToLower(c.AttributeLabel) + " of “" + render.Excerpt(c.Title) + "”"
	default:
		return conflictName(c) + " of “" + render.Excerpt(c.Title) + "”"
	}
}

// decideRest decides every undecided conflict that admits an answer.
func (p *conflictsPage) decideRest(take api.ResolutionTake) {
	var rest []api.Resolution
	for i, c := range p.conflicts {
		if p.isOpen(i) && c.Admits(take) {
			rest = append(rest, api.Resolution{Conflict: c.ID, Take: take})
		}
	}
	if len(rest) > 0 {
		p.decide(rest...)
	}
}

// NothingToUndoReason returns the reason why there is nothing to undo, or "".
func (p *conflictsPage) NothingToUndoReason() string {
	if len(p.history) == 0 {
		return "nothing is decided yet"
	}
	return ""
}

// Undo reverts the last decisions and moves the cursor to the first of their conflicts.
func (p *conflictsPage) Undo() tea.Cmd {
	last := p.history[len(p.history)-1]
	p.history, p.Stale = p.history[:len(p.history)-1], true
	var saves []tea.Cmd
	for _, d := range last {
		delete(p.decisions, d.conflict)
		if d.previous != nil {
			p.decisions[d.conflict] = *d.previous
		}
		saves = append(saves, p.save(d.conflict))
	}
	p.List.Next(1, func(row components.Row) bool {
		return row.Change && row.About.At >= 0 && row.About.At < len(p.conflicts) && p.conflicts[row.About.At].ID == last[0].conflict
	})
	return tea.Batch(saves...)
}

// editText opens the editor for a text. The URL of a page is prompted for in one line and checked while the user
// types.
func (p *conflictsPage) editText() tea.Cmd {
	c, _ := p.selectedConflict()
	if c.Kind == "slug" || c.Attribute == "slug" {
		return page.Ask(p.Session, page.PromptMsg{Question: "Address", Text: p.initialText(c), Check: addressReason, Done: func(
			written string,
		) tea.Cmd {
			return p.decide(textResolution(c.ID, written))
		}})
	}
	p.editing = c.ID
	return p.Session.Edit(p.initialText(c))
}

// addressReason returns the reason why a line is not a valid address of a page, or "".
func addressReason(line string) string {
	if api.Patterns["slug"].MatchString(line) {
		return ""
	}
	return `an address has no spaces, /, ?, # or \`
}

// initialText returns the text for the editor: the user's earlier text, else the proposal, else the value of theirs or, if that
// is absent, of ours.
func (p *conflictsPage) initialText(c api.Conflict) string {
	if own, ok := p.decisions[c.ID].Text.Get(); ok {
		return own
	}
	if c.Proposed != nil {
		return *c.Proposed
	}
	if c.Theirs.Absent {
		return c.Ours.Value
	}
	return c.Theirs.Value
}

// applyHint returns the hint of apply.
func (p *conflictsPage) applyHint() string {
	if open := p.undecidedCount(); open > 0 {
		return fmt.Sprintf("apply (%d open)", open)
	}
	return "apply"
}

// apply asks for confirmation of the update with the decisions. If some are missing, it asks for one answer to the other
// conflicts.
func (p *conflictsPage) apply() tea.Cmd {
	switch {
	case p.outcome.Busy:
		return nil
	case p.undecidedCount() > 0:
		return p.askForRest()
	}
	return page.Ask(p.Session, page.ConfirmMsg{
		Question: "Update the request with your " + render.Plural(len(p.conflicts), "decision") + "?",
		Yes:      components.Send(decisionsConfirmedMsg{p}),
	})
}

// decisionsConfirmedMsg reports that the user confirmed the update with the decisions of a page.
type decisionsConfirmedMsg struct{ page *conflictsPage }

// sendDecisions updates the request with the decisions.
func (p *conflictsPage) sendDecisions() tea.Cmd {
	var resolutions []api.Resolution
	for _, c := range p.conflicts {
		resolutions = append(resolutions, p.decisions[c.ID])
	}
	client, at, head, key := p.Session.Client, p.target, p.head, p.Session.NewKey()
	return p.outcome.Load(p.Session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		return client.Pull(ctx, at, head, resolutions, key)
	})
}

// Target returns the change request; the app uses it to count the decisions in other requests.
func (p *conflictsPage) Target() remote.Target { return p.target }

// WatchTarget returns the change request of the page, for the app to watch.
func (p *conflictsPage) WatchTarget() (remote.Target, string) { return p.target, "" }

// Command returns the wsctl command that prints the conflicts.
func (p *conflictsPage) Command() string { return p.target.RequestCommand("get-conflicts") }

// EmptyConflictPages returns the page of conflicts without content, for the table of keys.
func EmptyConflictPages() []page.Page { return []page.Page{&conflictsPage{}} }
