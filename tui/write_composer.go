package tui

import (
	"fmt"
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

// composer edits a comment or a reply. The text is journaled continuously, and the journal entry is deleted only when
// the server has stored the text.
type composer struct {
	editor  *Editor
	draft   drafts.Draft
	field   components.Field  // the comment
	words   *components.Field // the suggested words; nil without a suggestion
	onWords bool              // the keys go to words

	release func()  // releases the draft for other screens
	onSaved tea.Cmd // run when the text is journaled

	saving, unsaved bool // journal writes are serialized; the latest text wins
	dropped         bool // sent or discarded
	sending         bool
	err             error // of the last attempt to send
	saveErr         error
}

func newComposer(d *Editor, draft drafts.Draft) *composer {
	if draft.StartedAt.IsZero() {
		draft.StartedAt = d.session.Now()
	}
	c := &composer{editor: d, draft: draft, field: components.NewField(draft.Text, false), release: func() {}}
	if draft.Suggestion != nil && components.Accepts(draft.Original) {
		c.suggestWords()
	}
	return c
}

// updateDraft copies the texts into the draft. A changed text gets a new idempotency key and is journaled, as is a text that
// could not be journaled before.
func (c *composer) updateDraft() tea.Cmd {
	written := c.currentDraft()
	switch unchanged := written.HasTexts(c.draft) && c.draft.Key != ""; {
	case unchanged && c.saveErr != nil:
		return c.save()
	case unchanged:
		return nil
	}
	c.draft = written
	return c.journalDraft()
}

// currentDraft returns the draft with the texts of the fields.
func (c *composer) currentDraft() drafts.Draft {
	d := c.draft
	d.Text = c.field.String()
	if c.words != nil {
		d.Suggestion = nil
		if words := c.words.String(); words != d.Original {
			d.Suggestion = &words
		}
	}
	return d
}

// activeField returns the field that receives the keys.
func (c *composer) activeField() *components.Field {
	if c.onWords {
		return c.words
	}
	return &c.field
}

// journalDraft journals a changed draft with a new idempotency key.
func (c *composer) journalDraft() tea.Cmd {
	c.draft.Key = c.editor.session.NewKey()
	return c.save()
}

// finish runs then when the draft is journaled, and releases the draft.
func (c *composer) finish(then tea.Cmd) tea.Cmd {
	journal := c.updateDraft()
	release := c.release
	free := tea.Sequence(func() tea.Msg { release(); return nil }, then)
	if !c.saving {
		return tea.Sequence(journal, free)
	}
	c.onSaved = free
	return journal
}

// nextWeight sets the draft to the next weight.
func (c *composer) nextWeight() tea.Cmd {
	all := append([]api.CommentWeight{""}, api.CommentWeight("").Values()...)
	c.draft.Weight = all[(slices.Index(all, c.draft.Weight)+1)%len(all)]
	return c.journalDraft()
}

func (c *composer) save() tea.Cmd {
	if c.saving {
		c.unsaved = true
		return nil
	}
	c.saving, c.unsaved = true, false
	c.editor.pendingSaves++
	draft, journal := c.draft, c.editor.session.Drafts
	return func() tea.Msg {
		if draft.Empty() {
			return savedMsg{c, journal.Delete(draft.ID())}
		}
		return savedMsg{c, journal.Save(draft)}
	}
}

// handleSaved handles the result of a journal write and saves text entered in the meantime.
func (c *composer) handleSaved(m savedMsg) tea.Cmd {
	c.saving, c.saveErr = false, m.err
	c.editor.pendingSaves--
	if c.dropped { // the write may have finished after the deletion
		journal, id := c.editor.session.Drafts, c.draft.ID()
		return func() tea.Msg { return droppedMsg{journal.Delete(id)} }
	}
	if c.unsaved {
		return c.save()
	}
	then := c.onSaved
	c.onSaved = nil
	return then
}

// send sends the text to the server, unless it is already being sent.
func (c *composer) send() tea.Cmd {
	if c.sending {
		return nil
	}
	if strings.TrimSpace(c.field.String()) == "" && !c.draft.Description {
		return components.Toast("nothing to send yet")
	}
	journal := c.updateDraft()
	if reason := c.draft.TooLongReason(); reason != "" {
		return tea.Batch(journal, components.Toast("%s: it is kept, and not sent", reason))
	}
	c.sending, c.err = true, nil
	draft, server := c.draft, c.editor.session.Connection
	return tea.Sequence(journal, func() tea.Msg {
		row, err := sendDraft(server, draft)
		return sentMsg{composer: c, draft: draft, row: row, err: err}
	})
}

// sendDraft performs the write of a draft and returns the key of the rows that show its result.
func sendDraft(c *remote.Connection, d drafts.Draft) (row string, err error) {
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

// sentMessage describes the result of a sent draft.
func sentMessage(d drafts.Draft) string {
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

// commandOf returns the wsctl command equivalent to sending a draft.
func commandOf(d drafts.Draft) string {
	if d.Description {
		return d.Target.RequestCommand("update", textFlag("description", d.Text)...)
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
	return d.Target.Command(ofSpace, ofRequest, append(words, textFlag("body", d.Text)...)...)
}

// textFlag returns a flag with a text. A long text is read from a file.
func textFlag(flag, written string) []string {
	if len(written) > 60 || strings.Contains(written, "\n") {
		return []string{"--" + flag + "-file", "text.md"}
	}
	return []string{"--" + flag, written}
}

// view draws the quoted context, the text field, and any error above the keys.
func (c *composer) view(width, height int) []render.Line {
	about := c.draft.About
	if c.draft.Weight != "" {
		about = string(c.draft.Weight) + " · " + about
	}
	head := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "─ "+about+" ")}
	length := c.lengthNote()
	head = append(head, render.In(render.Dim, strings.Repeat("─", max(width-head.Width()-length.Width(), 0))))
	head = append(head, length...)
	var foot []render.Line
	switch reason := c.draft.TooLongReason(); {
	case reason != "":
		foot = append(foot, render.Line{render.In(render.Failure, "! "+reason+". It is kept.")}.Cut(width))
	case c.sending:
		foot = append(foot, render.Line{render.In(render.Dim, "Sending …")})
	case c.err != nil:
		for _, l := range remote.ErrorLines(c.err) {
			foot = append(foot, render.Line{render.In(render.Failure, "! "+l)}.Cut(width))
		}
		foot = append(foot, render.Line{
			render.In(render.Warning, "Not sent ("+remote.DescribeError(c.err).Label+"); the text is kept."),
		}.Cut(width))
	case c.saveErr != nil:
		foot = append(foot, render.Line{render.In(render.Failure, "! not kept on disk: "+c.saveErr.Error())}.Cut(width))
	}
	lines := []render.Line{head.Cut(width)}
	if c.onWords {
		foot = append(c.commentLines(width, height), foot...)
	} else {
		lines = append(lines, c.suggestionLines(width, height)...)
	}
	lines = append(lines, c.activeField().View(width, max(height-len(lines)-len(foot), 1))...)
	return append(lines, foot...)
}

// lengthNote shows the length of a text that comes near its limit.
func (c *composer) lengthNote() render.Line {
	n, limit := c.draft.Length(), c.draft.Limit()
	if n <= limit/2 {
		return nil
	}
	style := render.Style{Tone: render.Dim}
	if n > limit {
		style = render.Style{Tone: render.Failure, Bold: true}
	}
	return render.Line{render.NewSpan(style, fmt.Sprintf(" %d of %d characters", n, limit))}
}
