package tui

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Editor edits texts. The Model passes keys to it while a text is being written, draws it below the page, and passes
// all messages to it. At most one text is shown; others may still be sent.
type Editor struct {
	session *page.Session
	shown   *composer
	sending []*composer
	unkept  []*composer // closed texts that could not be journaled
	saving  int         // number of journal writes in progress
	ignored string      // text that was typed while no field was open
}

// CountedMsg contains the drafts in the journal and the pages that are not saved. PageEditor that show drafts are laid out
// again.
type CountedMsg struct {
	drafts  []drafts.Draft
	decided []drafts.Draft
	frozen  []drafts.Submission
	pages   []drafts.Edit

	changes int // value of Session.Changes at the time of the request
}

// Count loads the drafts from the journal.
func (e *Editor) Count() tea.Cmd {
	journal, s, ctx, changes := e.session.Drafts, e.session, e.session.Ctx, e.session.Changes
	return func() tea.Msg {
		left, decided, err := unsentDrafts(journal)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		frozen, err := journal.Frozen()
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		return CountedMsg{left, decided, frozen, unsavedEdits(ctx, s), changes}
	}
}

// openMsg opens a draft with its journaled text.
type openMsg struct {
	draft   drafts.Draft
	release func()
	resumed bool // the draft was in the journal
	err     error
}

// savedMsg is the result of a journal write.
type savedMsg struct {
	composer *composer
	err      error
}

// droppedMsg is the result of a deletion from the journal.
type droppedMsg struct{ err error }

// sentMsg is the result of sending a draft.
type sentMsg struct {
	composer *composer
	draft    drafts.Draft
	row      string // key of the rows that show the result
	err      error
}

// NewEditor returns an Editor without a text.
func NewEditor(s *page.Session) *Editor { return &Editor{session: s} }

// Writing reports whether a text is shown, in which case the Editor receives the keys.
func (e *Editor) Writing() bool { return e.shown != nil }

// Journaling reports whether journal writes are in progress. The screen must not exit until they are done.
func (e *Editor) Journaling() bool { return e.saving > 0 }

// Actions returns the actions available while a text is being written.
func (e *Editor) Actions() []components.Action {
	return []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: page.DoneHelp, Hint: e.doneHint(), Do: e.done},
		{
			Name: "editor", Keys: []string{"ctrl+e"}, Help: "write in $EDITOR", Hint: "editor", Do: func() tea.Cmd {
				return e.session.Edit(e.shown.field.String())
			},
		},
		{
			Name: "weight-turn", Keys: []string{"ctrl+t"}, Help: page.WeightHelp, Hint: e.weightHint(), Do: func() tea.Cmd {
				return e.shown.nextWeight()
			}, DisabledReason: e.noWeightReason,
		},
		{
			Name: "insert-ignored", Keys: []string{"ctrl+r"}, Help: "insert text that was typed before and ignored",
			Do: e.insertIgnored, DisabledReason: e.nothingIgnoredReason,
		},
		{Name: "keep", Keys: []string{"esc"}, Help: "back; what you wrote is kept", Hint: "back, kept", Do: e.closeDraft},
		{
			Name: "discard", Keys: []string{"ctrl+x"}, Help: "drop what you write; u brings it back", Hint: "drop", Do: e.discard,
			DisabledReason: e.sendingReason,
		},
	}
}

// reopen shows a text again that was closed and could not be journaled, so that it is not lost. If another text is
// shown, that comes first.
func (e *Editor) reopen(msg savedMsg) tea.Cmd {
	c := msg.composer
	if msg.err != nil && !c.dropped && e.shown != c && !slices.Contains(e.sending, c) && !c.draft.Empty() {
		e.unkept = append(e.unkept, c)
	}
	if e.shown != nil || len(e.unkept) == 0 {
		return nil
	}
	e.shown, e.unkept = e.unkept[0], e.unkept[1:]
	return components.Toast("not kept on disk: the text is only here, until you quit")
}

// Key handles a key as an action or as text.
func (e *Editor) Key(k tea.KeyMsg) tea.Cmd {
	if a, ok := components.Find(e.Actions(), k.String()); ok && !k.Paste {
		return a.Run()
	}
	if e.shown.sending {
		return nil
	}
	e.shown.field.Key(k)
	return e.shown.changed()
}

// doneHint returns the label of ctrl+s for the current text.
func (e *Editor) doneHint() string {
	switch {
	case e.shown == nil: // building the key table
		return ""
	case e.shown.draft.Review:
		return "send the review"
	case e.shown.draft.IsPostable():
		return "done, not sent yet"
	case e.shown.draft.Description || e.shown.draft.Edit:
		return "save"
	default:
		return "send"
	}
}

