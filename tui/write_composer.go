package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// composer is a comment or a reply being written. Its text is journaled while it is written, and the journal is
// deleted only when the server has it.
type composer struct {
	desk  *Editor
	draft drafts.Draft
	field components.Field

	release func()  // gives the draft free for other screens
	then    tea.Cmd // when it is in the journal

	saving, unsaved bool // one write of the journal at a time; the latest text wins
	dropped         bool // the text is not wanted any more: sent, or thrown away
	sending         bool
	err             error // of the last attempt to send
	saveErr         error
}

func newComposer(d *Editor, begun drafts.Draft) *composer {
	if begun.At.IsZero() {
		begun.At = d.s.Now()
	}
	return &composer{desk: d, draft: begun, field: components.NewField(begun.Text, false), release: func() {}}
}

// changed takes the text over into the draft: another text is another write, and is journaled.
func (c *composer) changed() tea.Cmd {
	written := c.field.String()
	if written == c.draft.Text && c.draft.Key != "" {
		return nil
	}
	c.draft.Text = written
	return c.touched()
}

// touched journals a draft that is another one now, under another key.
func (c *composer) touched() tea.Cmd {
	c.draft.Key = c.desk.s.NewKey()
	return c.save()
}

// finish does something as soon as the draft is in the journal, and gives it free.
func (c *composer) finish(then tea.Cmd) tea.Cmd {
	journal := c.changed()
	release := c.release
	free := tea.Sequence(func() tea.Msg { release(); return nil }, then)
	if !c.saving {
		return tea.Sequence(journal, free)
	}
	c.then = free
	return journal
}

// turnWeight gives the draft the next weight.
func (c *composer) turnWeight() tea.Cmd {
	all := append([]api.CommentWeight{""}, api.CommentWeight("").Values()...)
	c.draft.Weight = all[(slices.Index(all, c.draft.Weight)+1)%len(all)]
	return c.touched()
}

func (c *composer) save() tea.Cmd {
	if c.saving {
		c.unsaved = true
		return nil
	}
	c.saving, c.unsaved = true, false
	c.desk.saving++
	draft, journal := c.draft, c.desk.s.Drafts
	return func() tea.Msg {
		if draft.Empty() {
			return savedMsg{c, journal.Delete(draft.ID())}
		}
		return savedMsg{c, journal.Save(draft)}
	}
}

// saved goes on with what was written in the meantime.
func (c *composer) saved(m savedMsg) tea.Cmd {
	c.saving, c.saveErr = false, m.err
	c.desk.saving--
	if c.dropped { // the journal may have been written after it was deleted
		journal, id := c.desk.s.Drafts, c.draft.ID()
		return func() tea.Msg { return droppedMsg{journal.Delete(id)} }
	}
	if c.unsaved {
		return c.save()
	}
	then := c.then
	c.then = nil
	return then
}

// send gives the text to the server, once at a time.
func (c *composer) send() tea.Cmd {
	if c.sending {
		return nil
	}
	if strings.TrimSpace(c.field.String()) == "" && !c.draft.Description {
		return components.Toast("nothing to send yet")
	}
	journal := c.changed()
	c.sending, c.err = true, nil
	draft, server := c.draft, c.desk.s.Connection
	return tea.Sequence(journal, func() tea.Msg {
		row, err := deliver(server, draft)
		return sentMsg{of: c, draft: draft, row: row, err: err}
	})
}

// deliver does the write that a draft stands for and returns the key of the rows that show it.
func deliver(c *remote.Connection, d drafts.Draft) (row string, err error) {
	body, content := api.CommentBody{Markdown: api.Some(d.Text)}, c.Client.Content(d.Target)
	switch {
	case d.Description:
		return "", c.Client.UpdateRequest(c.Ctx, d.Target, api.ChangeRequestPatch{Description: api.Describe(d.Text)}, d.Key)
	case d.Edit && d.Reply != "":
		return page.ReplyKey(d.Reply), content.UpdateReply(c.Ctx, d.Comment, d.Reply, api.ReplyUpdate{Body: &body}, d.Key)
	case d.Edit:
		return page.CommentKey(d.Comment), content.UpdateComment(c.Ctx, d.Comment, api.CommentUpdate{Body: &body}, d.Key)
	case d.Comment != "":
		id, err := content.CreateReply(c.Ctx, d.Comment, api.ReplyCreate{Body: body}, d.Key)
		return page.ReplyKey(id), err
	default:
		made := api.CommentCreate{Page: d.Page, Node: d.Node, Quote: d.Quote, Weight: d.Weight, Body: body}
		if d.Start != nil {
			made.Start = api.Some(*d.Start)
		}
		id, err := content.CreateComment(c.Ctx, made, d.Key)
		return page.CommentKey(id), err
	}
}

