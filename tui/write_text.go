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
	session      *page.Session
	composer     *composer
	sending      []*composer
	unsaved      []*composer // closed texts that could not be journaled
	pendingSaves int         // number of journal writes in progress
	ignoredText  string      // text that was typed while no field was open
	held         bool        // another screen writes a draft that was to be opened here: the journal is read again with each tick
	lineMode     bool        // run by Linear, which has no keys within a text
}

// CountedMsg contains the drafts in the journal and the pages that are not saved. Pages that show drafts are laid out
// again.
type CountedMsg struct {
	drafts    []drafts.Draft
	decisions []drafts.Draft
	frozen    []drafts.Submission
	edits     []drafts.Edit

	changes int // value of Session.Changes at the time of the request
}

// Count reads the drafts, the decisions, the reviews in flight and the unsaved pages, and returns them in a CountedMsg.
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
	suggest bool // begin with the words to suggest
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
func (e *Editor) Writing() bool { return e.composer != nil }

// Journaling reports whether journal writes are in progress. The screen must not exit until they are done.
func (e *Editor) Journaling() bool { return e.pendingSaves > 0 }

// Actions returns the actions available while a text is being written.
func (e *Editor) Actions() []components.Action {
	return slices.Concat(e.suggestionActions(), []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: page.DoneHelp, Hint: e.doneHint(), Do: e.finish},
		{
			Name: "editor", Keys: []string{"ctrl+e"}, Help: "write in $EDITOR", Hint: "editor", Do: e.writeInEditor,
		},
		{
			Name: "weight-turn", Keys: []string{"ctrl+t"}, Help: page.WeightHelp, Hint: e.weightHint(), Do: func() tea.Cmd {
				return e.composer.nextWeight()
			}, DisabledReason: e.noWeightReason,
		},
		{
			Name: "insert-ignored", Keys: []string{"ctrl+r"}, Help: "insert text that was typed before and ignored",
			Do: e.insertIgnored, DisabledReason: e.nothingIgnoredReason,
		},
		{Name: "behind-down", Keys: []string{"pgdown"}, Help: "scroll down what is behind the text", Do: scrollBehind(1)},
		{Name: "behind-up", Keys: []string{"pgup"}, Help: "scroll up what is behind the text", Do: scrollBehind(-1)},
		{Name: "keep", Keys: []string{"esc"}, Help: "back; what you wrote is kept", Hint: "back, kept", Do: e.closeDraft},
		{
			Name: "discard", Keys: []string{"ctrl+x"}, Help: "drop what you write; u brings it back", Hint: "drop", Do: e.discard,
			DisabledReason: e.sendingReason,
		},
	})
}

// scrollMsg makes the app scroll the page above a text by a number of screenfuls.
type scrollMsg int

func scrollBehind(screenfuls int) func() tea.Cmd {
	return func() tea.Cmd { return components.Send(scrollMsg(screenfuls)) }
}

// reopen shows a text again that was closed and could not be journaled, so that it is not lost. If another text is shown at
// present, the closed one is shown later.
func (e *Editor) reopen(msg savedMsg) tea.Cmd {
	c := msg.composer
	if msg.err != nil && !c.dropped && e.composer != c && !slices.Contains(e.sending, c) && !c.draft.Empty() {
		e.unsaved = append(e.unsaved, c)
	}
	if e.composer != nil || len(e.unsaved) == 0 {
		return nil
	}
	e.composer, e.unsaved = e.unsaved[0], e.unsaved[1:]
	return components.Toast("not kept on disk: the text is only here, until you quit")
}

// Key handles a key as an action or as text.
func (e *Editor) Key(k tea.KeyMsg) tea.Cmd {
	if a, ok := components.Find(e.Actions(), k.String()); ok && !k.Paste {
		return a.Run()
	}
	if e.composer.sending {
		return nil
	}
	e.composer.activeField().Key(k)
	return e.composer.updateDraft()
}

