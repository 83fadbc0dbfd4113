package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// unsentDrafts are the texts in the journal that can be gone on with, and the decisions of conflicts, which are offered where those
// are.
func unsentDrafts(journal drafts.Journal) (texts, decided []drafts.Draft, err error) {
	all, err := journal.All()
	for _, d := range all {
		if d.Conflict == "" {
			texts = append(texts, d)
		} else {
			decided = append(decided, d)
		}
	}
	return drafts.Put(texts), decided, err
}

// waiting are the drafts that say something: a verdict alone does not.
func waiting(all []drafts.Draft) []drafts.Draft {
	return slices.DeleteFunc(all, func(d drafts.Draft) bool { return !d.Waits() })
}

// Remind says that something was not sent, or was decided and not applied. The app calls it once, at the start.
func (d *Editor) Remind() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return tea.Batch(d.Count(), func() tea.Msg {
		left, decided, err := unsentDrafts(journal)
		if err != nil {
			return nil
		}
		var says []string
		if len(waiting(left))+len(unsaved(ctx, s)) > 0 {
			says = append(says, "you have drafts that are not sent: p lists them")
		}
		if n := len(decided); n > 0 {
			says = append(says, page.SaysDecided(n))
		}
		if len(says) == 0 {
			return nil
		}
		return components.Told(strings.Join(says, "; "))
	})
}

// Offer shows what was not sent, to go on with, and what was dropped, to fetch it back.
func (d *Editor) Offer() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return func() tea.Msg {
		left, _, err := unsentDrafts(journal)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		dropped, err := journal.Dropped(s.Now())
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		pages := unsaved(ctx, s)
		if left = waiting(left); len(left)+len(pages)+len(dropped) == 0 {
			return components.Told("no drafts")
		}
		var choices []components.Choice
		for _, d := range left {
			choices = append(choices, components.Choice{Label: describePlace(s, d), Cmd: components.Send(page.ComposeMsg{Draft: d})})
		}
		for _, e := range pages {
			choices = append(choices, components.Choice{Label: page.SaysEdit(e), Cmd: components.Send(page.ResumeMsg{Edit: e})})
		}
		for _, d := range dropped {
			choices = append(choices, components.Choice{Label: fmt.Sprintf("fetch back, dropped %s: %s", s.Ago(d.At), describePlace(s, d.Draft)), Cmd: page.FetchBack(s, d)})
		}
		return page.PickMsg{Question: "Not sent yet: choose one to go on with", Choices: choices}
	}
}

// describePlace is a draft in a line that says in which space it is: change requests of several have the same number.
func describePlace(s *page.Session, d drafts.Draft) string {
	if name := s.Names[d.Target.Space]; name != "" {
		return name + ", " + page.Label(d)
	}
	return page.Label(d)
}