func (e *Editor) weightHint() string {
	if e.shown == nil {
		return ""
	}
	return "blocking, question or nit"
}

// insertIgnored inserts the text that was typed while no field was open.
func (e *Editor) insertIgnored() tea.Cmd {
	e.shown.field.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(e.ignored), Paste: true})
	e.ignored = ""
	return e.shown.changed()
}

// nothingIgnoredReason returns why there is no text to insert.
func (e *Editor) nothingIgnoredReason() string {
	if e.ignored == "" {
		return "no typed text was ignored"
	}
	return ""
}

// noWeightReason returns why the current text has no weight.
func (e *Editor) noWeightReason() string {
	if c := e.shown.draft; c.Comment != "" || c.Review || c.Description {
		return "only a comment has a weight"
	}
	return ""
}

// handleHeld reports that another screen of the user is writing the draft. The draft is shown read-only.
func (e *Editor) handleHeld(msg heldMsg) tea.Cmd {
	if errors.Is(msg.err, errSending) {
		return components.Toast("%v", msg.err)
	}
	return tea.Batch(e.Count(), components.Toast("%v; here it is read-only", msg.err))
}

// View draws the current text in at most height lines.
func (e *Editor) View(width, height int) []render.Line { return e.shown.view(width, height) }

// Update handles the messages of the Editor and reports whether msg is one.
func (e *Editor) Update(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case page.ComposeMsg:
		return e.open(msg.Draft), true
	case heldMsg:
		e.session.AwaitsInput = false
		return e.handleHeld(msg), true
	case openMsg:
		e.session.AwaitsInput = false
		return e.handleOpened(msg), true
	case savedMsg:
		return tea.Batch(msg.composer.saved(msg), e.reopen(msg)), true
	case sentMsg:
		return e.handleSent(msg), true
	case CountedMsg:
		if msg.changes != e.session.Changes { // the next count is in progress
			return nil, true
		}
		e.session.Unsent, e.session.Decisions, e.session.Frozen, e.session.Editing = msg.drafts, msg.decided, msg.frozen, msg.pages
		return nil, true
	default:
		return nil, false
	}
}

// open opens a draft, including its journaled text.
func (e *Editor) open(draft drafts.Draft) tea.Cmd {
	for _, c := range e.sending {
		if c.draft.ID() == draft.ID() {
			e.shown, e.session.AwaitsInput = c, false
			return nil
		}
	}
	journal := e.session.Drafts
	return func() tea.Msg {
		release, err := journal.Hold(draft.ID())
		switch {
		case errors.Is(err, drafts.ErrHeld):
			return heldMsg{draft, err}
		case err != nil: // the text is kept in memory only, with a warning
			return openMsg{draft: draft, release: func() {}, err: err}
		}
		frozen, err := journal.Frozen()
		if err == nil && slices.ContainsFunc(frozen, func(f drafts.Submission) bool { return f.Has(draft.ID()) }) {
			release()
			return heldMsg{draft, errSending}
		}
		all, err := journal.All()
		for _, earlier := range all {
			if earlier.ID() == draft.ID() {
				return openMsg{draft: continueDraft(earlier, draft), release: release, resumed: true}
			}
		}
		return openMsg{draft: draft, release: release, err: err}
	}
}

// continueDraft returns an earlier draft for further editing, with a new suggestion applied.
func continueDraft(earlier, draft drafts.Draft) drafts.Draft {
	if draft.Suggestion != nil {
		earlier.Suggestion, earlier.Original = draft.Suggestion, draft.Original
	}
	if draft.Verdict != "" {
		earlier.Verdict = draft.Verdict
	}
	earlier.About = draft.About
	return earlier
}

// errSending reports that a draft cannot be edited because it was sent.
var errSending = errors.New(page.FrozenReason)

// heldMsg reports that another screen holds a draft, and contains its journaled text.
type heldMsg struct {
	draft drafts.Draft
	err   error
}

// handleOpened shows the composer, unless another text was opened in the meantime.
func (e *Editor) handleOpened(msg openMsg) tea.Cmd {
	if e.shown != nil {
		msg.release()
		return nil
	}
	e.shown = newComposer(e, msg.draft)
	e.shown.saveErr, e.shown.release = msg.err, msg.release
	switch {
	case e.ignored != "":
		return components.Toast("ctrl+r inserts what you typed before: “%s”", render.Excerpt(e.ignored))
	case msg.resumed && msg.draft.Text != "":
		return components.Toast("your draft is back")
	default:
		return nil
	}
}

// Replace replaces the current text with that saved by the external editor.
func (e *Editor) Replace(written string) tea.Cmd {
	e.shown.field = components.NewField(written, false)
	return e.shown.changed()
}

