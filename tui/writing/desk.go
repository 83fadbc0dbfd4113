package writing

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// Desk is where texts are written. The app has one: it gives it the keys while a text is being written, draws it under
// the page, and hands it every message. At most one text is shown; others may be on their way to the server.
type Desk struct {
	s       *page.Session
	shown   *composer
	sending []*composer
	saving  int // journals being written
	unsent  int // drafts in the journal, as far as is known
}

// CountedMsg is what the journal has, and how many pages are not saved: the pages that show drafts in their places are
// laid out anew.
type CountedMsg struct {
	drafts []drafts.Draft
	pages  int
}

// Unsent is how many drafts wait in the journal.
func (d *Desk) Unsent() int { return d.unsent }

// Count asks the journal how many drafts it has.
func (d *Desk) Count() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return func() tea.Msg {
		left, err := unsent(journal)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return CountedMsg{left, len(unsaved(ctx, s))}
	}
}

// openMsg begins to write a draft, with the text that the journal has of it.
type openMsg struct {
	draft drafts.Draft
	again bool // the journal has one
	err   error
}

// savedMsg says that the journal holds a text, or why it does not.
type savedMsg struct {
	of  *composer
	err error
}

// discardMsg throws a text away.
type discardMsg struct{ of *composer }

// droppedMsg says that a journal was tidied.
type droppedMsg struct{ err error }

// sentMsg is the server's answer to a draft.
type sentMsg struct {
	of    *composer
	draft drafts.Draft
	row   string // the key of the rows that show it
	err   error
}

// New returns an empty desk.
func New(s *page.Session) *Desk { return &Desk{s: s} }

// Writing reports whether a text is being written: then the desk has the keys.
func (d *Desk) Writing() bool { return d.shown != nil }

// Journaling reports whether something that was written is not in the journal yet: then the screen must not end.
func (d *Desk) Journaling() bool { return d.saving > 0 }

// Actions are what can be done while a text is being written.
func (d *Desk) Actions() []components.Action {
	return []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: "done: send it", Hint: "send", Do: d.send},
		{Name: "editor", Keys: []string{"ctrl+e"}, Help: "write in $EDITOR", Hint: "editor", Do: func() tea.Cmd { return d.s.Edit(d.shown.field.String()) }},
		{Name: "keep", Keys: []string{"esc"}, Help: "keep for later", Hint: "keep", Do: d.keep},
		{Name: "discard", Keys: []string{"ctrl+x"}, Help: "discard", Hint: "discard", Do: d.askToDiscard, WhyNot: d.onItsWay},
	}
}

// Key takes a key: it acts, or is text.
func (d *Desk) Key(k tea.KeyMsg) tea.Cmd {
	if a, ok := components.Find(d.Actions(), k.String()); ok && !k.Paste {
		return a.Run()
	}
	if d.shown.sending {
		return nil
	}
	d.shown.field.Key(k)
	return d.shown.changed()
}

// View draws the text that is being written, in at most a height.
func (d *Desk) View(width, height int) []text.Line { return d.shown.view(width, height) }

// Update takes the messages that are the desk's own, and reports whether one was.
func (d *Desk) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.ComposeMsg:
		return d.open(msg.Draft), true
	case openMsg:
		return d.opened(msg), true
	case savedMsg:
		return msg.of.saved(msg), true
	case discardMsg:
		return d.discard(msg.of), true
	case sentMsg:
		return d.sent(msg), true
	case CountedMsg:
		d.unsent, d.s.Unsent = len(msg.drafts)+msg.pages, msg.drafts
		return nil, true
	default:
		return nil, false
	}
}

// open begins to write, with what was written before about the same.
func (d *Desk) open(begun drafts.Draft) tea.Cmd {
	for _, c := range d.sending {
		if c.draft.ID() == begun.ID() {
			d.shown = c
			return nil
		}
	}
	journal := d.s.Drafts
	return func() tea.Msg {
		all, err := journal.All()
		for _, earlier := range all {
			if earlier.ID() == begun.ID() {
				begun.Text, begun.Key = earlier.Text, earlier.Key
				return openMsg{draft: begun, again: true}
			}
		}
		return openMsg{draft: begun, err: err}
	}
}

