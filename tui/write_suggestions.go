package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// suggestMsg requests the external editor for the suggestion of a draft.
type suggestMsg struct{ draft drafts.Draft }

// beginSuggestion opens the field for the suggested words. Words that are already in the external editor, or that a field would
// change, are edited there.
func (e *Editor) beginSuggestion(d drafts.Draft) tea.Cmd {
	s := e.session
	written := func(edit drafts.Edit) bool { return edit.Draft != nil && edit.Draft.ID() == d.ID() }
	switch at := slices.IndexFunc(s.Editing, written); {
	case s.IsFrozen(d.ID()):
		s.AwaitsInput = false
		return components.Toast(page.FrozenReason)
	case at >= 0:
		s.AwaitsInput = false
		return components.Send(page.ResumeMsg{Edit: s.Editing[at]})
	case !components.Accepts(d.Original):
		s.AwaitsInput = false
		return components.Send(suggestMsg{d})
	default:
		return e.open(d, true)
	}
}

// suggestWords shows the suggested words, or else the original words, in a field.
func (c *composer) suggestWords() {
	words := components.NewField(c.draft.Original, false)
	if c.draft.Suggestion != nil {
		words = components.NewField(*c.draft.Suggestion, false)
	}
	c.words = &words
}

// OnWords reports whether the keys go to the suggested words.
func (e *Editor) OnWords() bool { return e.composer != nil && e.composer.onWords }

// suggestionActions returns the actions for a suggestion, which are also in the table of keys.
func (e *Editor) suggestionActions() []components.Action {
	if e.composer != nil && e.composer.words == nil {
		return nil
	}
	hint := "comment"
	if e.composer != nil && !e.composer.onWords {
		hint = "words"
	}
	return []components.Action{{
		Name: "other-field", Keys: []string{"tab"}, Help: "of a suggestion: from the words to the comment, and back", Hint: hint,
		Do: func() tea.Cmd { e.composer.onWords = !e.composer.onWords; return nil },
	}}
}

// writeInEditor opens the external editor with the text, or with the suggested words, which have a file of their own.
func (e *Editor) writeInEditor() tea.Cmd {
	c := e.composer
	if !c.onWords {
		return e.session.Edit(c.field.String())
	}
	e.composer = nil
	return c.finish(components.Send(suggestMsg{c.currentDraft()}))
}

// suggestionLines draws the suggested change word by word above the comment.
func (c *composer) suggestionLines(width, height int) []render.Line {
	d := c.currentDraft()
	if d.Suggestion == nil || height < 4 {
		return nil
	}
	marks := render.Brackets
	if c.editor.session.HasGrounds {
		marks = render.Grounds
	}
	lines := render.SuggestionDiff(d.Original, *d.Suggestion, width, marks)
	lines = lines[:min(len(lines), height/2-1)]
	if height > 4 && !c.editor.lineMode {
		lines = append(lines, render.Line{render.In(render.Dim, "Why? A comment is optional; tab changes the words again.")}.Cut(width))
	}
	return lines
}

// commentLines draws the beginning of the comment below the suggested words.
func (c *composer) commentLines(width, height int) []render.Line {
	if height < 4 || c.editor.lineMode {
		return nil
	}
	text := "Why? tab goes to the comment, which is optional."
	if written := c.field.String(); strings.TrimSpace(written) != "" {
		text = "Comment: " + render.Excerpt(written)
	}
	return []render.Line{render.Line{render.In(render.Dim, text)}.Cut(width)}
}

// beginSuggestion opens the external editor with the original or the already suggested text. The file is created before the
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
	if written == e.Base && e.Draft.Suggestion == nil {
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
	if written == e.Base { // the original words: there is no suggestion any more
		d.Suggestion = nil
	}
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
