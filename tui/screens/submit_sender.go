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

// Sender sends reviews. Each is frozen in the journal under its id before it is sent, and sent again under that id
// until its outcome is known. The app has one Sender and passes it every message.
type Sender struct {
	session  *page.Session
	inFlight map[string]bool // in flight, by id
	lost     map[string]bool // possibly received: a response was lost, here or in an earlier session
	reported map[string]bool // lost ones that were reported to the user
}

// NewSender returns a Sender for a session.
func NewSender(s *page.Session) *Sender {
	return &Sender{session: s, inFlight: map[string]bool{}, lost: map[string]bool{}, reported: map[string]bool{}}
}

// Busy reports whether a review is in flight.
func (s *Sender) Busy() bool { return len(s.inFlight) > 0 }

// frozenMsg reports that a submission is in the journal, or the error.
type frozenMsg struct {
	submission drafts.Submission
	err        error
}

// resumedMsg contains the submissions that an earlier session left in the journal.
type resumedMsg struct{ submissions []drafts.Submission }

// answeredMsg is the server's response to a submission.
type answeredMsg struct {
	submission drafts.Submission
	err        error
	journalErr error // error of the cleanup of the journal
	outdated   bool  // the verdict does not count for the present changes
}

// Update handles the messages of the sender; mine is false for other messages.
func (s *Sender) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.SubmitMsg:
		delete(s.reported, msg.Submission.ID) // the user asked for a report
		return s.send(msg.Submission), true
	case frozenMsg:
		return s.handleFrozen(msg), true
	case resumedMsg:
		return s.sendAll(msg.submissions), true
	case answeredMsg:
		return s.handleAnswer(msg), true
	default:
		return nil, false
	}
}

// Resume sends the reviews that an earlier session left without a known outcome. The app calls it at the start.
func (s *Sender) Resume() tea.Cmd {
	journal := s.session.Drafts
	return func() tea.Msg {
		all, err := journal.Frozen()
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return resumedMsg{all}
	}
}

// Retry sends the reviews without a response again. The app calls it from time to time.
func (s *Sender) Retry() tea.Cmd { return s.sendAll(s.session.Frozen) }

func (s *Sender) sendAll(submissions []drafts.Submission) tea.Cmd {
	var cmds []tea.Cmd
	for _, f := range submissions {
		if !s.inFlight[f.ID] {
			s.lost[f.ID] = true
			cmds = append(cmds, s.post(f))
		}
	}
	return tea.Batch(cmds...)
}

// send freezes and sends a submission; a frozen one is sent again.
func (s *Sender) send(submission drafts.Submission) tea.Cmd {
	if s.inFlight[submission.ID] {
		return components.Toast("it is on its way")
	}
	if slices.ContainsFunc(s.session.Frozen, func(f drafts.Submission) bool { return f.ID == submission.ID }) {
		return s.post(submission)
	}
	submission.SubmittedAt = s.session.Now()
	s.inFlight[submission.ID] = true
	journal := s.session.Drafts
	return func() tea.Msg { return frozenMsg{submission, freeze(journal, submission)} }
}

// freeze saves a submission, provided that its drafts are unchanged and no other screen is editing one of them.
func freeze(journal drafts.Journal, submission drafts.Submission) error {
	parts := submission.Drafts
	if submission.Review != nil {
		parts = append(slices.Clone(parts), *submission.Review)
	}
	for _, d := range parts {
		release, err := journal.Hold(d.ID())
		if err != nil {
			if errors.Is(err, drafts.ErrHeld) {
				return fmt.Errorf("a draft is being written on another screen of yours: hold it back, or finish it there (%s)",
					draftLocation(d))
			}
			return err
		}
		defer release()
	}
	others, err := journal.Frozen()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(others, func(f drafts.Submission) bool { return f.Target == submission.Target }) {
		return fmt.Errorf("another screen of yours is sending what you wrote on it")
	}
	all, err := journal.All()
	if err != nil {
		return err
	}
	for _, d := range parts {
		if !slices.ContainsFunc(all, d.Equal) {
			return fmt.Errorf("a draft was changed on another screen: look at it, and send again (%s)", draftLocation(d))
		}
	}
	return journal.Freeze(submission)
}

