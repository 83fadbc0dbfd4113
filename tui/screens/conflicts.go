package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// conflicts shows what both sides changed, and takes a decision on each. The update with the decisions is what
// solves them; after it the request can be merged.
type conflicts struct {
	page.Frame
	at        remote.Target
	all       []api.Conflict
	decisions map[string]api.Resolution // by the conflict's id
	writing   string                    // the conflict whose text is in the editor
	outcome   remote.Value[api.MergeResult]
}

func newConflicts(s *page.Session, at remote.Target, all []api.Conflict) *conflicts {
	return &conflicts{Frame: page.NewFrame(s), at: at, all: all, decisions: map[string]api.Resolution{}}
}

func (p *conflicts) Title() string { return "conflicts" }
func (p *conflicts) Kind() string  { return "conflicts" }
func (p *conflicts) Open() tea.Cmd { return nil }
func (p *conflicts) Space() string { return p.at.Space }

func (p *conflicts) Condition() remote.Condition {
	c := p.outcome.Condition
	c.Loaded = true // the conflicts are there
	return c
}

// journalMsg is what the journal holds: perhaps texts that were written for these conflicts before.
type journalMsg struct {
	to     *conflicts
	drafts []drafts.Draft
}

// Load brings back what was written for these conflicts before. The conflicts themselves came with the answer that
// opened the page.
func (p *conflicts) Load() tea.Cmd {
	journal := p.Session.Drafts
	return func() tea.Msg {
		all, err := journal.All()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return journalMsg{p, all}
	}
}

// restore takes over the texts that fit: a conflict has the same id as long as both sides stay as they are.
func (p *conflicts) restore(written []drafts.Draft) {
	for _, c := range p.all {
		for _, d := range written {
			if _, decided := p.decisions[c.ID]; d.Conflict == c.ID && d.Target == p.at && !decided {
				p.decisions[c.ID] = own(c.ID, d.Text)
			}
		}
	}
	p.Stale = true
}

func own(id, written string) api.Resolution {
	return api.Resolution{Conflict: id, Take: api.TakeText, Text: api.Some(written)}
}

func (p *conflicts) Update(msg tea.Msg) tea.Cmd {
	if edited, ok := msg.(page.EditedMsg); ok && p.writing != "" {
		return p.wrote(edited)
	}
	if journal, ok := msg.(journalMsg); ok && journal.to == p {
		p.restore(journal.drafts)
	}
	if !p.outcome.Take(msg) {
		return nil
	}
	p.Stale = true
	if p.outcome.Err != nil {
		return components.Send(remote.FailMsg{Err: p.outcome.Err})
	}
	if result := p.outcome.Latest; result.Result == api.OutcomeConflicts {
		p.all = result.Conflicts
		return components.Toast("there are other conflicts now: the content has moved on")
	}
	return tea.Sequence(p.forget(), components.Send(page.PopMsg{From: p}), components.Send(remote.ChangedMsg{Space: p.at.Space, Done: "updated with your decisions; it can be merged now"}))
}

func (p *conflicts) wrote(msg page.EditedMsg) tea.Cmd {
	id := p.writing
	p.writing, p.Stale = "", true
	if msg.Err != nil {
		return nil
	}
	p.decisions[id] = own(id, msg.Text)
	draft, journal := p.draft(id, msg.Text), p.Session.Drafts
	return func() tea.Msg {
		if err := journal.Save(draft); err != nil {
			return remote.FailMsg{Err: err}
		}
		return nil
	}
}

func (p *conflicts) draft(id, written string) drafts.Draft {
	return drafts.Draft{Target: p.at, Conflict: id, About: "decision of a conflict", Text: written}
}

// forget deletes the texts that the server has now.
func (p *conflicts) forget() tea.Cmd {
	journal := p.Session.Drafts
	var ids []string
	for _, c := range p.all {
		ids = append(ids, p.draft(c.ID, "").ID())
	}
	return func() tea.Msg {
		for _, id := range ids {
			if err := journal.Delete(id); err != nil {
				return remote.FailMsg{Err: err}
			}
		}
		return nil
	}
}

func (p *conflicts) Pending() bool { return p.outcome.Busy }

func (p *conflicts) undecided() int {
	open := 0
	for _, c := range p.all {
		if _, ok := p.decisions[c.ID]; !ok {
			open++
		}
	}
	return open
}

func (p *conflicts) Rows(width int) []components.Row {
	width = text.Measure(width)
	intro := fmt.Sprintf("%s, %d decided. Nothing was applied. Decide each with 1 2 3 4, then u updates the request.", text.Plural(len(p.all), "conflict"), len(p.all)-p.undecided())
	var rows []components.Row
	for _, line := range text.Wrap(text.Line{text.In(text.Warning, intro)}, width, nil) {
		rows = append(rows, components.Row{Key: "intro", Line: line, About: components.Subject{At: -1}})
	}
	for i, c := range p.all {
		rows = append(rows, components.Row{Key: "intro", About: components.Subject{At: -1}})
		rows = append(rows, p.conflict(i, c, width)...)
	}
	return rows
}

