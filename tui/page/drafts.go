package page

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// Done is what ctrl+s is, wherever it is pressed.
const Done = "done: keep a draft of a review, send everything else"

// Weight is the help of the action that says how much is meant by a comment.
const Weight = "weight: blocking, question, nit"

// OnItsWay says why a draft of a review that was sent can be neither edited nor dropped.
const OnItsWay = "it is part of a review on its way: nothing in it can be changed until the server has answered"

// Label is a draft in a line.
func Label(d drafts.Draft) string {
	says := d.Text
	if says == "" && d.Suggestion != nil {
		says = "suggests " + text.Excerpt(*d.Suggestion)
	}
	return d.About + ": " + says
}

// FetchBack returns what brings a dropped draft back.
func FetchBack(s *Session, d drafts.Dropped) tea.Cmd {
	return func() tea.Msg {
		if err := s.Drafts.Restore(d); err != nil {
			return remote.FailMsg{Err: err}
		}
		return UndoableMsg{Done: "the draft is back"}
	}
}

// Discard throws a draft away; undo fetches it back, and so does the list of drafts for a week.
func Discard(s *Session, d drafts.Draft) tea.Cmd {
	now := s.Now()
	return func() tea.Msg {
		release, frozen, err := s.hold(d)
		if err != nil {
			return components.Told(err.Error())
		}
		defer release()
		if frozen {
			return components.Told(OnItsWay)
		}
		if err := s.Drafts.Discard(d, now); err != nil {
			return remote.FailMsg{Err: err}
		}
		return UndoableMsg{Done: "dropped: u brings it back, and p does for a week", Undo: FetchBack(s, drafts.Dropped{Draft: d, At: now})}
	}
}

// Save keeps a draft that was changed outside of the desk, under another key, unless another screen is writing it or it is on
// its way.
func Save(s *Session, d drafts.Draft) tea.Cmd {
	d.Key = s.NewKey()
	if d.At.IsZero() {
		d.At = s.Now()
	}
	return func() tea.Msg {
		release, frozen, err := s.hold(d)
		if err != nil {
			return components.Told(err.Error())
		}
		defer release()
		if frozen {
			return components.Told(OnItsWay)
		}
		if d.Empty() {
			err = s.Drafts.Delete(d.ID())
		} else {
			err = s.Drafts.Save(d)
		}
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return CountMsg{}
	}
}

// hold keeps other screens from a draft, and says whether it is on its way.
func (s *Session) hold(d drafts.Draft) (release func(), frozen bool, err error) {
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

// Rename gives the drafts of a change request that was named by its number the name that it has everywhere else, its id: under
// another name they would be drafts of something else.
func Rename(s *Session, from, to remote.Target) tea.Cmd {
	return func() tea.Msg {
		all, err := s.Drafts.All()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		for _, d := range all {
			if d.Target != from {
				continue
			}
			old := d.ID()
			d.Target = to
			if slices.ContainsFunc(all, func(o drafts.Draft) bool { return o.ID() == d.ID() }) {
				continue // there is another one at its place: p has both
			}
			err := s.Drafts.Save(d)
			if err == nil {
				err = s.Drafts.Delete(old)
			}
			if err != nil {
				return remote.FailMsg{Err: err}
			}
		}
		return CountMsg{}
	}
}

// WeightSpan is a weight, as it is written beside a comment.
func WeightSpan(w api.CommentWeight) text.Span {
	tone := map[api.CommentWeight]text.Tone{api.WeightBlocking: text.Failure, api.WeightQuestion: text.Warning}[w]
	if tone == text.Normal {
		tone = text.Dim
	}
	return text.Of(text.Style{Tone: tone, Bold: w == api.WeightBlocking}, string(w))
}

// Weigh offers the weights for a comment that has one now; done takes the one that is chosen.
func Weigh(now api.CommentWeight, done func(api.CommentWeight) tea.Cmd) tea.Cmd {
	names := map[api.CommentWeight]string{
		api.WeightBlocking: "blocking: a merge should wait for it", api.WeightQuestion: "question: it wants an answer", api.WeightNit: "nit: a trifle", "": "none",
	}
	var choices []components.Choice
	for _, w := range append(now.Values(), "") {
		label := names[w]
		if w == now {
			label += " (as it is)"
		}
		choices = append(choices, components.Choice{Label: label, Cmd: done(w)})
	}
	return components.Send(PickMsg{Question: "Weight", Choices: choices})
}