// opened shows the composer, unless something else is being written by now.
func (d *Desk) opened(msg openMsg) tea.Cmd {
	if d.shown != nil {
		return nil
	}
	d.shown = newComposer(d, msg.draft)
	d.shown.saveErr = msg.err
	if msg.again {
		return components.Toast("draft restored")
	}
	return nil
}

// Replace takes a text in place of the one that is being written: the editor left it.
func (d *Desk) Replace(written string) tea.Cmd {
	d.shown.field = components.NewField(written, false)
	return d.shown.changed()
}

func (d *Desk) send() tea.Cmd {
	c := d.shown
	cmd := c.send()
	if c.sending && !slices.Contains(d.sending, c) {
		d.sending = append(d.sending, c)
	}
	return cmd
}

// keep closes the composer; its text stays in the journal.
func (d *Desk) keep() tea.Cmd {
	c := d.shown
	d.shown = nil
	if c.sending || c.draft.Text == "" {
		return nil
	}
	return tea.Batch(tea.Sequence(c.changed(), d.Count()), components.Toast("draft kept: p resumes it"))
}

// askToDiscard has it confirmed that a text is thrown away.
func (d *Desk) askToDiscard() tea.Cmd {
	return components.Send(page.ConfirmMsg{Question: "Discard this draft?", Yes: components.Send(discardMsg{d.shown})})
}

// onItsWay says why a text that is being sent cannot be thrown away.
func (d *Desk) onItsWay() string {
	if d.shown.sending {
		return "it is on its way"
	}
	return ""
}

// discard throws a text away.
func (d *Desk) discard(c *composer) tea.Cmd {
	journal, draft := d.s.Drafts, c.draft
	undo := func() tea.Msg {
		if err := journal.Save(draft); err != nil {
			return remote.FailMsg{Err: err}
		}
		return page.UndoableMsg{Done: "draft restored: p resumes it"}
	}
	return tea.Sequence(d.drop(c, page.UndoableMsg{Done: "discarded: u brings it back", Undo: undo}), d.Count())
}

// sent deletes a draft that the server has; one that it refused stays, in the journal and on the screen.
func (d *Desk) sent(msg sentMsg) tea.Cmd {
	c := msg.of
	c.sending = false
	d.sending = slices.DeleteFunc(d.sending, func(other *composer) bool { return other == c })
	if msg.err == nil {
		return tea.Sequence(d.drop(c, remote.ChangedMsg{Space: msg.draft.Target.Space, Done: "sent", Row: msg.row, Command: commandOf(msg.draft)}), d.Count())
	}
	c.err = msg.err
	if d.shown == nil {
		d.shown = c
	}
	return nil
}

// drop closes a composer and deletes its text from the journal; then it answers with a message.
func (d *Desk) drop(c *composer, done tea.Msg) tea.Cmd {
	c.dropped = true
	if d.shown == c {
		d.shown = nil
	}
	journal, id := d.s.Drafts, c.draft.ID()
	return func() tea.Msg {
		if err := journal.Delete(id); err != nil {
			return remote.FailMsg{Err: err}
		}
		return done
	}
}

// unsent are the texts in the journal that can be gone on with; a decision of a conflict is offered where that is.
func unsent(journal drafts.Journal) ([]drafts.Draft, error) {
	all, err := journal.All()
	return slices.DeleteFunc(all, func(d drafts.Draft) bool { return d.Conflict != "" }), err
}

// Remind says that something was not sent. The app calls it once, at the start.
func (d *Desk) Remind() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return tea.Batch(d.Count(), func() tea.Msg {
		if left, err := unsent(journal); err != nil || len(left)+len(unsaved(ctx, s)) == 0 {
			return nil
		}
		return components.Told("you have drafts: p resumes one")
	})
}

// Offer shows what was not sent, to go on with.
func (d *Desk) Offer() tea.Cmd {
	journal, s, ctx := d.s.Drafts, d.s, d.s.Ctx
	return func() tea.Msg {
		left, err := unsent(journal)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		pages := unsaved(ctx, s)
		if len(left)+len(pages) == 0 {
			return components.Told("no drafts")
		}
		choices := make([]components.Choice, len(left))
		for i, d := range left {
			choices[i] = components.Choice{Label: d.About + ": " + d.Text, Cmd: components.Send(page.ComposeMsg{Draft: d})}
		}
		return page.PickMsg{Question: "Resume", Choices: append(choices, pages...)}
	}
}