func (p *conflicts) conflict(at int, c api.Conflict, width int) []components.Row {
	decision, decided := p.decisions[c.ID]
	mark := text.In(text.Warning, "● open ")
	if decided {
		mark = text.In(text.Added, "✓ "+string(decision.Take)+" ")
	}
	title := fmt.Sprintf("%d of %d · %s · %s", at+1, len(p.all), text.Titled(conflictName(c)), c.Kind)
	lines := []text.Line{append(text.Line{mark}, text.Section(title)...).Cut(width)}
	base := c.Base
	lines = append(lines, side("  base", base, nil, width)...)
	lines = append(lines, side("1 ours (the space)", c.Ours, c.OursRuns, width)...)
	lines = append(lines, side("2 theirs (the request)", c.Theirs, c.TheirsRuns, width)...)
	if own, ok := decision.Text.Get(); ok {
		lines = append(lines, side("3 yours", &own, nil, width)...)
	}
	if decision.Take == api.TakeBoth {
		lines = append(lines, side("4 both", c.Proposed, nil, width)...)
	}
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "conflict/" + c.ID, Line: line, About: components.Subject{At: at}, Change: i == 0, Begin: i == 0}
	}
	return rows
}

func conflictName(c api.Conflict) string {
	for _, name := range []string{c.Title, c.Key, c.Attribute} {
		if name != "" {
			return name
		}
	}
	return c.Page
}

// side is one version of what the conflict is about, with what it changed.
func side(label string, version *string, runs []api.TextRun, width int) []text.Line {
	lines := []text.Line{{text.Of(text.Style{Tone: text.Accent, Bold: true}, label)}}
	indent := text.Line{text.In(text.Dim, "  │ ")}
	if version == nil {
		return append(lines, append(indent[:1:1], text.In(text.Dim, "(not there)")))
	}
	spans := text.Line{text.Plain(*version)}
	if len(runs) > 0 {
		spans = changes.Inline(runs)
	}
	for _, line := range text.Wrap(spans, max(width-indent.Width(), 1), nil) {
		lines = append(lines, text.Join(indent, line))
	}
	return lines
}

func (p *conflicts) Actions() []components.Action {
	return []components.Action{
		{Name: "ours", Keys: []string{"1", "o"}, Help: "take the space's text", Hint: "ours", Do: p.take(api.TakeOurs), WhyNot: p.offConflict},
		{Name: "theirs", Keys: []string{"2", "t"}, Help: "take the request's text", Hint: "theirs", Do: p.take(api.TakeTheirs), WhyNot: p.offConflict},
		{Name: "own", Keys: []string{"3", "e"}, Help: "write your own", Hint: "own", Do: p.write, WhyNot: p.offConflict},
		{Name: "both", Keys: []string{"4", "b"}, Help: "take both, one after the other", Hint: "both", Do: p.take(api.TakeBoth), WhyNot: p.notBoth},
		{Name: "conflict-next", Keys: []string{"]", "tab"}, Help: "next conflict", Do: p.turn(1)},
		{Name: "conflict-previous", Keys: []string{"[", "shift+tab"}, Help: "previous conflict", Do: p.turn(-1)},
		{Name: "apply", Keys: []string{"u"}, Help: "update with these", Hint: "apply", Do: p.apply, WhyNot: p.unready},
	}
}

// here is the conflict under the cursor.
func (p *conflicts) here() (api.Conflict, bool) {
	r, ok := p.Selected()
	if !ok || r.About.At < 0 || r.About.At >= len(p.all) {
		return api.Conflict{}, false
	}
	return p.all[r.About.At], true
}

// offConflict says why there is nothing to decide.
func (p *conflicts) offConflict() string {
	if _, ok := p.here(); !ok {
		return "put the cursor on a conflict first: ] goes to the next"
	}
	return ""
}

// notBoth says why the two sides do not go together.
func (p *conflicts) notBoth() string {
	if c, ok := p.here(); ok && c.Kind != "text" && c.Kind != "inserted" {
		return "both does not go with this conflict: take 1 or 2"
	}
	return p.offConflict()
}

// turn returns what goes to another conflict.
func (p *conflicts) turn(by int) func() tea.Cmd {
	return func() tea.Cmd {
		p.List.Next(by, func(r components.Row) bool { return r.Change })
		return nil
	}
}

// take returns what decides the conflict under the cursor.
func (p *conflicts) take(side api.ResolutionTake) func() tea.Cmd {
	return func() tea.Cmd {
		c, _ := p.here()
		p.decisions[c.ID] = api.Resolution{Conflict: c.ID, Take: side}
		return nil
	}
}

// write opens the editor for a text of one's own.
func (p *conflicts) write() tea.Cmd {
	c, _ := p.here()
	p.writing = c.ID
	return p.Session.Edit(p.start(c))
}

// start is the text to begin with: what was written before, else the proposal, else a side.
func (p *conflicts) start(c api.Conflict) string {
	if own, ok := p.decisions[c.ID].Text.Get(); ok {
		return own
	}
	for _, s := range []*string{c.Proposed, c.Theirs, c.Ours, c.Base} {
		if s != nil {
			return *s
		}
	}
	return ""
}

// unready says why the decisions cannot be applied yet.
func (p *conflicts) unready() string {
	if open := p.undecided(); open > 0 {
		return text.Plural(open, "conflict") + " to decide first: ] goes to the next"
	}
	return ""
}

// apply updates the request with the decisions.
func (p *conflicts) apply() tea.Cmd {
	if p.outcome.Busy {
		return nil
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