// done finishes the current text. Comments and replies on a change request are kept for the review, the message of a
// review submits it, and other texts are sent.
func (e *Editor) done() tea.Cmd {
	c := e.shown
	c.draft.Text = c.field.String()
	switch {
	case c.draft.Review:
		e.shown = nil
		return c.finish(tea.Sequence(e.Count(), components.Send(page.DoneMsg{Target: c.draft.Target})))
	case c.draft.IsPostable() && c.draft.Empty():
		return components.Toast("nothing to keep yet")
	case c.draft.IsUnchanged():
		return tea.Batch(e.discard(), components.Toast("nothing was changed, and nothing sent"))
	case c.draft.IsPostable():
		e.shown = nil
		return c.finish(tea.Sequence(e.Count(), components.Send(page.KeptMsg{Draft: c.draft})))
	default:
		return e.send()
	}
}

func (e *Editor) send() tea.Cmd {
	c := e.shown
	cmd := c.send()
	if c.sending && !slices.Contains(e.sending, c) {
		e.sending = append(e.sending, c)
	}
	return cmd
}

// closeDraft closes the composer. Its text stays in the journal.
func (e *Editor) closeDraft() tea.Cmd {
	c := e.shown
	e.shown = nil
	if c.sending {
		return nil
	}
	if c.draft.Key == "" && c.field.String() == c.draft.Text { // nothing was written, so the journal is unchanged
		release := c.release
		return func() tea.Msg { release(); return nil }
	}
	if c.draft.Empty() && c.field.String() == "" {
		return c.finish(nil)
	}
	if c.saveErr != nil { // see reopen
		return c.finish(nil)
	}
	stays := page.StaysMsg{Row: page.DraftKey(c.draft), Says: "kept, not sent: " + resumeHint(c.draft)}
	return tea.Batch(c.finish(e.Count()), components.Send(stays))
}

// resumeHint returns the key that resumes a draft.
func resumeHint(d drafts.Draft) string {
	if d.IsPostable() {
		return "e on it, or p, goes on with it; S sends it"
	}
	return "p goes on with it"
}

// sendingReason returns why a text that is being sent cannot be discarded.
func (e *Editor) sendingReason() string {
	if e.shown.sending {
		return "it is on its way"
	}
	return ""
}

// discard discards the current text, which can be undone. Without text it only closes the composer.
func (e *Editor) discard() tea.Cmd {
	c := e.shown
	if c.draft.Empty() || c.draft.Key == "" {
		return e.closeDraft()
	}
	c.dropped, e.shown = true, nil
	release := c.release
	return tea.Sequence(func() tea.Msg { release(); return nil }, page.Discard(e.session, c.draft), e.Count())
}

// handleSent deletes the draft on success. A rejected draft stays in the journal and on the screen.
func (e *Editor) handleSent(msg sentMsg) tea.Cmd {
	c := msg.composer
	c.sending = false
	e.sending = slices.DeleteFunc(e.sending, func(other *composer) bool { return other == c })
	if msg.err == nil {
		return tea.Sequence(e.drop(c, remote.ChangedMsg{
			Space: msg.draft.Target.Space, Done: sentMessage(msg.draft), Row: msg.row, Command: commandOf(msg.draft),
			Undo: e.undoEdit(msg.draft),
		}), e.Count())
	}
	c.err = msg.err
	switch {
	case e.shown == nil:
		e.shown = c
	case e.shown != c: // another text was opened in the meantime
		return c.finish(components.Toast("not sent (%s): the text is kept, p goes on with it", remote.DescribeError(msg.err).Label))
	}
	return nil
}

// undoEdit returns the command that restores the text before an edit of a comment or a reply, or nil for other drafts.
func (e *Editor) undoEdit(d drafts.Draft) tea.Cmd {
	if !d.Edit || d.Original == "" {
		return nil
	}
	d.Text = d.Original
	server := e.session.Connection
	return e.session.Write(remote.ChangedMsg{Space: d.Target.Space, Command: commandOf(d)}, func(_ context.Context, key string) error {
		d.Key = key
		_, err := sendDraft(server, d)
		return err
	})
}

// drop closes a composer, deletes its text from the journal, and reports done, which has happened even if the text
// cannot be deleted.
func (e *Editor) drop(c *composer, done remote.ChangedMsg) tea.Cmd {
	c.dropped = true
	if e.shown == c {
		e.shown = nil
	}
	journal, id, release := e.session.Drafts, c.draft.ID(), c.release
	return func() tea.Msg {
		defer release()
		if err := journal.Delete(id); err != nil {
			done.Done += " · its draft on this machine could not be deleted: " + err.Error()
		}
		return done
	}
}
