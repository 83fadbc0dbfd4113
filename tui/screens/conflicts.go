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

// ConflictsPage shows what both sides changed, and takes a decision on each. The update with the decisions is what
// solves them; after it the request can be merged.
type ConflictsPage struct {
	page.Frame
	at        remote.Target
	all       []api.Conflict
	decisions map[string]api.Resolution // by the conflict's id
	done      [][]decision              // in order, to be undone; what was decided at once is undone at once
	restored  bool                      // what was decided before is taken over
	writing   string                    // the conflict whose text is in the editor
	outcome   remote.Value[api.MergeResult]
	threads   Threads // of the request: who decides reads what was said about the place
	show      func(api.Comment) tea.Cmd
}

// decision is what was done about a conflict, and what had been before.
type decision struct {
	conflict string
	before   *api.Resolution
}

// NewConflicts returns the page of conflicts of a change request; show shows the place of a thread.
func NewConflicts(s *page.Session, at remote.Target, all []api.Conflict, show func(api.Comment) tea.Cmd) *ConflictsPage {
	p := &ConflictsPage{Frame: page.NewFrame(s), at: at, all: all, decisions: map[string]api.Resolution{}, show: show}
	p.threads = NewThreads(&p.Frame, at, "")
	return p
}

// Title implements page.ConflictsPage.
func (p *ConflictsPage) Title() string { return "conflicts" }

// Kind implements page.ConflictsPage.
func (p *ConflictsPage) Kind() string { return "conflicts" }

// Space is the space of the change request.
func (p *ConflictsPage) Space() string { return p.at.Space }

// Condition implements page.ConflictsPage.
func (p *ConflictsPage) Condition() remote.Condition {
	c := p.outcome.Condition
	c.Loaded = true // the conflicts are there
	return c
}

// Update implements page.ConflictsPage.
func (p *ConflictsPage) Update(msg tea.Msg) tea.Cmd {
	if edited, ok := msg.(page.EditedMsg); ok && p.writing != "" {
		return p.wrote(edited)
	}
	if journal, ok := msg.(journalMsg); ok && journal.to == p {
		return p.restore(journal.drafts)
	}
	if p.threads.Take(msg) {
		p.Stale = true
	}
	if !p.outcome.Take(msg) {
		return nil
	}
	p.Stale = true
	if err := p.outcome.Err; err != nil {
		return tea.Sequence(components.Send(remote.FailMsg{Err: err}), p.reloadAfter(err))
	}
	if result := p.outcome.Latest; result.Result == api.OutcomeConflicts {
		p.all, p.done = result.Conflicts, nil
		return p.changed()
	}
	forgotten := p.forget()
	return tea.Sequence(forgotten, components.Send(page.PopMsg{From: p}), components.Send(remote.ChangedMsg{Space: p.at.Space, Done: "updated with your decisions; it can be merged now"}))
}

// reloadAfter asks for the conflicts that there are now, when an answer was refused because others stand in its place.
func (p *ConflictsPage) reloadAfter(err error) tea.Cmd {
	refused, ok := api.AsError(err)
	if !ok || !slices.ContainsFunc(refused.Fields, func(f api.FieldError) bool { return f.Conflict != "" }) {
		return nil
	}
	client, at, key := p.Session.Client, p.at, p.Session.NewKey()
	return p.outcome.Load(p.Session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		return client.Pull(ctx, at, nil, key)
	})
}

func (p *ConflictsPage) wrote(msg page.EditedMsg) tea.Cmd {
	id := p.writing
	p.writing, p.Stale = "", true
	if msg.Err != nil {
		return nil
	}
	if msg.Untouched {
		return components.Toast("nothing was saved, and nothing decided")
	}
	return p.decide(own(id, msg.Text))
}

// Pending reports whether the decisions are on their way.
func (p *ConflictsPage) Pending() bool { return p.outcome.Busy }

func (p *ConflictsPage) undecided() int {
	open := 0
	for _, c := range p.all {
		if !p.decided(c.ID) {
			open++
		}
	}
	return open
}

