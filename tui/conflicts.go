package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// conflicts shows what both sides changed, and takes a decision on each. The update with the decisions is what
// solves them; after it the request can be merged.
type conflicts struct {
	frame
	at        Place
	all       []api.Conflict
	decisions map[string]api.Resolution // by the conflict's id
	writing   string                    // the conflict whose text is in the editor
	outcome   remote[api.MergeResult]
}

func newConflicts(s *session, at Place, all []api.Conflict) *conflicts {
	return &conflicts{frame: newFrame(s), at: at, all: all, decisions: map[string]api.Resolution{}}
}

func (p *conflicts) title() string { return "conflicts" }
func (p *conflicts) kind() string  { return "conflicts" }
func (p *conflicts) open() tea.Cmd { return nil }
func (p *conflicts) space() string { return p.at.Space }

func (p *conflicts) condition() condition {
	return condition{busy: p.outcome.busy, loaded: true, err: p.outcome.err, at: p.outcome.at}
}

// keptMsg are texts written for these conflicts before.
type keptMsg struct {
	to     *conflicts
	drafts []Draft
}

// load brings back what was written for these conflicts before. The conflicts themselves came with the answer that
// opened the page.
func (p *conflicts) load() tea.Cmd {
	drafts := p.s.drafts
	return func() tea.Msg {
		all, err := drafts.All()
		if err != nil {
			return failMsg{err}
		}
		return keptMsg{p, all}
	}
}

// restore takes over the texts that fit: a conflict has the same id as long as both sides stay as they are.
func (p *conflicts) restore(kept []Draft) {
	for _, c := range p.all {
		for _, d := range kept {
			if _, decided := p.decisions[c.ID]; d.Conflict == c.ID && d.Place == p.at && !decided {
				p.decisions[c.ID] = own(c.ID, d.Text)
			}
		}
	}
	p.stale = true
}

func own(id, written string) api.Resolution {
	return api.Resolution{Conflict: id, Take: api.TakeText, Text: api.Some(written)}
}

func (p *conflicts) update(msg tea.Msg) tea.Cmd {
	if edited, ok := msg.(editedMsg); ok && p.writing != "" {
		return p.wrote(edited)
	}
	if kept, ok := msg.(keptMsg); ok && kept.to == p {
		p.restore(kept.drafts)
	}
	if !p.outcome.take(msg) {
		return nil
	}
	p.stale = true
	if p.outcome.err != nil {
		return send(failMsg{p.outcome.err})
	}
	if result := p.outcome.value; result.Result == api.OutcomeConflicts {
		p.all = result.Conflicts
		return toast("there are other conflicts now: the content has moved on")
	}
	return tea.Sequence(p.forget(), send(popMsg{p}), send(changedMsg{p.at.Space, "updated with your decisions; it can be merged now"}))
}

func (p *conflicts) wrote(msg editedMsg) tea.Cmd {
	id := p.writing
	p.writing, p.stale = "", true
	if msg.err != nil {
		return nil
	}
	p.decisions[id] = own(id, msg.text)
	draft, drafts := p.draft(id, msg.text), p.s.drafts
	return func() tea.Msg {
		if err := drafts.Save(draft); err != nil {
			return failMsg{err}
		}
		return nil
	}
}

func (p *conflicts) draft(id, written string) Draft {
	return Draft{Place: p.at, Conflict: id, About: "decision of a conflict", Text: written}
}

// forget deletes the texts that the server has now.
func (p *conflicts) forget() tea.Cmd {
	drafts := p.s.drafts
	var ids []string
	for _, c := range p.all {
		ids = append(ids, p.draft(c.ID, "").ID())
	}
	return func() tea.Msg {
		for _, id := range ids {
			if err := drafts.Delete(id); err != nil {
				return failMsg{err}
			}
		}
		return nil
	}
}

func (p *conflicts) pending() bool { return p.outcome.busy }

func (p *conflicts) undecided() int {
	open := 0
	for _, c := range p.all {
		if _, ok := p.decisions[c.ID]; !ok {
			open++
		}
	}
	return open
}

