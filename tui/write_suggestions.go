package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// beginSuggestion opens the editor with what a suggestion is about, or with what it says already. The file is there before
// the editor opens, and goes when the draft has its text.
func (p *Pages) beginSuggestion(d drafts.Draft) tea.Cmd {
	s, key := p.s, p.s.NewKey()
	if s.IsFrozen(d.ID()) {
		return components.Toast(page.OnItsWay)
	}
	return func() tea.Msg {
		e, again, err := s.Edits.Begin(drafts.Edit{Target: d.Target, Page: d.Page, Title: d.Title, Base: d.Original, Key: key, Draft: &d})
		if err == nil && !again && d.Suggestion != nil {
			err = s.Edits.Rewrite(e, *d.Suggestion)
		}
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return begunMsg{e, again}
	}
}

// suggested makes what the editor left the suggestion of a draft, and has it said why. A text that is as it was suggests
// nothing.
func (p *Pages) suggested(e drafts.Edit) tea.Msg {
	s := p.s
	written, err := s.Edits.Written(e)
	if err != nil {
		return remote.FailMsg{Err: err}
	}
	if !strings.HasSuffix(e.Base, "\n") {
		written = trimNewline(written) // editors put one there
	}
	if written == e.Base {
		return p.done(e, components.Told("nothing was changed, and nothing suggested"))
	}
	release, err := s.Drafts.Hold(e.Draft.ID())
	if err != nil {
		return components.Told(err.Error() + "; p has what you suggest")
	}
	defer release()
	d, err := p.kept(*e.Draft)
	if err != nil {
		return remote.FailMsg{Err: err}
	}
	d.Suggestion, d.Original, d.Key = &written, e.Base, s.NewKey()
	if err := s.Drafts.Save(d); err != nil {
		return remote.FailMsg{Err: err}
	}
	return p.done(e, page.ComposeMsg{Draft: d})
}

// kept is a draft as the journal has it, or as it begins.
func (p *Pages) kept(d drafts.Draft) (drafts.Draft, error) {
	all, err := p.s.Drafts.All()
	for _, earlier := range all {
		if earlier.ID() == d.ID() {
			return earlier, err
		}
	}
	if d.At.IsZero() {
		d.At = p.s.Now()
	}
	return d, err
}