func (s *Sender) handleFrozen(msg frozenMsg) tea.Cmd {
	delete(s.inFlight, msg.submission.ID)
	if msg.err != nil {
		message := components.NewToast("not sent: " + msg.err.Error())
		return tea.Sequence(components.Send(page.CountMsg{}), components.Send(page.SubmittedMsg{Submission: msg.submission, Err: msg.err}),
			components.Send(message))
	}
	return tea.Batch(components.Send(page.CountMsg{}), s.post(msg.submission))
}

// post sends a frozen submission, and cleans up the journal when its outcome is known.
func (s *Sender) post(submission drafts.Submission) tea.Cmd {
	s.inFlight[submission.ID] = true
	client, ctx, journal, lost := s.session.Client, s.session.Ctx, s.session.Drafts, s.lost[submission.ID]
	return func() tea.Msg {
		result, err := client.Submit(ctx, submission.Target, submission.ID, submission.Body)
		answer := answeredMsg{submission: submission, err: err}
		switch {
		case err == nil:
			answer.journalErr = journal.Sent(submission)
			answer.outdated = s.isOutdated(submission.Target, result)
		case isRefused(err, lost):
			answer.journalErr = journal.Thaw(submission)
		}
		return answer
	}
}

// isOutdated reports whether the verdict that was just posted is outdated. It returns false if the reviews cannot be loaded.
func (s *Sender) isOutdated(at remote.Target, posted api.Submission) bool {
	if posted.Review == "" {
		return false
	}
	all, _, err := s.session.Client.Reviews(s.session.Ctx, at)
	return err == nil && slices.ContainsFunc(all, func(r api.Review) bool { return r.ID == posted.Review && r.Outdated })
}

// isRefused reports whether an error proves that nothing was posted. The server looks up the id of a submission
// before it checks the state of the request, so errors about that state are proof. An error about access precedes the
// lookup and is no proof if an earlier attempt was lost.
func isRefused(err error, lost bool) bool {
	apiErr, ok := api.AsError(err)
	if !ok || apiErr.Code < 400 || apiErr.Code >= 500 {
		return false
	}
	switch apiErr.Code {
	case 401, 408, 425, 429:
		return false
	case 403, 404:
		return !lost
	default:
		return true
	}
}

// handleAnswer reports the outcome of a submission.
func (s *Sender) handleAnswer(msg answeredMsg) tea.Cmd {
	lost := s.lost[msg.submission.ID]
	delete(s.inFlight, msg.submission.ID)
	count := components.Send(page.CountMsg{})
	if msg.journalErr != nil {
		count = tea.Sequence(count, components.Send(remote.ErrorMsg{Err: msg.journalErr}))
	}
	result := page.SubmittedMsg{Submission: msg.submission, Err: msg.err, Open: msg.err != nil && !isRefused(msg.err, lost)}
	switch {
	case msg.err == nil:
		delete(s.lost, msg.submission.ID)
		changed := remote.ChangedMsg{
			Space: msg.submission.Target.Space, Done: doneText(msg.submission), Command: submitCommand(msg.submission),
		}
		if msg.outdated {
			changed.Warning = "does not count for what came in since: R shows it"
		}
		return tea.Sequence(count, components.Send(result), components.Send(changed))
	case result.Open:
		s.lost[msg.submission.ID] = true
		if s.reported[msg.submission.ID] {
			return tea.Sequence(count, components.Send(result))
		}
		s.reported[msg.submission.ID] = true
		message := fmt.Sprintf("%s: %s is kept as it is, and sent again by itself", remote.DescribeError(msg.err).Label,
			submissionName(msg.submission))
		return tea.Sequence(count, components.Send(result), components.Send(components.NewToast(message)))
	default:
		return tea.Sequence(count, components.Send(result), components.Send(remote.ErrorMsg{Err: describeError(msg.err, msg.submission)}))
	}
}
