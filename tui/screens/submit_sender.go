package screens

import (
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// Sender sends draft reviews: each is frozen on disk under its id before it is sent, and sent again under that id until its
// outcome is known. The app has one and hands it every message.
type Sender struct {
	s    *page.Session
	busy map[string]bool // on their way, by id
	lost map[string]bool // that may have arrived: an answer was lost, here or before the screen began
	told map[string]bool // of which that was said
}

// NewSender returns one that sends nothing yet.
func NewSender(s *page.Session) *Sender {
	return &Sender{s: s, busy: map[string]bool{}, lost: map[string]bool{}, told: map[string]bool{}}
}

// Busy reports whether something is on its way.
func (s *Sender) Busy() bool { return len(s.busy) > 0 }

// frozenMsg says that a submission is on disk, or why not.
type frozenMsg struct {
	of  drafts.Submission
	why error
}

// resumedMsg are the submissions that an earlier screen left.
type resumedMsg struct{ all []drafts.Submission }

// answeredMsg is the server's answer to a submission.
type answeredMsg struct {
	of   drafts.Submission
	err  error
	kept error // why the journal could not be tidied
}

// Update takes the messages that are its own, and reports whether one was.
func (s *Sender) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.SubmitMsg:
		delete(s.told, msg.Submission.ID) // who asks is answered
		return s.begin(msg.Submission), true
	case frozenMsg:
		return s.frozen(msg), true
	case resumedMsg:
		return s.resumed(msg.all), true
	case answeredMsg:
		return s.answered(msg), true
	default:
		return nil, false
	}
}

// Resume sends what an earlier screen left, which ended before the answer came. The app calls it at the start.
func (s *Sender) Resume() tea.Cmd {
	journal := s.s.Drafts
	return func() tea.Msg {
		all, err := journal.Frozen()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return resumedMsg{all}
	}
}

// Again sends what no answer came to. The app calls it now and then.
func (s *Sender) Again() tea.Cmd { return s.resumed(s.s.Frozen) }

func (s *Sender) resumed(all []drafts.Submission) tea.Cmd {
	var cmds []tea.Cmd
	for _, f := range all {
		if !s.busy[f.ID] {
			s.lost[f.ID] = true
			cmds = append(cmds, s.post(f))
		}
	}
	return tea.Batch(cmds...)
}

// begin freezes a submission; one that is frozen already is sent again.
func (s *Sender) begin(of drafts.Submission) tea.Cmd {
	if s.busy[of.ID] {
		return components.Toast("it is on its way")
	}
	if slices.ContainsFunc(s.s.Frozen, func(f drafts.Submission) bool { return f.ID == of.ID }) {
		return s.post(of)
	}
	of.At = s.s.Now()
	s.busy[of.ID] = true
	journal := s.s.Drafts
	return func() tea.Msg { return frozenMsg{of, freeze(journal, of)} }
}

// freeze keeps a submission, if its drafts are as they were shown and nobody is writing one of them.
func freeze(journal drafts.Journal, of drafts.Submission) error {
	parts := of.Drafts
	if of.Review != nil {
		parts = append(slices.Clone(parts), *of.Review)
	}
	for _, d := range parts {
		release, err := journal.Hold(d.ID())
		if err != nil {
			if errors.Is(err, drafts.ErrHeld) {
				return fmt.Errorf("a draft is being written on another screen of yours: hold it back, or finish it there (%s)", place(d))
			}
			return err
		}
		defer release()
	}
	others, err := journal.Frozen()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(others, func(f drafts.Submission) bool { return f.Target == of.Target }) {
		return fmt.Errorf("another screen of yours is sending what you wrote on it")
	}
	all, err := journal.All()
	if err != nil {
		return err
	}
	for _, d := range parts {
		if !slices.ContainsFunc(all, d.Same) {
			return fmt.Errorf("a draft was changed on another screen: look at it, and send again (%s)", place(d))
		}
	}
	return journal.Freeze(of)
}

func (s *Sender) frozen(msg frozenMsg) tea.Cmd {
	delete(s.busy, msg.of.ID)
	if msg.why != nil {
		told := components.Told("not sent: " + msg.why.Error())
		return tea.Sequence(components.Send(page.CountMsg{}), components.Send(page.SubmittedMsg{Submission: msg.of, Err: msg.why}), components.Send(told))
	}
	return tea.Batch(components.Send(page.CountMsg{}), s.post(msg.of))
}

// post sends a frozen submission, and tidies the journal when its outcome is known.
func (s *Sender) post(of drafts.Submission) tea.Cmd {
	s.busy[of.ID] = true
	client, ctx, journal, lost := s.s.Client, s.s.Ctx, s.s.Drafts, s.lost[of.ID]
	return func() tea.Msg {
		_, err := client.Submit(ctx, of.Target, of.ID, of.Body)
		answer := answeredMsg{of: of, err: err}
		switch {
		case err == nil:
			answer.kept = journal.Sent(of)
		case refused(err, lost):
			answer.kept = journal.Thaw(of)
		}
		return answer
	}
}

// refused reports whether an error says that nothing was posted. The server looks for the id first: what it says of the
// request, it says of one that is not there. Who may not see the request any more hears that before, and an earlier one may
// have arrived.
func refused(err error, lost bool) bool {
	wrong, ok := api.AsError(err)
	if !ok || wrong.Code < 400 || wrong.Code >= 500 {
		return false
	}
	switch wrong.Code {
	case 401, 408, 425, 429:
		return false
	case 403, 404:
		return !lost
	default:
		return true
	}
}

// answered says what became of a submission.
func (s *Sender) answered(msg answeredMsg) tea.Cmd {
	lost := s.lost[msg.of.ID]
	delete(s.busy, msg.of.ID)
	count := components.Send(page.CountMsg{})
	if msg.kept != nil {
		count = tea.Sequence(count, components.Send(remote.FailMsg{Err: msg.kept}))
	}
	result := page.SubmittedMsg{Submission: msg.of, Err: msg.err, Open: msg.err != nil && !refused(msg.err, lost)}
	switch {
	case msg.err == nil:
		delete(s.lost, msg.of.ID)
		changed := remote.ChangedMsg{Space: msg.of.Target.Space, Done: done(msg.of), Command: command(msg.of)}
		return tea.Sequence(count, components.Send(result), components.Send(changed))
	case result.Open:
		s.lost[msg.of.ID] = true
		if s.told[msg.of.ID] {
			return tea.Sequence(count, components.Send(result))
		}
		s.told[msg.of.ID] = true
		told := fmt.Sprintf("%s: %s is kept as it is, and sent again by itself", remote.TroubleOf(msg.err).Label, called(msg.of))
		return tea.Sequence(count, components.Send(result), components.Send(components.Told(told)))
	default:
		return tea.Sequence(count, components.Send(result), components.Send(remote.FailMsg{Err: inWords(msg.err, msg.of)}))
	}
}
