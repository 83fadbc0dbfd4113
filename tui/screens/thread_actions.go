package screens

import (
	"context"
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

// actions returns the actions on the thread under the cursor and on the threads of the page.
func (t *threadsPart) actions() []components.Action {
	return []components.Action{
		{Name: "reply", Keys: []string{"r"}, Help: "reply", Hint: "reply", Do: t.reply, DisabledReason: t.noThreadReason, OpensText: true},
		{Name: "resolve", Keys: []string{"x"}, Help: "resolve or reopen", Hint: "resolve", Do: t.resolve, DisabledReason: t.noThreadReason},
		{Name: "apply", Keys: []string{"A"}, Help: applyHelp, Hint: "apply", Do: t.apply, DisabledReason: t.notApplicableReason},
		{Name: "weight", Help: page.WeightHelp, Do: t.chooseWeight, DisabledReason: t.noWeightReason},
		{Name: "reattach", Help: "move the thread", Do: t.reattach, DisabledReason: t.notAttachableReason},
		{Name: "react", Keys: []string{"+"}, Help: "react", Do: t.react, DisabledReason: t.noThreadReason},
		t.dropAction(),
		{Name: "resolved", Help: "show or hide resolved threads", Do: t.toggleResolved},
		t.waitingAction(),
	}
}

// applyHelp is the help of the action that applies a suggestion or decisions to the change request.
const applyHelp = "apply the suggestion, or your decisions on conflicts"

// prependActions puts the actions on the thread under the cursor, if there is one, before the other actions of the
// page.
func (t *threadsPart) prependActions(all []components.Action) []components.Action {
	if t.frame == nil { // table of keys
		return all
	}
	if th, _ := t.selectedThread(); th == nil {
		return all
	}
	mine := map[string]bool{}
	for _, a := range t.actions() {
		mine[a.Name] = true
	}
	return slices.Concat(t.actions(), slices.DeleteFunc(all, func(a components.Action) bool { return mine[a.Name] }))
}

// editAction returns the action that edits the user's own text under the cursor, or else calls whole to edit the page at a
// quote. disabledReason returns the reason why the page cannot be edited, or "".
func (t *threadsPart) editAction(whole func(quote string) tea.Cmd, disabledReason func() string) components.Action {
	own := func() bool { th, _ := t.selectedThread(); return th != nil && t.notEditableReason() == "" }
	do := func() tea.Cmd {
		if d, ok := t.selectedDraft(); ok {
			return page.Ask(t.frame.Session, page.ComposeMsg{Draft: d})
		}
		if own() {
			return t.edit()
		}
		quote := t.frame.About().Quote
		if th, _ := t.selectedThread(); th != nil {
			quote = th.quote()
		}
		return whole(quote)
	}
	reason := func() string {
		if _, ok := t.selectedDraft(); ok {
			return ""
		}
		if own() {
			return ""
		}
		return disabledReason()
	}
	return components.Action{
		Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", Do: do, DisabledReason: reason,
		OpensText: true,
	}
}

// noPageReason returns the reason why there is no page to edit.
func noPageReason() string { return "put the cursor on a page, or on a comment of yours" }

// stepActions returns the actions that go through the open threads of a page that lists all of them, with a wrap
// around the end.
func (t *threadsPart) stepActions() []components.Action {
	return []components.Action{
		{
			Name: "thread-next", OfPage: true, Keys: []string{"n"}, Help: "next open thread", Hint: "open thread", Do: func() tea.Cmd {
				return t.step(1)
			}, DisabledReason: t.noThreadsReason, MovesCursor: true,
		},
		{
			Name: "thread-previous", OfPage: true, Keys: []string{"N"}, Help: "previous open thread", Do: func() tea.Cmd {
				return t.step(-1)
			}, DisabledReason: t.noThreadsReason, MovesCursor: true,
		},
	}
}

// noThreadsReason returns the reason why there is no thread to go to, or "".
func (t *threadsPart) noThreadsReason() string {
	if _, all := t.frame.List.Count(func(r components.Row) bool { return r.Thread }); all == 0 {
		return "no open threads here"
	}
	return ""
}

// step moves the cursor to another open thread, with a wrap around the end, and explains why if it does not move.
func (t *threadsPart) step(direction int) tea.Cmd {
	l := &t.frame.List
	before, _ := l.Position()
	fell := l.RowRemoved()
	l.StepThread(direction, true)
	now, _ := l.Position()
	switch {
	case now != before:
		return nil
	case fell:
		return components.Toast("this is the next open thread")
	default:
		return components.Toast("this is the only open thread")
	}
}

// commentHelp is the help of the action that starts a comment.
const commentHelp = "comment; on a thread, reply"

// commentActions returns the actions that start a comment on a page or on its block under the cursor. place returns the
// subject of a comment there; offText returns the reason why the row under the cursor is no text.
func (t *threadsPart) commentActions(title func() string, place func() components.Subject, offText func() string) []components.Action {
	return []components.Action{
		{
			Name: "comment", Keys: []string{"c"}, Help: commentHelp, Hint: "comment", Do: func() tea.Cmd {
				return t.commentHere(title(), place())
			}, OpensText: true,
		},
		{
			Name: "select", Keys: []string{"v"}, Help: "select words of the text under the cursor; begins at its first new word",
			Hint: "select", Do: t.selectWords(title), DisabledReason: t.noWordsReason(offText), OpensText: true,
		},
		{
			Name: "suggest", Keys: []string{"s"}, Help: "suggest another wording of the text under the cursor", Hint: "suggest",
			Do: func() tea.Cmd {
				return t.suggestBlock(title())
			}, DisabledReason: t.noSuggestionReason(offText), OpensText: true,
		},
		{
			Name: "comment-page", OfPage: true, Help: "comment on the page as a whole", Do: func() tea.Cmd {
				return t.commentOn(title(), components.Subject{})
			}, OpensText: true,
		},
	}
}

// commentOnWholeAction returns the action that starts a comment on the whole target.
func (t *threadsPart) commentOnWholeAction(about string) components.Action {
	return components.Action{
		Name: "comment", Keys: []string{"c"}, Help: commentHelp, Hint: "comment", Do: func() tea.Cmd {
			if cmd := t.continueText(); cmd != nil {
				return cmd
			}
			return t.compose(drafts.Draft{About: about})
		}, OpensText: true,
	}
}

// selectedThread returns the thread under the cursor, with the reply if the cursor is on one; nil if there is none.
func (t *threadsPart) selectedThread() (*commentThread, *api.CommentReply) {
	about := t.frame.About()
	for i := range t.remote.Latest {
		th := &t.remote.Latest[i]
		if th.ID != about.Comment {
			continue
		}
		for j := range th.replies {
			if th.replies[j].ID == about.Reply {
				return th, &th.replies[j]
			}
		}
		return th, nil
	}
	return nil, nil
}

// selectedText returns the text of the comment or the reply under the cursor, or "".
func (t *threadsPart) selectedText() string {
	switch th, reply := t.selectedThread(); {
	case reply != nil:
		return reply.Body.Markdown
	case th != nil:
		return th.Body.Markdown
	default:
		return ""
	}
}

// noThreadReason returns the reason why there is no thread under the cursor, or "".
func (t *threadsPart) noThreadReason() string {
	if th, _ := t.selectedThread(); th == nil {
		return "put the cursor on a thread first: n goes to the next open one"
	}
	return ""
}

// notEditableReason returns the reason why there is no text of the user to edit, or "".
func (t *threadsPart) notEditableReason() string {
	if th, _ := t.selectedThread(); th == nil {
		return t.noThreadReason()
	}
	if t.selectedAuthor().ID != t.frame.Session.Me.ID {
		return "only its author can edit it"
	}
	return ""
}

// notTextReason returns the reason why the row under the cursor cannot be commented on, or "".
func (t *threadsPart) notTextReason() string {
	if th, _ := t.selectedThread(); th != nil {
		return "put the cursor on the text: this is a thread (c replies)"
	}
	if _, ok := t.selectedDraft(); ok {
		return "this is a draft of yours: c and e edit it"
	}
	return ""
}

// continueText opens a reply to the thread under the cursor, or the draft under it. It returns nil if there is neither.
func (t *threadsPart) continueText() tea.Cmd {
	if d, ok := t.selectedDraft(); ok {
		return page.Ask(t.frame.Session, page.ComposeMsg{Draft: d})
	}
	if th, _ := t.selectedThread(); th != nil {
		return t.reply()
	}
	return nil
}

// commentHere starts a reply to the thread under the cursor, or a comment on a block or the page.
func (t *threadsPart) commentHere(title string, about components.Subject) tea.Cmd {
	if cmd := t.continueText(); cmd != nil {
		return cmd
	}
	return t.commentOn(title, about)
}

// commentOn starts a comment on a block of the page, or on the page if about has no block.
func (t *threadsPart) commentOn(title string, about components.Subject) tea.Cmd {
	d := drafts.Draft{Page: t.page, Title: title, About: "comment on the page " + render.DisplayTitle(title)}
	if about.Block != "" {
		d.Node, d.About = about.Block, "comment on “"+render.Gist(about.Quote)+"”"
	}
	return t.compose(d)
}

// noWordsReason returns a function for the reason why there are no words to select under the cursor.
func (t *threadsPart) noWordsReason(offText func() string) func() string {
	return func() string {
		if reason := offText(); reason != "" {
			return reason
		}
		if about := t.frame.About(); about.Block == "" || strings.TrimSpace(about.Quote) == "" {
			return "put the cursor on a text first"
		}
		return ""
	}
}

// selectWords returns the function that starts the selection of words in the block under the cursor, for a comment or
// a suggestion.
func (t *threadsPart) selectWords(title func() string) func() tea.Cmd {
	return func() tea.Cmd {
		about := t.frame.About()
		at := func(chosen components.Selection, kind string) drafts.Draft {
			start := chosen.Start + about.QuoteOffset
			return drafts.Draft{
				Page: t.page, Title: title(), Node: about.Block, Quote: chosen.Words, Start: &start, About: kind + " “" +
					render.Excerpt(chosen.Words) + "”",
			}
		}
		msg := page.SelectMsg{
			Text: about.Quote, From: about.AddedOffset, Comment: func(chosen components.Selection) tea.Cmd {
				return t.compose(at(chosen, "comment on"))
			},
		}
		if t.target.ChangeRequest != "" {
			msg.Suggest = func(chosen components.Selection) tea.Cmd {
				d := at(chosen, "suggestion for")
				d.Original = chosen.Words
				return t.suggest(d)
			}
		}
		return page.Ask(t.frame.Session, msg)
	}
}

func (t *threadsPart) compose(d drafts.Draft) tea.Cmd {
	return page.Ask(t.frame.Session, page.ComposeMsg{Draft: t.newDraft(d)})
}

// newDraft returns d with the target and, unless d has a revision or belongs to a comment, with the shown revision.
func (t *threadsPart) newDraft(d drafts.Draft) drafts.Draft {
	d.Target = t.target
	if t.shownRevision != nil && d.Revision == "" && d.Comment == "" {
		d.Revision = t.shownRevision()
	}
	return d
}

func (t *threadsPart) toggleResolved() tea.Cmd {
	t.hideResolved = !t.hideResolved
	if t.hideResolved {
		return components.Toast("resolved threads are hidden")
	}
	return components.Toast("all threads are shown")
}

// toggleWaiting shows only the threads that wait for the user, or all.
func (t *threadsPart) toggleWaiting() tea.Cmd {
	if t.onlyWaiting = !t.onlyWaiting; t.onlyWaiting {
		return components.Toast("only the threads that wait for you are shown")
	}
	return components.Toast("all threads are shown")
}

func (t *threadsPart) reply() tea.Cmd {
	th, _ := t.selectedThread()
	to := "reply to " + th.PostedBy.DisplayName
	if th.PostedBy.ID == t.frame.Session.Me.ID {
		to = "reply in your thread"
	}
	return t.compose(drafts.Draft{Comment: th.ID, About: to})
}

func (t *threadsPart) edit() tea.Cmd {
	th, reply := t.selectedThread()
	d := drafts.Draft{Comment: th.ID, Edit: true, About: "edit your comment", Text: th.Body.Markdown}
	if th.Suggestion != nil { // the server accepts no other text
		d.About = "edit your comment; to suggest other words, delete it (X) and suggest again"
	}
	if reply != nil {
		d.Reply, d.About, d.Text = reply.ID, "edit your reply", reply.Body.Markdown
	}
	d.Original = d.Text
	return t.compose(d)
}

// reactions returns the reactions on offer. The user can also join other reactions that are present.
func reactions() []string { return []string{"👍", "👎", "🎉", "😕", "👀", "🚀"} }

// react offers the reactions; choosing one that the user gave before removes it.
func (t *threadsPart) react() tea.Cmd {
	th, reply := t.selectedThread()
	present := th.Reactions
	if reply != nil {
		present = reply.Reactions
	}
	var choices []components.Choice
	for _, emoji := range reactions() {
		label, add, remove, done := emoji, []string{emoji}, []string(nil), "reacted with "+emoji
		if hasReacted(present, emoji, t.frame.Session.Me.ID) {
			label, add, remove, done = emoji+" (take back)", nil, []string{emoji}, "took back "+emoji
		}
		cmd := t.frame.Session.Write(remote.ChangedMsg{
			Space: t.target.Space, Done: done, Undo: t.frame.Session.Write(remote.ChangedMsg{Space: t.target.Space, Done: "undone"},
				t.changeReactions(th.ID, reply, remove, add)),
		}, t.changeReactions(th.ID, reply, add, remove))
		choices = append(choices, components.Choice{Label: label, Cmd: cmd})
	}
	return page.Ask(t.frame.Session, page.PickMsg{Question: "React with", Choices: choices})
}

// changeReactions returns the write that adds and removes reactions of a comment or, if reply is not nil, of the
// reply.
func (t *threadsPart) changeReactions(comment string, reply *api.CommentReply, add, remove []string) func(
	ctx context.Context, key string,
) error {
	content := t.frame.Session.Client.Content(t.target)
	if reply == nil {
		return func(ctx context.Context, key string) error {
			return content.UpdateComment(ctx, comment, api.CommentUpdate{AddedReactions: add, RemovedReactions: remove}, key)
		}
	}
	id := reply.ID
	return func(ctx context.Context, key string) error {
		return content.UpdateReply(ctx, comment, id, api.ReplyUpdate{AddedReactions: add, RemovedReactions: remove}, key)
	}
}

func hasReacted(present []api.Reaction, emoji, user string) bool {
	for _, r := range present {
		for _, u := range r.Users {
			if r.Emoji == emoji && u.User.ID == user {
				return true
			}
		}
	}
	return false
}
