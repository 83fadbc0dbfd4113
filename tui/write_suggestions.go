package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// beginSuggestion opens the editor with the original or the already suggested text. The file is created before the
// editor opens and removed when the draft has the text.
func (p *PageEditor) beginSuggestion(d drafts.Draft) tea.Cmd {
	s, key := p.session, p.session.NewKey()
	if s.IsFrozen(d.ID()) {
		return components.Toast(page.FrozenReason)
	}
	return func() tea.Msg {
		e, again, err := s.Edits.Begin(drafts.Edit{Target: d.Target, Page: d.Page, Title: d.Title, Base: d.Original, Key: key, Draft: &d})
		if err == nil && !again && d.Suggestion != nil {
			err = s.Edits.Rewrite(e, *d.Suggestion)
		}
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return begunMsg{e, again}
	}
}

// finishSuggestion sets the suggestion of a draft to the edited text and opens the composer for its comment. An
// unchanged text is not a suggestion.
func (p *PageEditor) finishSuggestion(e drafts.Edit) tea.Msg {
	s := p.session
	written, err := s.Edits.Written(e)
	if err != nil {
		return remote.ErrorMsg{Err: err}
	}
	if !strings.HasSuffix(e.Base, "\n") {
		written = trimNewline(written) // appended by editors
	}
	if written == e.Base {
		return p.discardEdit(e, components.NewToast("nothing was changed, and nothing suggested"))
	}
	release, err := s.Drafts.Hold(e.Draft.ID())
	if err != nil {
		return components.NewToast(err.Error() + "; p has what you suggest")
	}
	defer release()
	d, err := p.loadDraft(*e.Draft)
	if err != nil {
		return remote.ErrorMsg{Err: err}
	}
	d.Suggestion, d.Original, d.Key = &written, e.Base, s.NewKey()
	if err := s.Drafts.Save(d); err != nil {
		return remote.ErrorMsg{Err: err}
	}
	return p.discardEdit(e, page.ComposeMsg{Draft: d})
}

// loadDraft returns a draft from the journal, or d if it is not journaled.
func (p *PageEditor) loadDraft(d drafts.Draft) (drafts.Draft, error) {
	all, err := p.session.Drafts.All()
	for _, earlier := range all {
		if earlier.ID() == d.ID() {
			return earlier, err
		}
	}
	if d.StartedAt.IsZero() {
		d.StartedAt = p.session.Now()
	}
	return d, err
}
