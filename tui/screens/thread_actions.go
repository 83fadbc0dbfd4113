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

// Actions are what can be done with the thread under the cursor, and with the threads of the page.
func (t *Threads) Actions() []components.Action {
	return []components.Action{
		{Name: "reply", Keys: []string{"r"}, Help: "reply", Hint: "reply", Do: t.reply, WhyNot: t.notOnThread},
		{Name: "resolve", Keys: []string{"x"}, Help: "resolve or reopen", Hint: "resolve", Do: t.resolve, WhyNot: t.notOnThread},
		{Name: "apply", Keys: []string{"A"}, Help: Apply, Hint: "apply", Do: t.apply, WhyNot: t.notApplied},
		{Name: "weight", Help: page.Weight, Do: t.weigh, WhyNot: t.weightless},
		{Name: "reattach", Help: "move the thread", Do: t.reattach, WhyNot: t.notAttached},
		{Name: "react", Keys: []string{"+"}, Help: "react", Do: t.react, WhyNot: t.notOnThread},
		t.dropping(),
		{Name: "resolved", Help: "show or hide resolved threads", Do: t.turnResolved},
	}
}

// Apply is the help of what writes a suggestion, or decisions, into the change request.
const Apply = "apply the suggestion, or your decisions on conflicts"

// First puts what can be done with the thread under the cursor, if there is one, before the other actions of its page.
func (t *Threads) First(all []components.Action) []components.Action {
	if t.frame == nil { // for the table of keys
		return all
	}
	if th, _ := t.Selected(); th == nil {
		return all
	}
	mine := map[string]bool{}
	for _, a := range t.Actions() {
		mine[a.Name] = true
	}
	return slices.Concat(t.Actions(), slices.DeleteFunc(all, func(a components.Action) bool { return mine[a.Name] }))
}

