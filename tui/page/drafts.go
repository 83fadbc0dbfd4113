package page

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// DoneHelp is the help of ctrl+s in all editors.
const DoneHelp = "done: keep a comment of a review until S sends it, send anything else"

// DropHelp is the help of the action that discards a text of the user.
const DropHelp = "drop the draft, or delete your own comment"

// WeightHelp is the help of the action that sets the weight of a comment.
const WeightHelp = "weight: how much you mean by a comment: blocking, question, nit"

// FrozenReason is the reason why a draft of a sent review can be neither edited nor dropped.
const FrozenReason = "it is part of a review on its way: nothing in it can be changed until the server has answered"

// Label returns the subject and the text of a draft in one line.
func Label(d drafts.Draft) string { return d.About + ": " + DraftText(d) }

// DraftText returns the suggestion of a draft, if it has one, and its text.
func DraftText(d drafts.Draft) string {
	if d.Suggestion == nil {
		return d.Text
	}
	text := "suggests “" + render.Excerpt(*d.Suggestion) + "”"
	if *d.Suggestion == "" {
		text = "suggests to take out “" + render.Excerpt(d.Original) + "”"
	}
	if strings.TrimSpace(d.Text) != "" {
		text += ": " + d.Text
	}
	return text
}

// SavedText returns the message for a saved draft of a review, with the key that sends it. If key is empty, it names the
// key of the change request.
func SavedText(d drafts.Draft, key string) string {
	kind := "comment"
	switch {
	case d.Comment != "":
		kind = "reply"
	case d.Suggestion != nil:
		kind = "suggestion"
	}
	return "your " + kind + " is kept here, not sent yet: " + cmp.Or(key, "S in its change request") + " sends it"
}

// DraftKey returns the key of the rows of a draft.
func DraftKey(d drafts.Draft) string { return "draft/" + d.ID() }

// Restore returns the command that restores a dropped draft.
func Restore(s *Session, d drafts.DroppedDraft) tea.Cmd {
	return func() tea.Msg {
		if err := s.Drafts.Restore(d); err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return UndoableMsg{Done: "the draft is back"}
	}
}

// Discard drops a draft. It can be restored with undo, and from the list of drafts for a week.
func Discard(s *Session, d drafts.Draft) tea.Cmd {
	now := s.Now()
	return func() tea.Msg {
		release, frozen, err := s.lock(d)
		if err != nil {
			return components.NewToast(err.Error())
		}
		defer release()
		if frozen {
			return components.NewToast(FrozenReason)
		}
		if err := s.Drafts.Discard(d, now); err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return UndoableMsg{Done: "dropped: u brings it back; so does p, for a week", Undo: Restore(s, drafts.DroppedDraft{
			Draft:     d,
			DroppedAt: now,
		})}
	}
}

// Save saves a draft that was changed outside of the editor, under a new idempotency key. It fails if another screen
// is editing the draft or a review with it is in flight.
func Save(s *Session, d drafts.Draft) tea.Cmd {
	d = s.withNewKey(d)
	return func() tea.Msg {
		msg, _ := s.save(d)
		return msg
	}
}

// SaveNow is Save for toggles: it saves synchronously and updates the session, because the next key may refer to the
// new state. message is shown afterwards if it is not empty.
func SaveNow(s *Session, d drafts.Draft, message string) tea.Cmd {
	d = s.withNewKey(d)
	msg, saved := s.save(d)
	if saved {
		s.updateUnsent(d)
	}
	if !saved || message == "" {
		return components.Send(msg)
	}
	return tea.Batch(components.Send(msg), components.Toast("%s", message))
}

// withNewKey returns a draft with a new idempotency key, as its text has changed.
func (s *Session) withNewKey(d drafts.Draft) drafts.Draft {
	d.Key = s.NewKey()
	if d.StartedAt.IsZero() {
		d.StartedAt = s.Now()
	}
	return d
}

// save writes a draft to the journal, or deletes it if it is empty, and returns the message with the result.
func (s *Session) save(d drafts.Draft) (msg tea.Msg, saved bool) {
	release, frozen, err := s.lock(d)
	if err != nil {
		return components.NewToast(err.Error()), false
	}
	defer release()
	if frozen {
		return components.NewToast(FrozenReason), false
	}
	if d.Empty() {
		err = s.Drafts.Delete(d.ID())
	} else {
		err = s.Drafts.Save(d)
	}
	if err != nil {
		return remote.ErrorMsg{Err: err}, false
	}
	return CountMsg{}, true
}

// updateUnsent replaces a draft in Unsent and invalidates counts that are in progress.
func (s *Session) updateUnsent(d drafts.Draft) {
	s.Changes++
	unsent := slices.DeleteFunc(slices.Clone(s.Unsent), func(o drafts.Draft) bool { return o.ID() == d.ID() })
	if !d.Empty() {
		unsent = drafts.SortByStart(append(unsent, d))
	}
	s.Unsent = unsent
}

// lock locks a draft against other screens, and reports whether a review with it is in flight.
func (s *Session) lock(d drafts.Draft) (release func(), frozen bool, err error) {
	if release, err = s.Drafts.Hold(d.ID()); err != nil {
		return nil, false, err
	}
	all, err := s.Drafts.Frozen()
	if err != nil {
		release()
		return nil, false, err
	}
	return release, slices.ContainsFunc(all, func(f drafts.Submission) bool { return f.Has(d.ID()) }), nil
}

// Retarget moves the drafts of a change request from its number to its id, so that they belong to the same target as
// others.
func Retarget(s *Session, from, to remote.Target) tea.Cmd {
	return func() tea.Msg {
		all, err := s.Drafts.All()
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		for _, d := range all {
			if d.Target != from {
				continue
			}
			old := d.ID()
			d.Target = to
			if slices.ContainsFunc(all, func(o drafts.Draft) bool { return o.ID() == d.ID() }) {
				continue // conflicting draft: the list of drafts shows both
			}
			err := s.Drafts.Save(d)
			if err == nil {
				err = s.Drafts.Delete(old)
			}
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
		}
		return CountMsg{}
	}
}

// WeightSpan draws the weight of a comment.
func WeightSpan(w api.CommentWeight) render.Span {
	tone := map[api.CommentWeight]render.Tone{api.WeightBlocking: render.Failure, api.WeightQuestion: render.Warning}[w]
	if tone == render.Normal {
		tone = render.Dim
	}
	return render.NewSpan(render.Style{Tone: tone, Bold: w == api.WeightBlocking}, string(w))
}

// ChooseWeight offers the weights for a comment with the present weight now, and runs the command that done returns
// for the choice.
func ChooseWeight(now api.CommentWeight, done func(api.CommentWeight) tea.Cmd) tea.Cmd {
	names := map[api.CommentWeight]string{
		api.WeightBlocking: "blocking: the merge should wait until it is resolved", api.WeightQuestion: "question: you want an answer",
		api.WeightNit: "nit: a trifle that may stay as it is", "": "nothing of these",
	}
	var choices []components.Choice
	for _, w := range append(now.Values(), "") {
		label := names[w]
		if w == now {
			label += " (as it is)"
		}
		choices = append(choices, components.Choice{Label: label, Cmd: done(w)})
	}
	return components.Send(PickMsg{Question: "How much do you mean by it?", Choices: choices})
}
