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

// unsentDrafts returns the unfinished texts in the journal and the unapplied conflict decisions.
func unsentDrafts(journal drafts.Journal) (texts, decided []drafts.Draft, err error) {
	all, err := journal.All()
	for _, d := range all {
		if d.Conflict == "" {
			texts = append(texts, d)
		} else {
			decided = append(decided, d)
		}
	}
	return drafts.SortByStart(texts), decided, err
}

// withContent returns the drafts that contain more than a verdict.
func withContent(all []drafts.Draft) []drafts.Draft {
	return slices.DeleteFunc(all, func(d drafts.Draft) bool { return !d.IsUnsent() })
}

// Remind reports unsent texts and unapplied decisions. The Model calls it once at the start.
func (e *Editor) Remind() tea.Cmd {
	journal, s, ctx := e.session.Drafts, e.session, e.session.Ctx
	return tea.Batch(e.Count(), func() tea.Msg {
		left, decided, err := unsentDrafts(journal)
		if err != nil {
			return nil
		}
		var messages []string
		if len(withContent(left))+len(unsavedEdits(ctx, s)) > 0 {
			messages = append(messages, "you have drafts that are not sent: p lists them")
		}
		if n := len(decided); n > 0 {
			messages = append(messages, page.DecisionsText(n))
		}
		if len(messages) == 0 {
			return nil
		}
		return components.NewToast(strings.Join(messages, "; "))
	})
}

// Offer lists unsent texts for resuming and discarded ones for restoring.
func (e *Editor) Offer() tea.Cmd {
	journal, s, ctx := e.session.Drafts, e.session, e.session.Ctx
	return func() tea.Msg {
		left, _, err := unsentDrafts(journal)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		dropped, err := journal.Dropped(s.Now())
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		pages := unsavedEdits(ctx, s)
		if left = withContent(left); len(left)+len(pages)+len(dropped) == 0 {
			return components.NewToast("no drafts")
		}
		var choices []components.Choice
		for _, d := range left {
			choices = append(choices, components.Choice{Label: describeDraft(s, d), Cmd: components.Send(page.ComposeMsg{Draft: d})})
		}
		for _, e := range pages {
			choices = append(choices, components.Choice{Label: page.EditText(e), Cmd: components.Send(page.ResumeMsg{Edit: e})})
		}
		for _, d := range dropped {
			choices = append(choices, components.Choice{
				Label: fmt.Sprintf("fetch back, dropped %s: %s", s.Ago(d.DroppedAt), describeDraft(s, d.Draft)), Cmd: page.Restore(s, d),
			})
		}
		return page.PickMsg{Question: "Not sent yet: choose one to go on with", Choices: choices}
	}
}

// describeDraft describes a draft in one line, including its space, because change request numbers are unique per
// space only.
func describeDraft(s *page.Session, d drafts.Draft) string {
	if name := s.Names[d.Target.Space]; name != "" {
		return name + ", " + page.Label(d)
	}
	return page.Label(d)
}
