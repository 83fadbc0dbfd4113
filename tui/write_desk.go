package tui

import (
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Editor is where texts are written. The app has one: it gives it the keys while a text is being written, draws it under
// the page, and hands it every message. At most one text is shown; others may be on their way to the server.
type Editor struct {
	s       *page.Session
	shown   *composer
	sending []*composer
	saving  int // journals being written
}

// CountedMsg is what the journal has, and how many pages are not saved: the pages that show drafts in their places are
// laid out anew.
type CountedMsg struct {
	drafts  []drafts.Draft
	decided []drafts.Draft
	frozen  []drafts.Submission
	pages   []drafts.Edit

	changes int // Session.Changes when it was asked for
}

// Count asks the journal how many drafts it has.
func (d *Editor) Count() tea.Cmd {
	journal, s, ctx, changes := d.s.Drafts, d.s, d.s.Ctx, d.s.Changes
	return func() tea.Msg {
		left, decided, err := unsentDrafts(journal)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		frozen, err := journal.Frozen()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return CountedMsg{left, decided, frozen, unsaved(ctx, s), changes}
	}
}

// openMsg begins to write a draft, with the text that the journal has of it.
type openMsg struct {
	draft   drafts.Draft
	release func()
	again   bool // the journal has one
	err     error
}

// savedMsg says that the journal holds a text, or why it does not.
type savedMsg struct {
	of  *composer
	err error
}

// droppedMsg says that a journal was tidied.
type droppedMsg struct{ err error }

// sentMsg is the server's answer to a draft.
type sentMsg struct {
	of    *composer
	draft drafts.Draft
	row   string // the key of the rows that show it
	err   error
}

// NewEditor returns an empty desk.
func NewEditor(s *page.Session) *Editor { return &Editor{s: s} }

// Writing reports whether a text is being written: then the desk has the keys.
func (d *Editor) Writing() bool { return d.shown != nil }

// Journaling reports whether something that was written is not in the journal yet: then the screen must not end.
func (d *Editor) Journaling() bool { return d.saving > 0 }

// Actions are what can be done while a text is being written.
func (d *Editor) Actions() []components.Action {
	return []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: page.Done, Hint: d.doneHint(), Do: d.done},
		{Name: "editor", Keys: []string{"ctrl+e"}, Help: "write in $EDITOR", Hint: "editor", Do: func() tea.Cmd { return d.s.Edit(d.shown.field.String()) }},
		{Name: "weight-turn", Keys: []string{"ctrl+t"}, Help: page.Weight, Hint: d.weightHint(), Do: func() tea.Cmd { return d.shown.turnWeight() }, WhyNot: d.weightless},
		{Name: "keep", Keys: []string{"esc"}, Help: "back; what you wrote is kept", Hint: "back, kept", Do: d.keep},
		{Name: "discard", Keys: []string{"ctrl+x"}, Help: "drop what you write; u brings it back", Hint: "drop", Do: d.discard, WhyNot: d.onItsWay},
	}
}

// Key takes a key: it acts, or is text.
func (d *Editor) Key(k tea.KeyMsg) tea.Cmd {
	if a, ok := components.Find(d.Actions(), k.String()); ok && !k.Paste {
		return a.Run()
	}
	if d.shown.sending {
		return nil
	}
	d.shown.field.Key(k)
	return d.shown.changed()
}

// doneHint says what ctrl+s does with what is being written.
func (d *Editor) doneHint() string {
	switch {
	case d.shown == nil: // for the table of keys
		return ""
	case d.shown.draft.Review:
		return "send the review"
	case d.shown.draft.Posted():
		return "done, not sent yet"
	case d.shown.draft.Description || d.shown.draft.Edit:
		return "save"
	default:
		return "send"
	}
}

func (d *Editor) weightHint() string {
	if d.shown == nil {
		return ""
	}
	return "blocking, question or nit"
}

// weightless says why what is being written has no weight.
func (d *Editor) weightless() string {
	if c := d.shown.draft; c.Comment != "" || c.Review || c.Description {
		return "only a comment has a weight"
	}
	return ""
}

// held says that another screen of the same person writes a draft; it is shown where it stands, and can be read there.
func (d *Editor) held(msg heldMsg) tea.Cmd {
	if errors.Is(msg.err, errOnItsWay) {
		return components.Toast("%v", msg.err)
	}
	if errors.Is(msg.err, drafts.ErrHeld) {
		return tea.Batch(d.Count(), components.Toast("%v; here it is read-only", msg.err))
	}
	return components.Send(remote.FailMsg{Err: msg.err})
}

// View draws the text that is being written, in at most a height.
func (d *Editor) View(width, height int) []render.Line { return d.shown.view(width, height) }

// Update takes the messages that are the desk's own, and reports whether one was.
func (d *Editor) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.ComposeMsg:
		return d.open(msg.Draft), true
	case heldMsg:
		d.s.Awaits = false
		return d.held(msg), true
	case openMsg:
		d.s.Awaits = false
		return d.opened(msg), true
	case savedMsg:
		return msg.of.saved(msg), true
	case sentMsg:
		return d.sent(msg), true
	case CountedMsg:
		if msg.changes != d.s.Changes { // the next one is on its way
			return nil, true
		}
		d.s.Unsent, d.s.Decided, d.s.Frozen, d.s.Editing = msg.drafts, msg.decided, msg.frozen, msg.pages
		return nil, true
	default:
		return nil, false
	}
}