// Editing is the action that edits the user's own text under the cursor, or else the page; whyNot says why there is none.
func (t *Threads) Editing(whole func() tea.Cmd, whyNot func() string) components.Action {
	do := func() tea.Cmd {
		if d, ok := t.Draft(); ok {
			return page.Ask(t.frame.Session, page.ComposeMsg{Draft: d})
		}
		if th, _ := t.Selected(); th != nil {
			return t.edit()
		}
		return whole()
	}
	why := func() string {
		if _, ok := t.Draft(); ok {
			return ""
		}
		if th, _ := t.Selected(); th != nil {
			return t.notEditable()
		}
		return whyNot()
	}
	return components.Action{Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", Do: do, WhyNot: why}
}

// NoPage says that there is no page to edit.
func NoPage() string { return "put the cursor on a page, or on a comment of yours" }

// Stepping are the actions that go from one open thread to the next on a page that lists all that there are, around the end.
func (t *Threads) Stepping() []components.Action {
	return []components.Action{
		{Name: "thread-next", Keys: []string{"n"}, Help: "next open thread", Hint: "open thread", Do: func() tea.Cmd { return t.Step(1) }, Moves: true},
		{Name: "thread-previous", Keys: []string{"N"}, Help: "previous open thread", Do: func() tea.Cmd { return t.Step(-1) }, Moves: true},
	}
}

// Step goes to another open thread, and says where that cannot be seen.
func (t *Threads) Step(direction int) tea.Cmd {
	l := &t.frame.List
	_, all := l.Count(func(r components.Row) bool { return r.Thread })
	before, _ := l.Position()
	fell := l.Fell()
	l.Walk(direction, true)
	now, _ := l.Position()
	switch {
	case all == 0:
		return components.Toast("no open threads here")
	case now == before && fell:
		return components.Toast("this is the next open thread")
	case now == before:
		return components.Toast("this is the only open thread")
	default:
		return nil
	}
}

// Commenting are the actions that begin a comment on a page or on its block under the cursor; offText says why what is
// under the cursor cannot be commented on.
func (t *Threads) Commenting(title, offText func() string) []components.Action {
	return []components.Action{
		{
			Name: "comment", Keys: []string{"c"}, Help: "comment", Hint: "comment",
			Do: func() tea.Cmd { return t.commentOn(title(), t.frame.About()) }, WhyNot: offText,
		},
		{Name: "select", Keys: []string{"v"}, Help: "select words of the text under the cursor; begins at its first new word", Hint: "select", Do: t.selectWords(title), WhyNot: t.noWords(offText)},
		{Name: "suggest", Keys: []string{"s"}, Help: "suggest another wording of the text under the cursor, in $EDITOR", Hint: "suggest", Do: func() tea.Cmd { return t.suggestBlock(title()) }, WhyNot: t.noSuggestion(offText)},
		{Name: "comment-page", Help: "comment on the page as a whole", Do: func() tea.Cmd { return t.commentOn(title(), components.Subject{}) }},
	}
}

// CommentOnWhole is the action that begins a comment on all that a target holds.
func (t *Threads) CommentOnWhole(about string) components.Action {
	return components.Action{Name: "comment", Keys: []string{"c"}, Help: "comment", Hint: "comment", Do: func() tea.Cmd { return t.compose(drafts.Draft{About: about}) }}
}

// Selected is the thread under the cursor, with the reply under it if there is one; nil if there is none.
func (t *Threads) Selected() (*Thread, *api.CommentReply) {
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

// Said is what the comment or the reply under the cursor says, "" where there is none.
func (t *Threads) Said() string {
	switch th, reply := t.Selected(); {
	case reply != nil:
		return reply.Body.Markdown
	case th != nil:
		return th.Body.Markdown
	default:
		return ""
	}
}

// notOnThread says why there is no thread to act on.
func (t *Threads) notOnThread() string {
	if th, _ := t.Selected(); th == nil {
		return "put the cursor on a thread first: n goes to the next open one"
	}
	return ""
}

// notEditable says why there is no text of the user's own to edit.
func (t *Threads) notEditable() string {
	if th, _ := t.Selected(); th == nil {
		return t.notOnThread()
	}
	if t.author().ID != t.frame.Session.Me.ID {
		return "only its author can edit it"
	}
	return ""
}

// NotText says why what is under the cursor is nothing to comment on.
func (t *Threads) NotText() string {
	if th, _ := t.Selected(); th != nil {
		return "r replies to this thread; to comment, put the cursor on the text"
	}
	if _, ok := t.Draft(); ok {
		return "this is a draft of yours: e edits it"
	}
	return ""
}

// commentOn begins a comment on a block of the page, or on the page where there is no block.
func (t *Threads) commentOn(title string, about components.Subject) tea.Cmd {
	d := drafts.Draft{Page: t.page, Title: title, About: "comment on the page " + render.Titled(title)}
	if about.Block != "" {
		d.Node, d.About = about.Block, "comment on “"+render.Gist(about.Quote)+"”"
	}
	return t.compose(d)
}

// noWords returns what says why there are no words to select under the cursor.
func (t *Threads) noWords(offText func() string) func() string {
	return func() string {
		if why := offText(); why != "" {
			return why
		}
		if about := t.frame.About(); about.Block == "" || strings.TrimSpace(about.Quote) == "" {
			return "put the cursor on a text first"
		}
		return ""
	}
}

// selectWords returns what has words of the block under the cursor chosen, to comment on them or to suggest others.
func (t *Threads) selectWords(title func() string) func() tea.Cmd {
	return func() tea.Cmd {
		about := t.frame.About()
		at := func(chosen components.Selection, what string) drafts.Draft {
			start := chosen.Start + about.Lead
			return drafts.Draft{Page: t.page, Title: title(), Node: about.Block, Quote: chosen.Words, Start: &start, About: what + " “" + render.Excerpt(chosen.Words) + "”"}
		}
		msg := page.SelectMsg{Text: about.Quote, From: about.Fresh, Comment: func(chosen components.Selection) tea.Cmd { return t.compose(at(chosen, "comment on")) }}
		if t.at.ChangeRequest != "" {
			msg.Suggest = func(chosen components.Selection) tea.Cmd {
				d := at(chosen, "suggestion for")
				d.Original = chosen.Words
				return t.suggest(d)
			}
		}
		return page.Ask(t.frame.Session, msg)
	}
}

func (t *Threads) compose(d drafts.Draft) tea.Cmd {
	return page.Ask(t.frame.Session, page.ComposeMsg{Draft: t.here(d)})
}

// here is a draft of the target, written on what is shown of it.
func (t *Threads) here(d drafts.Draft) drafts.Draft {
	d.Target = t.at
	if t.Head != nil && d.Revision == "" && d.Comment == "" {
		d.Revision = t.Head()
	}
	return d
}

func (t *Threads) turnResolved() tea.Cmd {
	t.HideResolved = !t.HideResolved
	if t.HideResolved {
		return components.Toast("resolved threads are hidden")
	}
	return components.Toast("all threads are shown")
}

func (t *Threads) reply() tea.Cmd {
	th, _ := t.Selected()
	to := "reply to " + th.PostedBy.DisplayName
	if th.PostedBy.ID == t.frame.Session.Me.ID {
		to = "reply in your thread"
	}
	return t.compose(drafts.Draft{Comment: th.ID, About: to})
}

func (t *Threads) edit() tea.Cmd {
	th, reply := t.Selected()
	d := drafts.Draft{Comment: th.ID, Edit: true, About: "edit your comment", Text: th.Body.Markdown}
	if th.Suggestion != nil { // the server takes no other words for it
		d.About = "edit your comment; to suggest other words, delete it (X) and suggest again"
	}
	if reply != nil {
		d.Reply, d.About, d.Text = reply.ID, "edit your reply", reply.Body.Markdown
	}
	return t.compose(d)
}

// reactions are those on offer; what others used before can be joined too.
func reactions() []string { return []string{"👍", "👎", "🎉", "😕", "👀", "🚀"} }

// react offers the reactions; one that the user gave before is taken back.
func (t *Threads) react() tea.Cmd {
	th, reply := t.Selected()
	present := th.Reactions
	if reply != nil {
		present = reply.Reactions
	}
	var choices []components.Choice
	for _, emoji := range reactions() {
		label, add, remove, done := emoji, []string{emoji}, []string(nil), "reacted with "+emoji
		if reacted(present, emoji, t.frame.Session.Me.ID) {
			label, add, remove, done = emoji+" (take back)", nil, []string{emoji}, "took back "+emoji
		}
		cmd := t.frame.Session.Write(remote.ChangedMsg{
			Space: t.at.Space, Done: done, Undo: t.frame.Session.Write(remote.ChangedMsg{Space: t.at.Space, Done: "undone"}, t.changeReactions(th.ID, reply, remove, add)),
		}, t.changeReactions(th.ID, reply, add, remove))
		choices = append(choices, components.Choice{Label: label, Cmd: cmd})
	}
	return page.Ask(t.frame.Session, page.PickMsg{Question: "React with", Choices: choices})
}

// changeReactions returns what gives and takes back reactions to a comment or, if reply is one, to that.
func (t *Threads) changeReactions(comment string, reply *api.CommentReply, add, remove []string) func(ctx context.Context, key string) error {
	content := t.frame.Session.Client.Content(t.at)
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

func reacted(present []api.Reaction, emoji, user string) bool {
	for _, r := range present {
		for _, u := range r.Users {
			if r.Emoji == emoji && u.User.ID == user {
				return true
			}
		}
	}
	return false
}
