package screens

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// journalMsg is what the journal holds: perhaps decisions of these conflicts.
type journalMsg struct {
	to     *ConflictsPage
	drafts []drafts.Draft
}

// Load brings back what was decided of these conflicts before. The conflicts themselves came with the answer that opened
// the page.
func (p *ConflictsPage) Load() tea.Cmd {
	journal := p.Session.Drafts
	return tea.Batch(p.threads.Load(), func() tea.Msg {
		all, err := journal.All()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return journalMsg{p, all}
	})
}

// restore takes over the decisions of conflicts that are there as they were: a conflict has the same id as long as both sides
// stay as they are. What was decided of others is dropped, and said.
func (p *ConflictsPage) restore(all []drafts.Draft) tea.Cmd {
	if p.restored {
		return nil
	}
	p.restored, p.Stale = true, true
	var before [][]decision
	var gone []drafts.Draft
	for _, d := range all {
		if d.Conflict == "" || d.Target != p.at {
			continue
		}
		if !p.has(d.Conflict) {
			gone = append(gone, d)
		} else if !p.decided(d.Conflict) {
			p.decisions[d.Conflict] = resolved(d)
			before = append(before, []decision{{conflict: d.Conflict}})
		}
	}
	p.done = append(before, p.done...)
	if open := slices.IndexFunc(p.all, func(c api.Conflict) bool { return !p.decided(c.ID) }); open >= 0 && len(before) > 0 {
		p.List.Want(rowKey(p.all[open]))
	}
	switch {
	case len(before) == 0 && len(gone) == 0:
		return nil
	case len(gone) == 0:
		return components.Toast("%s decided, kept from before", p.progress())
	default:
		return tea.Batch(p.drop(gone), components.Toast("%s decided, kept from before; %s", p.progress(), dropped(gone)))
	}
}

// changed drops the decisions of conflicts that are there no more, when the server has answered with others.
func (p *ConflictsPage) changed() tea.Cmd {
	var gone []drafts.Draft
	for id, r := range p.decisions {
		if !p.has(id) {
			gone = append(gone, p.draft(r))
			delete(p.decisions, id)
		}
	}
	says := "the content has changed: these are the conflicts now; your decisions are kept where they still fit"
	if len(gone) > 0 {
		says += "; " + dropped(gone)
	}
	return tea.Batch(p.drop(gone), components.Toast("%s", says))
}

// dropped says of how many decisions the conflicts have changed, and where one finds what was written for them.
func dropped(gone []drafts.Draft) string {
	says := render.Plural(len(gone), "decision") + " dropped, as what they were about has changed"
	if len(gone) == 1 {
		says = "1 decision dropped, as what it was about has changed"
	}
	if slices.ContainsFunc(gone, func(d drafts.Draft) bool { return d.Text != "" }) {
		says += "; p has what you wrote, for a week"
	}
	return says
}

// drop forgets decisions; what was written for them can be fetched back.
func (p *ConflictsPage) drop(gone []drafts.Draft) tea.Cmd {
	journal, now := p.Session.Drafts, p.Session.Now()
	return func() tea.Msg {
		for _, d := range gone {
			drop := func() error { return journal.Delete(d.ID()) }
			if d.Text != "" {
				drop = func() error { return journal.Discard(d, now) }
			}
			if err := drop(); err != nil {
				return remote.FailMsg{Err: err}
			}
		}
		return page.CountMsg{}
	}
}

// keep makes the journal say of a conflict what is decided of it now. It is done at once: whoever leaves with the next key has
// it there. Each conflict has a draft of its own, which nobody holds: of two screens that decide the same one, the last counts,
// and what they decide of others stays.
func (p *ConflictsPage) keep(conflict string) tea.Cmd {
	draft := p.draft(api.Resolution{Conflict: conflict})
	var err error
	if r, decided := p.decisions[conflict]; decided {
		err = p.Session.Drafts.Save(p.draft(r))
	} else {
		err = p.Session.Drafts.Delete(draft.ID())
	}
	if err != nil {
		return components.Send(remote.FailMsg{Err: err})
	}
	return components.Send(page.CountMsg{})
}

// forget deletes the decisions that the server has now.
func (p *ConflictsPage) forget() tea.Cmd {
	var all []drafts.Draft
	for id := range p.decisions {
		all = append(all, p.draft(api.Resolution{Conflict: id}))
	}
	clear(p.decisions)
	return p.drop(all)
}

// draft is a decision as the journal has it.
func (p *ConflictsPage) draft(r api.Resolution) drafts.Draft {
	d := drafts.Draft{Target: p.at, Conflict: r.Conflict, About: "decision of a conflict", At: p.Session.Now()}
	if written, own := r.Text.Get(); own {
		d.Text = written
	} else {
		d.Take = r.Take
	}
	return d
}

// resolved is a decision that the journal has.
func resolved(d drafts.Draft) api.Resolution {
	if d.Take == "" {
		return own(d.Conflict, d.Text)
	}
	return api.Resolution{Conflict: d.Conflict, Take: d.Take}
}

func own(id, written string) api.Resolution {
	return api.Resolution{Conflict: id, Take: api.TakeText, Text: api.Some(written)}
}

func (p *ConflictsPage) has(id string) bool {
	return slices.ContainsFunc(p.all, func(c api.Conflict) bool { return c.ID == id })
}

func (p *ConflictsPage) decided(id string) bool {
	_, decided := p.decisions[id]
	return decided
}

// progress says how many are decided.
func (p *ConflictsPage) progress() string {
	return fmt.Sprintf("%d of %d", len(p.all)-p.undecided(), len(p.all))
}

// Unapplied says how many decisions wait for A, "" for none. The app says so before it ends.
func (p *ConflictsPage) Unapplied() string { return p.kept("A") }

// Leaving says how many decisions stay behind.
func (p *ConflictsPage) Leaving() string { return p.kept("A on the conflicts") }

func (p *ConflictsPage) kept(key string) string {
	n := len(p.decisions)
	if n == 0 || p.outcome.Busy {
		return ""
	}
	return fmt.Sprintf("%s kept; %s applies %s", render.Plural(n, "decision"), key, map[bool]string{true: "it", false: "them"}[n == 1])
}