// open begins to write, with what was written before about the same.
func (d *Editor) open(begun drafts.Draft) tea.Cmd {
	for _, c := range d.sending {
		if c.draft.ID() == begun.ID() {
			d.shown, d.s.Awaits = c, false
			return nil
		}
	}
	journal := d.s.Drafts
	return func() tea.Msg {
		release, err := journal.Hold(begun.ID())
		if err != nil {
			return heldMsg{begun, err}
		}
		frozen, err := journal.Frozen()
		if err == nil && slices.ContainsFunc(frozen, func(f drafts.Submission) bool { return f.Has(begun.ID()) }) {
			release()
			return heldMsg{begun, errOnItsWay}
		}
		all, err := journal.All()
		for _, earlier := range all {
			if earlier.ID() == begun.ID() {
				return openMsg{draft: continued(earlier, begun), release: release, again: true}
			}
		}
		return openMsg{draft: begun, release: release, err: err}
	}
}

// continued is a draft that was begun before, as it is gone on with: a suggestion that is new is taken over.
func continued(earlier, begun drafts.Draft) drafts.Draft {
	if begun.Suggestion != nil {
		earlier.Suggestion, earlier.Original = begun.Suggestion, begun.Original
	}
	if begun.Verdict != "" {
		earlier.Verdict = begun.Verdict
	}
	earlier.About = begun.About
	return earlier
}

// errOnItsWay says why a draft cannot be written: it was sent.
var errOnItsWay = errors.New(page.OnItsWay)

// heldMsg says that a draft cannot be written here, and what the other screen has of it.
type heldMsg struct {
	draft drafts.Draft
	err   error
}

// opened shows the composer, unless something else is being written by now.
func (d *Editor) opened(msg openMsg) tea.Cmd {
	if d.shown != nil {
		msg.release()
		return nil
	}
	d.shown = newComposer(d, msg.draft)
	d.shown.saveErr, d.shown.release = msg.err, msg.release
	if msg.again && msg.draft.Text != "" {
		return components.Toast("your draft is back")
	}
	return nil
}

// Replace takes a text in place of the one that is being written: the editor left it.
func (d *Editor) Replace(written string) tea.Cmd {
	d.shown.field = components.NewField(written, false)
	return d.shown.changed()
}

// done ends what is being written: a comment or a reply on a change request is kept for its review, what is said with the
// review has that sent, and everything else is sent.
func (d *Editor) done() tea.Cmd {
	c := d.shown
	c.draft.Text = c.field.String()
	switch {
	case c.draft.Review:
		d.shown = nil
		return c.finish(tea.Sequence(d.Count(), components.Send(page.DoneMsg{Target: c.draft.Target})))
	case c.draft.Posted() && c.draft.Empty():
		return components.Toast("nothing to keep yet")
	case c.draft.Posted():
		d.shown = nil
		return c.finish(tea.Sequence(d.Count(), components.Send(page.KeptMsg{Draft: c.draft})))
	default:
		return d.send()
	}
}

func (d *Editor) send() tea.Cmd {
	c := d.shown
	cmd := c.send()
	if c.sending && !slices.Contains(d.sending, c) {
		d.sending = append(d.sending, c)
	}
	return cmd
}

// keep closes the composer; its text stays in the journal.
func (d *Editor) keep() tea.Cmd {
	c := d.shown
	d.shown = nil
	if c.sending {
		return nil
	}
	if c.draft.Key == "" && c.field.String() == c.draft.Text { // nothing was written: what stands there stays
		release := c.release
		return func() tea.Msg { release(); return nil }
	}
	if c.draft.Empty() && c.field.String() == "" {
		return c.finish(nil)
	}
	said := page.StaysMsg{Row: page.DraftKey(c.draft), Says: "kept, not sent: " + resumes(c.draft)}
	return tea.Batch(c.finish(d.Count()), components.Send(said))
}

// resumes says how one goes on with a draft that was left.
func resumes(d drafts.Draft) string {
	if d.Posted() {
		return "e on it, or p, goes on with it; S sends it"
	}
	return "p goes on with it"
}

// onItsWay says why a text that is being sent cannot be thrown away.
func (d *Editor) onItsWay() string {
	if d.shown.sending {
		return "it is on its way"
	}
	return ""
}

// discard throws the text that is being written away; undo fetches it back. Where nothing was written there is nothing to drop.
func (d *Editor) discard() tea.Cmd {
	c := d.shown
	if c.draft.Empty() || c.draft.Key == "" {
		return d.keep()
	}
	c.dropped, d.shown = true, nil
	release := c.release
	return tea.Sequence(func() tea.Msg { release(); return nil }, page.Discard(d.s, c.draft), d.Count())
}

// sent deletes a draft that the server has; one that it refused stays, in the journal and on the screen.
func (d *Editor) sent(msg sentMsg) tea.Cmd {
	c := msg.of
	c.sending = false
	d.sending = slices.DeleteFunc(d.sending, func(other *composer) bool { return other == c })
	if msg.err == nil {
		return tea.Sequence(d.drop(c, remote.ChangedMsg{Space: msg.draft.Target.Space, Done: delivered(msg.draft), Row: msg.row, Command: commandOf(msg.draft)}), d.Count())
	}
	c.err = msg.err
	switch {
	case d.shown == nil:
		d.shown = c
	case d.shown != c: // something else is being written by now
		return c.finish(components.Toast("not sent (%s): the text is kept, p goes on with it", remote.TroubleOf(msg.err).Label))
	}
	return nil
}

// drop closes a composer and deletes its text from the journal; then it answers with a message.
func (d *Editor) drop(c *composer, done tea.Msg) tea.Cmd {
	c.dropped = true
	if d.shown == c {
		d.shown = nil
	}
	journal, id, release := d.s.Drafts, c.draft.ID(), c.release
	return func() tea.Msg {
		defer release()
		if err := journal.Delete(id); err != nil {
			return remote.FailMsg{Err: err}
		}
		return done
	}
}