// delivered says what became of a draft that the server has.
func delivered(d drafts.Draft) string {
	switch {
	case d.Description:
		return "description saved"
	case d.Edit && d.Reply != "":
		return "reply saved"
	case d.Edit:
		return "comment saved"
	case d.Comment != "":
		return "reply posted"
	default:
		return "comment posted"
	}
}

// commandOf is the wsctl command that sends what a draft says.
func commandOf(d drafts.Draft) string {
	if d.Description {
		return d.Target.RequestCommand("update", saying("description", d.Text)...)
	}
	var words []string
	ofSpace, ofRequest := "replies", "change-request-replies"
	switch {
	case d.Edit && d.Reply != "":
		words = []string{"update", d.Reply, "--comment", d.Comment}
	case d.Comment != "" && !d.Edit:
		words = []string{"create", "--comment", d.Comment}
	case d.Edit:
		ofSpace, ofRequest, words = "comments", "change-request-comments", []string{"update", d.Comment}
	default:
		ofSpace, ofRequest, words = "comments", "change-request-comments", []string{"create"}
		for _, flag := range [][2]string{{"--page", d.Page}, {"--node", d.Node}, {"--quote", d.Quote}, {"--weight", string(d.Weight)}} {
			if flag[1] != "" {
				words = append(words, flag[0], flag[1])
			}
		}
	}
	return d.Target.Command(ofSpace, ofRequest, append(words, saying("body", d.Text)...)...)
}

// saying is the flag with a text; a long one is read from a file.
func saying(flag, written string) []string {
	if len(written) > 60 || strings.Contains(written, "\n") {
		return []string{"--" + flag + "-file", "text.md"}
	}
	return []string{"--" + flag, written}
}

// view draws the field under what it is about, and what is wrong above the keys.
func (c *composer) view(width, height int) []render.Line {
	about := c.draft.About
	if c.draft.Weight != "" {
		about = string(c.draft.Weight) + " · " + about
	}
	head := render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, "─ "+about+" ")}
	head = append(head, render.In(render.Dim, strings.Repeat("─", max(width-head.Width(), 0))))
	var foot []render.Line
	switch {
	case c.sending:
		foot = append(foot, render.Line{render.In(render.Dim, "Sending …")})
	case c.err != nil:
		for _, l := range remote.Explain(c.err) {
			foot = append(foot, render.Line{render.In(render.Failure, "! "+l)}.Cut(width))
		}
		foot = append(foot, render.Line{render.In(render.Warning, "Not sent ("+remote.TroubleOf(c.err).Label+"); the text is kept.")}.Cut(width))
	case c.saveErr != nil:
		foot = append(foot, render.Line{render.In(render.Failure, "! not kept on disk: "+c.saveErr.Error())}.Cut(width))
	}
	lines := append([]render.Line{head.Cut(width)}, c.suggested(width, height/2-1)...)
	if c.draft.Suggestion != nil && height > 4 {
		lines = append(lines, render.Line{render.In(render.Dim, "Your suggestion is kept. Say why, if you like (optional); ctrl+s without a word is fine.")}.Cut(width))
	}
	room := max(height-len(lines)-len(foot), 1)
	lines = append(lines, c.field.View(width, room)...)
	return append(lines, foot...)
}

// suggested draws what the draft suggests, word by word, above what is said about it.
func (c *composer) suggested(width, height int) []render.Line {
	if c.draft.Suggestion == nil || height < 1 {
		return nil
	}
	marks := render.Brackets
	if c.desk.s.Grounded {
		marks = render.Grounds
	}
	lines := render.Suggested(c.draft.Original, *c.draft.Suggestion, width, marks)
	return lines[:min(len(lines), height)]
}

// WritingCommands are one of each that drafts are sent with, for a test that wsctl has them.
func WritingCommands() []string {
	space, request := remote.Target{Space: "s"}, remote.Target{Space: "s", ChangeRequest: "2"}
	all := []string{commandOf(drafts.Draft{Target: request, Description: true, Text: "x"})}
	for _, t := range []remote.Target{space, request} {
		for _, d := range []drafts.Draft{{Page: "p", Node: "n", Quote: "q", Weight: api.WeightNit}, {Comment: "c"}, {Comment: "c", Edit: true}, {Comment: "c", Reply: "r", Edit: true}} {
			d.Target, d.Text = t, "x"
			all = append(all, commandOf(d))
		}
	}
	return all
}
