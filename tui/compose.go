package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// composer is a comment or a reply being written. Its text is journaled while it is written, and the journal is
// deleted only when the server has it.
type composer struct {
	s     *session
	draft Draft
	field field

	saving, unsaved bool // one write of the journal at a time; the latest text wins
	dropped         bool // the text is not wanted any more: sent, or thrown away
	sending         bool
	err             error // of the last attempt to send
	saveErr         error
}

// droppedMsg says that a journal was tidied.
type droppedMsg struct{ err error }

// openMsg begins to write a draft, with the text that was kept of it.
type openMsg struct {
	draft Draft
	kept  bool
	err   error
}

// savedMsg says that the journal holds a text, or why it does not.
type savedMsg struct {
	of  *composer
	err error
}

// discardMsg throws a text away.
type discardMsg struct{ of *composer }

// sentMsg is the server's answer to a draft.
type sentMsg struct {
	of    *composer
	draft Draft
	item  string // the key of the rows that show it
	err   error
}

// editedMsg is the text that the editor left.
type editedMsg struct {
	text string
	err  error
}

func newComposer(s *session, d Draft) *composer {
	return &composer{s: s, draft: d, field: newField(d.Text, false)}
}

// changed takes the text over into the draft: another text is another write, and is journaled.
func (c *composer) changed() tea.Cmd {
	written := c.field.String()
	if written == c.draft.Text && c.draft.Key != "" {
		return nil
	}
	c.draft.Text, c.draft.Key = written, c.s.newKey()
	return c.save()
}

func (c *composer) save() tea.Cmd {
	if c.saving {
		c.unsaved = true
		return nil
	}
	c.saving, c.unsaved = true, false
	c.s.saving++
	draft, drafts := c.draft, c.s.drafts
	return func() tea.Msg {
		if strings.TrimSpace(draft.Text) == "" {
			return savedMsg{c, drafts.Delete(draft.ID())}
		}
		return savedMsg{c, drafts.Save(draft)}
	}
}

// saved goes on with what was written in the meantime.
func (c *composer) saved(m savedMsg) tea.Cmd {
	c.saving, c.saveErr = false, m.err
	c.s.saving--
	if c.dropped { // the journal may have been written after it was deleted
		drafts, id := c.s.drafts, c.draft.ID()
		return func() tea.Msg { return droppedMsg{drafts.Delete(id)} }
	}
	if c.unsaved {
		return c.save()
	}
	return nil
}

// send gives the text to the server, once at a time.
func (c *composer) send() tea.Cmd {
	if c.sending {
		return nil
	}
	if strings.TrimSpace(c.field.String()) == "" {
		return toast("there is nothing to send yet")
	}
	journal := c.changed()
	c.sending, c.err = true, nil
	draft, s := c.draft, c.s
	return tea.Sequence(journal, func() tea.Msg {
		item, err := deliver(s, draft)
		return sentMsg{of: c, draft: draft, item: item, err: err}
	})
}

// deliver does the write that a draft stands for and returns the key of the rows that show it.
func deliver(s *session, d Draft) (item string, err error) {
	body := api.CommentBody{Markdown: d.Text}
	switch {
	case d.Verdict != "":
		return "discussion", s.client.Review(s.ctx, d.Place, api.ReviewCreate{Status: d.Verdict, Comment: &body, Revision: d.Revision}, d.Key)
	case d.Edit && d.Reply != "":
		return replyKey(d.Reply), s.client.UpdateReply(s.ctx, d.Place, d.Comment, d.Reply, api.ReplyUpdate{Body: &body}, d.Key)
	case d.Edit:
		return commentKey(d.Comment), s.client.UpdateComment(s.ctx, d.Place, d.Comment, api.CommentUpdate{Body: &body}, d.Key)
	case d.Comment != "":
		id, err := s.client.CreateReply(s.ctx, d.Place, d.Comment, api.ReplyCreate{Body: body}, d.Key)
		return replyKey(id), err
	default:
		id, err := s.client.CreateComment(s.ctx, d.Place, api.CommentCreate{Page: d.Page, Node: d.Node, Body: body}, d.Key)
		return commentKey(id), err
	}
}

// view draws the field under what it is about, and what is wrong above the keys.
func (c *composer) view(width, height int) []text.Line {
	head := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "─ "+c.draft.About+" ")}
	head = append(head, text.In(text.Dim, strings.Repeat("─", max(width-head.Width(), 0))))
	var foot []text.Line
	switch {
	case c.sending:
		foot = append(foot, text.Line{text.In(text.Dim, "Sending …")})
	case c.err != nil:
		for _, l := range errorLines(c.err) {
			foot = append(foot, text.Line{text.In(text.Failure, "! "+l)}.Cut(width))
		}
		foot = append(foot, text.Line{text.In(text.Warning, "Not sent ("+trouble(c.err)+"); the text is kept.")}.Cut(width))
	case c.saveErr != nil:
		foot = append(foot, text.Line{text.In(text.Failure, "! not kept on disk: "+c.saveErr.Error())}.Cut(width))
	}
	room := max(height-1-len(foot), 1)
	lines := append([]text.Line{head.Cut(width)}, c.field.view(width, room)...)
	return append(lines, foot...)
}