func (p *conflicts) rows(width int) []row {
	width = measure(width)
	intro := fmt.Sprintf("%s, %d decided. Nothing was applied. Decide each with 1 2 3 4, then u updates the request.", plural(len(p.all), "conflict"), len(p.all)-p.undecided())
	var rows []row
	for _, line := range text.Wrap(text.Line{text.In(text.Warning, intro)}, width, nil) {
		rows = append(rows, row{key: "intro", line: line, about: subject{at: -1}})
	}
	for i, c := range p.all {
		rows = append(rows, row{key: "intro", about: subject{at: -1}})
		rows = append(rows, p.conflict(i, c, width)...)
	}
	return rows
}

func (p *conflicts) conflict(at int, c api.Conflict, width int) []row {
	decision, decided := p.decisions[c.ID]
	mark := text.In(text.Warning, "● open ")
	if decided {
		mark = text.In(text.Added, "✓ "+string(decision.Take)+" ")
	}
	title := fmt.Sprintf("%d of %d · %s · %s", at+1, len(p.all), titled(conflictName(c)), c.Kind)
	lines := []text.Line{append(text.Line{mark}, sectionTitle(title)...).Cut(width)}
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
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{key: "conflict/" + c.ID, line: line, about: subject{at: at}, change: i == 0, begin: i == 0}
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
func side(label string, version *string, changes []api.TextRun, width int) []text.Line {
	lines := []text.Line{{text.Of(text.Style{Tone: text.Accent, Bold: true}, label)}}
	indent := text.Line{text.In(text.Dim, "  │ ")}
	if version == nil {
		return append(lines, append(indent[:1:1], text.In(text.Dim, "(not there)")))
	}
	spans := text.Line{text.Plain(*version)}
	if len(changes) > 0 {
		spans = inlineDiff(pieces(changes))
	}
	for _, line := range text.Wrap(spans, max(width-indent.Width(), 1), nil) {
		lines = append(lines, text.Join(indent, line))
	}
	return lines
}

func (p *conflicts) actions() []action {
	return []action{
		{name: "ours", keys: keys("1", "o"), help: "take the space's text", hint: "ours", do: p.take(api.TakeOurs), whyNot: p.offConflict},
		{name: "theirs", keys: keys("2", "t"), help: "take the request's text", hint: "theirs", do: p.take(api.TakeTheirs), whyNot: p.offConflict},
		{name: "own", keys: keys("3", "e"), help: "write your own", hint: "own", do: p.write, whyNot: p.offConflict},
		{name: "both", keys: keys("4", "b"), help: "take both, one after the other", hint: "both", do: p.take(api.TakeBoth), whyNot: p.notBoth},
		{name: "conflict-next", keys: keys("]", "tab"), help: "next conflict", do: p.turn(1)},
		{name: "conflict-previous", keys: keys("[", "shift+tab"), help: "previous conflict", do: p.turn(-1)},
		{name: "apply", keys: keys("u"), help: "update with these", hint: "apply", do: p.apply, whyNot: p.unready},
	}
}

// here is the conflict under the cursor.
func (p *conflicts) here() (api.Conflict, bool) {
	r, ok := p.selected()
	if !ok || r.about.at < 0 || r.about.at >= len(p.all) {
		return api.Conflict{}, false
	}
	return p.all[r.about.at], true
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
		p.list.next(by, func(r row) bool { return r.change })
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
	return p.s.edit(p.start(c))
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
		return plural(open, "conflict") + " to decide first: ] goes to the next"
	}
	return ""
}

// apply updates the request with the decisions.
func (p *conflicts) apply() tea.Cmd {
	if p.outcome.busy {
		return nil
	}
	var resolutions []api.Resolution
	for _, c := range p.all {
		resolutions = append(resolutions, p.decisions[c.ID])
	}
	client, at, key := p.s.client, p.at, p.s.newKey()
	return p.outcome.load(p.s, func(ctx context.Context) (api.MergeResult, error) {
		return client.Pull(ctx, at, resolutions, key)
	})
}
