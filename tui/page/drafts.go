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

// Done is what ctrl+s is, wherever it is pressed.
const Done = "done: a comment of a review is kept until S sends it; anything else is sent"

// Drop is the help of what throws away a text of the user's own.
const Drop = "drop the draft, or delete your own comment"

// Weight is the help of the action that says how much is meant by a comment.
const Weight = "weight: how much you mean by a comment: blocking, question, nit"

// OnItsWay says why a draft of a review that was sent can be neither edited nor dropped.
const OnItsWay = "it is part of a review on its way: nothing in it can be changed until the server has answered"

// Label is a draft in a line.
func Label(d drafts.Draft) string { return d.About + ": " + Says(d) }

// Says is what a draft suggests, if it does, and what it says.
func Says(d drafts.Draft) string {
	if d.Suggestion == nil {
		return d.Text
	}
	says := "suggests “" + render.Excerpt(*d.Suggestion) + "”"
	if *d.Suggestion == "" {
		says = "suggests to take out “" + render.Excerpt(d.Original) + "”"
	}
	if strings.TrimSpace(d.Text) != "" {
		says += ": " + d.Text
	}
	return says
}

// Kept says that a draft of a review is written, and which key sends it: one of its change request where here is none.
func Kept(d drafts.Draft, key string) string {
	what := "comment"
	switch {
	case d.Comment != "":
		what = "reply"
	case d.Suggestion != nil:
		what = "suggestion"
	}
	return "your " + what + " is kept here, not sent yet: " + cmp.Or(key, "S in its change request") + " sends it"
}

// DraftKey is the key of the rows of a draft.
func DraftKey(d drafts.Draft) string { return "draft/" + d.ID() }

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
		return UndoableMsg{Done: "dropped: u brings it back; so does p, for a week", Undo: FetchBack(s, drafts.Dropped{Draft: d, At: now})}
	}
}

// Save keeps a draft that was changed outside of the desk, under another key, unless another screen is writing it or it is on
// its way.
func Save(s *Session, d drafts.Draft) tea.Cmd {
	d = s.rekeyed(d)
	return func() tea.Msg {
		msg, _ := s.save(d)
		return msg
	}
}

// Turn is Save for what a key turns over: it is kept at once, and shown so, because the next key is about what it is then,
// however fast it comes. says is told when that is done, "" for nothing.
func Turn(s *Session, d drafts.Draft, says string) tea.Cmd {
	d = s.rekeyed(d)
	msg, saved := s.save(d)
	if saved {
		s.note(d)
	}
	if !saved || says == "" {
		return components.Send(msg)
	}
	return tea.Batch(components.Send(msg), components.Toast("%s", says))
}

// rekeyed is a draft whose text is another one from now on.
func (s *Session) rekeyed(d drafts.Draft) drafts.Draft {
	d.Key = s.NewKey()
	if d.At.IsZero() {
		d.At = s.Now()
	}
	return d
}

// save writes a draft into the journal, or forgets one that says nothing any more, and answers what came of it.
func (s *Session) save(d drafts.Draft) (msg tea.Msg, saved bool) {
	release, frozen, err := s.hold(d)
	if err != nil {
		return components.Told(err.Error()), false
	}
	defer release()
	if frozen {
		return components.Told(OnItsWay), false
	}
	if d.Empty() {
		err = s.Drafts.Delete(d.ID())
	} else {
		err = s.Drafts.Save(d)
	}
	if err != nil {
		return remote.FailMsg{Err: err}, false
	}
	return CountMsg{}, true
}

// note has a draft shown as it is in the journal now; what was counted before is old.
func (s *Session) note(d drafts.Draft) {
	s.Changes++
	kept := slices.DeleteFunc(slices.Clone(s.Unsent), func(o drafts.Draft) bool { return o.ID() == d.ID() })
	if !d.Empty() {
		kept = drafts.Put(append(kept, d))
	}
	s.Unsent = kept
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
func WeightSpan(w api.CommentWeight) render.Span {
	tone := map[api.CommentWeight]render.Tone{api.WeightBlocking: render.Failure, api.WeightQuestion: render.Warning}[w]
	if tone == render.Normal {
		tone = render.Dim
	}
	return render.Of(render.Style{Tone: tone, Bold: w == api.WeightBlocking}, string(w))
}

// Weigh offers the weights for a comment that has one now; done takes the one that is chosen.
func Weigh(now api.CommentWeight, done func(api.CommentWeight) tea.Cmd) tea.Cmd {
	names := map[api.CommentWeight]string{
		api.WeightBlocking: "blocking: the merge should wait until it is resolved", api.WeightQuestion: "question: you want an answer", api.WeightNit: "nit: a trifle that may stay as it is", "": "nothing of these",
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