// SendsReview reports whether the end of the text sends a review.
func (e *Editor) SendsReview() bool { return e.composer != nil && e.composer.draft.Review }

// doneHint returns the label of ctrl+s for the current text.
func (e *Editor) doneHint() string {
	switch {
	case e.composer == nil: // building the key table
		return ""
	case e.composer.draft.Review:
		return "send the review"
	case e.composer.draft.IsPostable():
		return "done, not sent yet"
	case e.composer.draft.Description || e.composer.draft.Edit:
		return "save"
	default:
		return "send"
	}
}

func (e *Editor) weightHint() string {
	if e.composer == nil {
		return ""
	}
	return "blocking, question or nit"
}

// insertIgnored inserts the text that was typed while no field was open.
func (e *Editor) insertIgnored() tea.Cmd {
	e.composer.activeField().Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(e.ignoredText), Paste: true})
	e.ignoredText = ""
	return e.composer.updateDraft()
}

// nothingIgnoredReason returns why there is no text to insert.
func (e *Editor) nothingIgnoredReason() string {
	if e.ignoredText == "" {
		return "no typed text was ignored"
	}
	return ""
}

// noWeightReason returns why the current text has no weight.
func (e *Editor) noWeightReason() string {
	if c := e.composer.draft; c.Comment != "" || c.Review || c.Description {
		return "only a comment has a weight"
	}
	return ""
}

// handleHeld reports that another screen of the user is writing the draft. The draft is shown read-only.
func (e *Editor) handleHeld(msg heldMsg) tea.Cmd {
	if errors.Is(msg.err, errSending) {
		return components.Toast("%v", msg.err)
	}
	e.held = true
	return tea.Batch(e.Count(), components.Toast("%v; here it is read-only", msg.err))
}

// Tick reads the drafts again while another screen writes one of them.
func (e *Editor) Tick() tea.Cmd {
	if !e.held {
		return nil
	}
	return e.Count()
}

// View draws the current text in at most height lines.
func (e *Editor) View(width, height int) []render.Line { return e.composer.view(width, height) }

// Update handles the messages of the Editor and reports whether msg is one.
func (e *Editor) Update(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case page.ComposeMsg:
		return e.open(msg.Draft, false), true
	case page.SuggestMsg:
		return e.beginSuggestion(msg.Draft), true
	case heldMsg:
		e.session.AwaitsInput = false
		return e.handleHeld(msg), true
	case openMsg:
		e.session.AwaitsInput = false
		return e.handleOpened(msg), true
	case savedMsg:
		return tea.Batch(msg.composer.handleSaved(msg), e.reopen(msg)), true
	case sentMsg:
		return e.handleSent(msg), true
	case CountedMsg:
		if msg.changes != e.session.Changes { // a later count is in progress
			return nil, true
		}
		e.session.Unsent, e.session.Decisions, e.session.Frozen, e.session.Editing = msg.drafts, msg.decisions, msg.frozen, msg.edits
		return nil, true
	default:
		return nil, false
	}
}

// open opens a draft, including its journaled text; suggest begins with the words to suggest.
func (e *Editor) open(draft drafts.Draft, suggest bool) tea.Cmd {
	for _, c := range e.sending {
		if c.draft.ID() == draft.ID() {
			e.composer, e.session.AwaitsInput = c, false
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
			return openMsg{draft: draft, suggest: suggest, release: func() {}, err: err}
		}
		frozen, err := journal.Frozen()
		if err == nil && slices.ContainsFunc(frozen, func(f drafts.Submission) bool { return f.Has(draft.ID()) }) {
			release()
			return heldMsg{draft, errSending}
		}
		all, err := journal.All()
		for _, earlier := range all {
			if earlier.ID() == draft.ID() {
				return openMsg{draft: continueDraft(earlier, draft), suggest: suggest, release: release, resumed: true}
			}
		}
		return openMsg{draft: draft, suggest: suggest, release: release, err: err}
	}
}