// Actions implements page.ConflictsPage.
func (p *ConflictsPage) Actions() []components.Action {
	return []components.Action{
		{Name: "ours", Keys: []string{"1"}, Help: "as in the space", Hint: "space", Do: p.take(api.TakeOurs), WhyNot: p.unlessAdmits(api.TakeOurs)},
		{Name: "theirs", Keys: []string{"2"}, Help: "as in the request", Hint: "request", Do: p.take(api.TakeTheirs), WhyNot: p.unlessAdmits(api.TakeTheirs)},
		{Name: "own", Keys: []string{"3"}, Help: "write your own", Hint: "write", Do: p.write, WhyNot: p.unlessAdmits(api.TakeText)},
		{Name: "both", Keys: []string{"4"}, Help: "take both, one after the other", Hint: "both", Do: p.take(api.TakeBoth), WhyNot: p.unlessAdmits(api.TakeBoth)},
		{Name: "apply", Keys: []string{"A"}, Help: Apply, Hint: p.applyHint(), Do: p.apply},
		{Name: "rest", Keys: []string{"!"}, Help: "decide all the rest at once", Hint: "all the rest", Do: p.askForRest, WhyNot: p.allDecided},
		{Name: "conflict-next", Keys: []string{"n"}, Help: "next undecided conflict", Hint: "next", Do: p.turn(1)},
		{Name: "conflict-previous", Keys: []string{"N"}, Help: "previous undecided conflict", Do: p.turn(-1)},
	}
}

// here is the conflict under the cursor.
func (p *ConflictsPage) here() (api.Conflict, bool) {
	r, ok := p.Selected()
	if !ok || r.About.At < 0 || r.About.At >= len(p.all) {
		return api.Conflict{}, false
	}
	return p.all[r.About.At], true
}

// offConflict says why there is nothing to decide.
func (p *ConflictsPage) offConflict() string {
	if _, ok := p.here(); !ok {
		return "put the cursor on a conflict first: n goes to the next"
	}
	return ""
}

// unlessAdmits returns what says why the conflict under the cursor cannot be decided so.
func (p *ConflictsPage) unlessAdmits(take api.ResolutionTake) func() string {
	return func() string {
		c, ok := p.here()
		if !ok || c.Admits(take) {
			return p.offConflict()
		}
		var keys []string
		for _, a := range c.Answers {
			keys = append(keys, answerKeys[a.Take])
		}
		slices.Sort(keys)
		return "this conflict takes another answer: " + strings.Join(keys, ", ")
	}
}

// turn returns what goes to another conflict that is not decided.
func (p *ConflictsPage) turn(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if p.List.Next(by, func(r components.Row) bool { return r.Change && p.isOpen(r.About.At) }) {
			return nil
		}
		return components.Toast("all are decided: A applies them")
	}
}

// take returns what decides the conflict under the cursor.
func (p *ConflictsPage) take(side api.ResolutionTake) func() tea.Cmd {
	return func() tea.Cmd {
		c, _ := p.here()
		return p.decide(api.Resolution{Conflict: c.ID, Take: side})
	}
}

// decide notes and keeps decisions, which are undone as one, and goes on to the next conflict that has none.
func (p *ConflictsPage) decide(all ...api.Resolution) tea.Cmd {
	var last []decision
	var kept []tea.Cmd
	for _, r := range all {
		d := decision{conflict: r.Conflict}
		if before, decided := p.decisions[r.Conflict]; decided {
			d.before = &before
		}
		last, p.decisions[r.Conflict] = append(last, d), r
		kept = append(kept, p.keep(r.Conflict))
	}
	p.done, p.Stale = append(p.done, last), true
	p.List.Next(1, func(row components.Row) bool { return row.Change && p.isOpen(row.About.At) })
	return tea.Batch(kept...)
}

func (p *ConflictsPage) isOpen(at int) bool {
	return at >= 0 && at < len(p.all) && !p.decided(p.all[at].ID)
}

// allDecided says why there is no rest to decide.
func (p *ConflictsPage) allDecided() string {
	switch p.undecided() {
	case 0:
		return "all are decided: A applies them"
	case 1:
		return "there is only one left: 1 to 4 decide it"
	default:
		return ""
	}
}

// askForRest asks how all the rest is decided.
func (p *ConflictsPage) askForRest() tea.Cmd {
	choices := []components.Choice{p.restChoice(api.TakeOurs, "as in the space"), p.restChoice(api.TakeTheirs, "as in the request")}
	return page.Ask(p.Session, page.PickMsg{Question: fmt.Sprintf("%s not decided yet; decide all the rest", render.Plural(p.undecided(), "conflict")), Choices: choices})
}

