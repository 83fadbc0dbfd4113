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

// journalMsg contains the drafts of the journal, among them possibly decisions on these conflicts.
type journalMsg struct {
	page   *conflictsPage
	drafts []drafts.Draft
}

// Load reads the saved decisions from the journal. The conflicts themselves are in the response that opened the page.
func (p *conflictsPage) Load() tea.Cmd {
	journal := p.Session.Drafts
	return tea.Batch(p.threads.load(), func() tea.Msg {
		all, err := journal.All()
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return journalMsg{p, all}
	})
}

// restore sets the decisions on the present conflicts to the saved ones, once. A conflict keeps its id as long as both sides
// are unchanged; decisions on other conflicts are dropped with a message.
func (p *conflictsPage) restore(all []drafts.Draft) tea.Cmd {
	if p.restored {
		return nil
	}
	p.restored, p.Stale = true, true
	var before [][]decision
	var outdated []drafts.Draft
	for _, d := range all {
		if d.Conflict == "" || d.Target != p.target {
			continue
		}
		if !p.hasConflict(d.Conflict) {
			outdated = append(outdated, d)
		} else if !p.isDecided(d.Conflict) {
			p.decisions[d.Conflict] = resolutionOf(d)
			before = append(before, []decision{{conflict: d.Conflict}})
		}
	}
	p.history = append(before, p.history...)
	if open := slices.IndexFunc(p.conflicts, func(c api.Conflict) bool { return !p.isDecided(c.ID) }); open >= 0 && len(before) > 0 {
		p.List.SelectKey(conflictKey(p.conflicts[open]))
	}
	switch {
	case len(before) == 0 && len(outdated) == 0:
		return nil
	case len(outdated) == 0:
		return components.Toast("%s decided, kept from before", p.progress())
	default:
		return tea.Batch(p.drop(outdated), components.Toast("%s decided, kept from before; %s", p.progress(), droppedText(outdated)))
	}
}

// dropOutdated drops the decisions on conflicts that the server no longer reports.
func (p *conflictsPage) dropOutdated() tea.Cmd {
	var outdated []drafts.Draft
	for id, r := range p.decisions {
		if !p.hasConflict(id) {
			outdated = append(outdated, p.decisionDraft(r))
			delete(p.decisions, id)
		}
	}
	message := "the content has changed: these are the conflicts now; your decisions are kept where they still fit"
	if len(outdated) > 0 {
		message += "; " + droppedText(outdated)
	}
	return tea.Batch(p.drop(outdated), components.Toast("%s", message))
}

// droppedText returns the message for dropped decisions, with the location of the texts that were written for them.
func droppedText(outdated []drafts.Draft) string {
	message := render.Plural(len(outdated), "decision") + " dropped, as what they were about has changed"
	if len(outdated) == 1 {
		message = "1 decision dropped, as what it was about has changed"
	}
	if slices.ContainsFunc(outdated, func(d drafts.Draft) bool { return d.Text != "" }) {
		message += "; p has what you wrote, for a week"
	}
	return message
}

// drop removes decisions from the journal; texts that were written for them can be restored.
func (p *conflictsPage) drop(outdated []drafts.Draft) tea.Cmd {
	journal, now := p.Session.Drafts, p.Session.Now()
	return func() tea.Msg {
		for _, d := range outdated {
			drop := func() error { return journal.Delete(d.ID()) }
			if d.Text != "" {
				drop = func() error { return journal.Discard(d, now) }
			}
			if err := drop(); err != nil {
				return remote.ErrorMsg{Err: err}
			}
		}
		return page.CountMsg{}
	}
}

// save writes the decision on a conflict to the journal, synchronously, so that it is there if the next key leaves
// the page. Each conflict has its own draft without a lock: of two screens that decide the same conflict, the last
// write wins.
func (p *conflictsPage) save(conflict string) tea.Cmd {
	draft := p.decisionDraft(api.Resolution{Conflict: conflict})
	var err error
	if r, decided := p.decisions[conflict]; decided {
		err = p.Session.Drafts.Save(p.decisionDraft(r))
	} else {
		err = p.Session.Drafts.Delete(draft.ID())
	}
	if err != nil {
		return components.Send(remote.ErrorMsg{Err: err})
	}
	return components.Send(page.CountMsg{})
}

// deleteApplied deletes the decisions that the server has applied.
func (p *conflictsPage) deleteApplied() tea.Cmd {
	var all []drafts.Draft
	for id := range p.decisions {
		all = append(all, p.decisionDraft(api.Resolution{Conflict: id}))
	}
	clear(p.decisions)
	return p.drop(all)
}

// decisionDraft returns the draft that stores a resolution in the journal.
func (p *conflictsPage) decisionDraft(r api.Resolution) drafts.Draft {
	d := drafts.Draft{Target: p.target, Conflict: r.Conflict, About: "decision of a conflict", StartedAt: p.Session.Now()}
	if text, own := r.Text.Get(); own {
		d.Text = text
	} else {
		d.Take = r.Take
	}
	return d
}

// resolutionOf returns the resolution that a draft of the journal stores.
func resolutionOf(d drafts.Draft) api.Resolution {
	if d.Take == "" {
		return textResolution(d.Conflict, d.Text)
	}
	return api.Resolution{Conflict: d.Conflict, Take: d.Take}
}

func textResolution(id, text string) api.Resolution {
	return api.Resolution{Conflict: id, Take: api.TakeText, Text: api.Some(text)}
}

func (p *conflictsPage) hasConflict(id string) bool {
	return slices.ContainsFunc(p.conflicts, func(c api.Conflict) bool { return c.ID == id })
}

func (p *conflictsPage) isDecided(id string) bool {
	_, decided := p.decisions[id]
	return decided
}

// progress returns the number of decided conflicts as text.
func (p *conflictsPage) progress() string {
	return fmt.Sprintf("%d of %d", len(p.conflicts)-p.undecidedCount(), len(p.conflicts))
}

// Unapplied returns the message for decisions that are applied by the key A, or "". The app shows it before it ends.
func (p *conflictsPage) Unapplied() string { return p.unappliedText("A") }

// LeaveWarning returns the message for unapplied decisions when the user leaves the page, or "".
func (p *conflictsPage) LeaveWarning() string { return p.unappliedText("A on the conflicts") }

func (p *conflictsPage) unappliedText(key string) string {
	n := len(p.decisions)
	if n == 0 || p.outcome.Busy {
		return ""
	}
	return fmt.Sprintf("%s kept; %s applies %s", render.Plural(n, "decision"), key, render.Choose(n == 1, "it", "them"))
}