// continueDraft returns an earlier draft for further editing, with the suggestion, the verdict and the subject of draft.
func continueDraft(earlier, draft drafts.Draft) drafts.Draft {
	switch {
	case draft.Suggestion != nil:
		earlier.Suggestion, earlier.Original = draft.Suggestion, draft.Original
	case earlier.Suggestion == nil && !earlier.Edit:
		earlier.Original = draft.Original
	}
	if draft.Verdict != "" {
		earlier.Verdict = draft.Verdict
	}
	earlier.About = draft.About
	return earlier
}

// errSending reports that a draft cannot be edited because it is part of a review that is being sent.
var errSending = errors.New(page.FrozenReason)

// heldMsg reports that another screen holds a draft, and contains its journaled text.
type heldMsg struct {
	draft drafts.Draft
	err   error
}

// handleOpened shows the composer, unless another text was opened in the meantime.
func (e *Editor) handleOpened(msg openMsg) tea.Cmd {
	if e.composer != nil {
		msg.release()
		return nil
	}
	e.composer, e.held = newComposer(e, msg.draft), false
	e.composer.saveErr, e.composer.release = msg.err, msg.release
	if msg.suggest {
		e.composer.suggestWords()
		e.composer.onWords = true
	}
	switch {
	case e.ignoredText != "":
		return components.Toast("ctrl+r inserts what you typed before: “%s”", render.Excerpt(e.ignoredText))
	case msg.resumed && msg.draft.Text != "":
		return components.Toast("your draft is back")
	default:
		return nil
	}
}

// Replace replaces the current text with that saved by the external editor.
func (e *Editor) Replace(written string) tea.Cmd {
	*e.composer.activeField() = components.NewField(written, false)
	return e.composer.updateDraft()
}

// finish finishes the current text. Comments and replies on a change request are kept for the review, the message of a
// review submits it, and other texts are sent.
func (e *Editor) finish() tea.Cmd {
	c := e.composer
	c.draft.Text = c.field.String()
	switch written := c.currentDraft(); {
	case c.words != nil && written.Empty():
		return tea.Batch(e.closeDraft(), components.Toast("nothing was changed, and nothing suggested"))
	case c.draft.Review:
		e.composer = nil
		return c.finish(tea.Sequence(e.Count(), components.Send(page.DoneMsg{Target: c.draft.Target})))
	case written.IsPostable() && written.Empty():
		return components.Toast("nothing to keep yet")
	case c.draft.IsUnchanged():
		return tea.Batch(e.discard(), components.Toast("nothing was changed, and nothing sent"))
	case c.draft.IsPostable():
		e.composer = nil
		return c.finish(tea.Sequence(e.Count(), components.Send(page.KeptMsg{Draft: c.draft})))
	default:
		return e.send()
	}
}

func (e *Editor) send() tea.Cmd {
	c := e.composer
	cmd := c.send()
	if c.sending && !slices.Contains(e.sending, c) {
		e.sending = append(e.sending, c)
	}
	return cmd
}

// closeDraft closes the composer. Its text stays in the journal.
func (e *Editor) closeDraft() tea.Cmd {
	c := e.composer
	e.composer = nil
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
	if e.composer.sending {
		return "it is on its way"
	}
	return ""
}

// discard discards the current text, which can be undone. Without text it only closes the composer.
func (e *Editor) discard() tea.Cmd {
	c := e.composer
	if c.draft.Empty() || c.draft.Key == "" {
		return e.closeDraft()
	}
	c.dropped, e.composer = true, nil
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
	case e.composer == nil:
		e.composer = c
	case e.composer != c: // another text was opened in the meantime
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

// drop closes a composer, deletes its text from the journal, releases the draft, and reports done. If the text cannot be
// deleted, the message of done mentions that.
func (e *Editor) drop(c *composer, done remote.ChangedMsg) tea.Cmd {
	c.dropped = true
	if e.composer == c {
		e.composer = nil
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