// restChoice offers one answer for all the rest, and says of which conflicts it is none.
func (p *ConflictsPage) restChoice(take api.ResolutionTake, name string) components.Choice {
	n, others := 0, []api.Conflict(nil)
	for i, c := range p.all {
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

// summarizeConflict names a conflict among others: the setting or the words, and of which page.
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

// decideRest takes one answer for every conflict that is open and admits it.
func (p *ConflictsPage) decideRest(take api.ResolutionTake) {
	var rest []api.Resolution
	for i, c := range p.all {
		if p.isOpen(i) && c.Admits(take) {
			rest = append(rest, api.Resolution{Conflict: c.ID, Take: take})
		}
	}
	if len(rest) > 0 {
		p.decide(rest...)
	}
}

// NothingToUndo says why there is nothing to undo, or nothing.
func (p *ConflictsPage) NothingToUndo() string {
	if len(p.done) == 0 {
		return "nothing is decided yet"
	}
	return ""
}

// Undo takes back what was decided last, and goes to its conflict, the first of several.
func (p *ConflictsPage) Undo() tea.Cmd {
	last := p.done[len(p.done)-1]
	p.done, p.Stale = p.done[:len(p.done)-1], true
	var kept []tea.Cmd
	for _, d := range last {
		delete(p.decisions, d.conflict)
		if d.before != nil {
			p.decisions[d.conflict] = *d.before
		}
		kept = append(kept, p.keep(d.conflict))
	}
	p.List.Next(1, func(row components.Row) bool {
		return row.Change && row.About.At >= 0 && row.About.At < len(p.all) && p.all[row.About.At].ID == last[0].conflict
	})
	return tea.Batch(kept...)
}

// write opens the editor for a text of one's own; an address is a line, and is checked while it is typed.
func (p *ConflictsPage) write() tea.Cmd {
	c, _ := p.here()
	if c.Kind == "slug" || c.Attribute == "slug" {
		return page.Ask(p.Session, page.PromptMsg{Question: "Address", Text: p.start(c), Check: notAnAddress, Done: func(written string) tea.Cmd {
			return p.decide(own(c.ID, written))
		}})
	}
	p.writing = c.ID
	return p.Session.Edit(p.start(c))
}

// notAnAddress says why a line is no address of a page.
func notAnAddress(line string) string {
	if api.Patterns["slug"].MatchString(line) {
		return ""
	}
	return `an address has no spaces, /, ?, # or \`
}

// start is the text to begin with: what was written before, else the proposal, else a side.
func (p *ConflictsPage) start(c api.Conflict) string {
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

// applyHint says what applying does now.
func (p *ConflictsPage) applyHint() string {
	if open := p.undecided(); open > 0 {
		return fmt.Sprintf("apply (%d open)", open)
	}
	return "apply"
}

// apply updates the request with the decisions; while some are missing, it asks how the rest is decided.
func (p *ConflictsPage) apply() tea.Cmd {
	switch {
	case p.outcome.Busy:
		return nil
	case p.undecided() > 0:
		return p.askForRest()
	}
	var resolutions []api.Resolution
	for _, c := range p.all {
		resolutions = append(resolutions, p.decisions[c.ID])
	}
	client, at, key := p.Session.Client, p.at, p.Session.NewKey()
	return p.outcome.Load(p.Session.Connection, func(ctx context.Context) (api.MergeResult, error) {
		return client.Pull(ctx, at, resolutions, key)
	})
}

// At is the change request; the app counts what is decided in others.
func (p *ConflictsPage) At() remote.Target { return p.at }

// Watching says which change request the page is of; the app watches it.
func (p *ConflictsPage) Watching() (remote.Target, string) { return p.at, "" }

// Command is the wsctl command that shows the conflicts.
func (p *ConflictsPage) Command() string { return p.at.RequestCommand("get-conflicts") }

// ConflictPages are one of each page, without content, for the table of keys.
func ConflictPages() []page.Page { return []page.Page{&ConflictsPage{}} }

// ConflictCommands are one of each, for a test that wsctl has them.
func ConflictCommands() []string {
	return []string{(&ConflictsPage{at: remote.Target{Space: "s", ChangeRequest: "2"}}).Command()}
}
