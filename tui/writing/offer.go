package writing

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// unsent are the texts in the journal that can be gone on with; a decision of a conflict is offered where that is.
func unsent(journal drafts.Journal) ([]drafts.Draft, error) {
	all, err := journal.All()
	return drafts.Put(slices.DeleteFunc(all, func(d drafts.Draft) bool { return d.Conflict != "" })), err
}

// said counts the drafts that say something: a verdict alone does not.
func said(all []drafts.Draft) (n int) {
	for _, d := range all {
		if d.Text != "" || d.Suggestion != nil {
			n++
		}
	}
	return n
}

// Remind says that something was not sent. The app calls it once, at the start.
func (d *Desk) Remind() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return tea.Batch(d.Count(), func() tea.Msg {
		if left, err := unsent(journal); err != nil || said(left)+len(unsaved(ctx, s)) == 0 {
			return nil
		}
		return components.Told("you have drafts: p resumes one")
	})
}

// Offer shows what was not sent, to go on with, and what was dropped, to fetch it back.
func (d *Desk) Offer() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return func() tea.Msg {
		left, err := unsent(journal)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		dropped, err := journal.Dropped(s.Now())
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		pages := unsaved(ctx, s)
		if said(left)+len(pages)+len(dropped) == 0 {
			return components.Told("no drafts")
		}
		var choices []components.Choice
		for _, d := range left {
			if said([]drafts.Draft{d}) > 0 {
				choices = append(choices, components.Choice{Label: page.Label(d), Cmd: components.Send(page.ComposeMsg{Draft: d})})
			}
		}
		choices = append(choices, pages...)
		for _, d := range dropped {
			choices = append(choices, components.Choice{Label: fmt.Sprintf("fetch back, dropped %s: %s", s.Ago(d.At), page.Label(d.Draft)), Cmd: page.FetchBack(s, d)})
		}
		return page.PickMsg{Question: "Resume", Choices: choices}
	}
}
