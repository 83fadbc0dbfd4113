package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/text"
)

// thread is a comment with its replies.
type thread struct {
	api.Comment
	replies []api.CommentReply
}

// replyOf is a reply under the cursor.
type replyOf struct {
	to    *thread
	reply api.CommentReply
}

// threads are the comments of a place, or of one page of it, and what can be done with them.
type threads struct {
	s            *session
	at           Place
	page         string // only comments on this page
	hideResolved bool
	remote       remote[[]thread]
}

func (t *threads) load() tea.Cmd {
	at, page, client := t.at, t.page, t.s.client
	return t.remote.load(t.s, func(ctx context.Context) ([]thread, error) {
		comments, err := client.Comments(ctx, at, page)
		if err != nil {
			return nil, err
		}
		all := make([]thread, len(comments))
		for i, c := range comments {
			all[i].Comment = c
			if c.Replies == 0 {
				continue
			}
			if all[i].replies, err = client.Replies(ctx, at, c.ID); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
}

// shown returns the threads that fit, in the order of the server.
func (t *threads) shown(fits func(*thread) bool) []*thread {
	var out []*thread
	for i := range t.remote.value {
		th := &t.remote.value[i]
		if fits(th) && (!t.hideResolved || th.Status != api.CommentResolved) {
			out = append(out, th)
		}
	}
	return out
}

// on returns the threads on a block of the page.
func (t *threads) on(block string) []*thread {
	return t.shown(func(th *thread) bool { return th.block(t.page) == block })
}

// elsewhere returns the threads on the page whose block is not among those shown: on the page as a whole, or on a
// block that is gone. None is ever hidden for want of a place.
func (t *threads) elsewhere(blocks map[string]bool) []*thread {
	return t.shown(func(th *thread) bool { return !blocks[th.block(t.page)] })
}

// block is the block of a page that has the text of the thread now, "" if none has.
func (th *thread) block(page string) string {
	switch a, n := th.Target.Anchor, th.Target.Node; {
	case n == nil || a != nil && a.Page != page && page != "":
		return ""
	case a == nil:
		return n.ID
	default:
		return a.Node
	}
}

// fate says what became of the text that the thread is about, "" if nothing did.
func (th *thread) fate() string {
	if th.Target.Anchor != nil {
		switch th.Target.Anchor.State {
		case api.AnchorOrphaned:
			return "the text is gone"
		case api.AnchorMoved:
			return "the text is on another page"
		case api.AnchorFuzzy:
			return "the text was edited since"
		case api.AnchorExact, api.AnchorShifted:
			return ""
		}
	}
	if p := th.Target.Page; p != nil && p.Outdated {
		return "the text has changed since"
	}
	return ""
}

// quoted is the text that the thread is about, as it was; "" if that is a page or the whole.
func (th *thread) quoted() string {
	switch {
	case th.Target.Anchor != nil:
		return quote(th.Target.Anchor.Quote)
	case th.Target.Node != nil:
		return th.Target.Node.Preview
	default:
		return ""
	}
}

// rows draws a thread: the comment, its reactions, its replies.
func (t *threads) rows(th *thread, width int) []row {
	head := text.Line{statusSpan(th), text.Of(text.Style{Bold: true}, th.PostedBy.DisplayName), text.In(text.Dim, " · "+t.s.ago(th.PostedAt))}
	if !th.EditedAt.IsZero() {
		head = append(head, text.In(text.Dim, " · edited"))
	}
	if fate := th.fate(); fate != "" {
		head = append(head, text.In(text.Warning, " · "+fate))
	}
	about := subject{comment: th}
	rows := t.said(commentKey(th.ID), about, head, th.Body, th.Reactions, width)
	rows[0].thread = true
	for _, r := range th.replies {
		head := text.Line{text.In(text.Accent, "↳ "), text.Of(text.Style{Bold: true}, r.PostedBy.DisplayName), text.In(text.Dim, " · "+t.s.ago(r.PostedAt))}
		about := subject{comment: th, reply: &replyOf{th, r}}
		rows = append(rows, t.said(replyKey(r.ID), about, head, r.Body, r.Reactions, width)...)
	}
	return rows
}

// commentKey and replyKey name the rows of what somebody said.
func commentKey(id string) string { return "comment/" + id }
func replyKey(id string) string   { return "reply/" + id }

func statusSpan(th *thread) text.Span {
	if th.Status == api.CommentResolved {
		return text.In(text.Added, "✓ resolved ")
	}
	return text.In(text.Warning, "● open ")
}

func (t *threads) said(key string, about subject, head text.Line, body api.CommentText, reactions []api.Reaction, width int) []row {
	bar := text.Line{text.In(text.Accent, "┃ ")}
	inner := max(width-bar.Width(), 1)
	lines := append([]text.Line{head.Cut(inner)}, markdown.Render(body.Markdown, inner)...)
	if len(reactions) > 0 {
		lines = append(lines, reactionLine(reactions).Cut(inner))
	}
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{key: key, line: text.Join(bar, line), about: about}
	}
	return rows
}

func reactionLine(reactions []api.Reaction) text.Line {
	var parts []string
	for _, r := range reactions {
		parts = append(parts, fmt.Sprintf("%s %d", r.Emoji, r.Count))
	}
	return text.Line{text.In(text.Dim, strings.Join(parts, "  "))}
}

// actions are what can be done with the thread under the cursor of a page, and with the threads of the page.
func (t *threads) actions(f *frame) []action {
	none := func() string { return noThread(f.about()) }
	notMine := func() string { return t.notEditable(f.about()) }
	isThread := func(r row) bool { return r.thread }
	return []action{
		{name: "reply", keys: keys("r"), help: "reply", hint: "reply", do: func() tea.Cmd { return t.reply(f.about()) }, whyNot: none},
		{name: "resolve", keys: keys("x"), help: "resolve or reopen", hint: "resolve", do: func() tea.Cmd { return t.resolve(f.about()) }, whyNot: none},
		{name: "react", keys: keys("+"), help: "react", do: func() tea.Cmd { return t.react(f.about()) }, whyNot: none},
		{name: "edit", keys: keys("e"), help: "edit your text", do: func() tea.Cmd { return t.edit(f.about()) }, whyNot: notMine},
		{name: "thread-next", keys: keys("t"), help: "next thread", hint: "thread", do: f.next(1, isThread), moves: true},
		{name: "thread-previous", keys: keys("T"), help: "previous thread", do: f.next(-1, isThread), moves: true},
		{name: "resolved", keys: keys("o"), help: "show or hide resolved", do: t.turnResolved},
	}
}

// noThread says why there is no thread to act on.
func noThread(about subject) string {
	if about.comment == nil {
		return "put the cursor on a thread first: t goes to the next"
	}
	return ""
}

func (t *threads) turnResolved() tea.Cmd {
	t.hideResolved = !t.hideResolved
	if t.hideResolved {
		return toast("resolved threads are hidden")
	}
	return toast("all threads are shown")
}

func (t *threads) compose(d Draft) tea.Cmd {
	d.Place = t.at
	return send(composeMsg{d})
}

func (t *threads) reply(about subject) tea.Cmd {
	return t.compose(Draft{Comment: about.comment.ID, About: "reply to " + about.comment.PostedBy.DisplayName})
}

// resolve resolves an open thread and reopens a resolved one.
func (t *threads) resolve(about subject) tea.Cmd {
	resolved, done := true, "resolved"
	if about.comment.Status == api.CommentResolved {
		resolved, done = false, "reopened"
	}
	at, id := t.at, about.comment.ID
	return t.s.write(at.Space, done, func(ctx context.Context, key string) error {
		return t.s.client.UpdateComment(ctx, at, id, api.CommentUpdate{Resolved: api.Some(resolved)}, key)
	})
}

// notEditable says why there is no text of the user's own to edit.
func (t *threads) notEditable(about subject) string {
	if about.comment == nil {
		return noThread(about)
	}
	author := about.comment.PostedBy.ID
	if about.reply != nil {
		author = about.reply.reply.PostedBy.ID
	}
	if author != t.s.me.ID {
		return "only its author may edit a text"
	}
	return ""
}

func (t *threads) edit(about subject) tea.Cmd {
	d := Draft{Comment: about.comment.ID, Edit: true, About: "edit your comment", Text: about.comment.Body.Markdown}
	if about.reply != nil {
		d.Reply, d.About, d.Text = about.reply.reply.ID, "edit your reply", about.reply.reply.Body.Markdown
	}
	return t.compose(d)
}

// reactions are those on offer; what others used before can be joined too.
func reactions() []string { return []string{"👍", "👎", "🎉", "😕", "👀", "🚀"} }

func (t *threads) react(about subject) tea.Cmd {
	present := about.comment.Reactions
	if about.reply != nil {
		present = about.reply.reply.Reactions
	}
	var choices []choice
	for _, emoji := range reactions() {
		label := emoji
		mine := reacted(present, emoji, t.s.me.ID)
		if mine {
			label += " (take back)"
		}
		choices = append(choices, choice{label, t.reactWith(about, emoji, mine)})
	}
	return send(pickMsg{"React with", choices})
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

func (t *threads) reactWith(about subject, emoji string, remove bool) tea.Cmd {
	at, id, done := t.at, about.comment.ID, "reacted with "+emoji
	var added, removed []string
	if remove {
		removed, done = []string{emoji}, "took back "+emoji
	} else {
		added = []string{emoji}
	}
	return t.s.write(at.Space, done, func(ctx context.Context, key string) error {
		if about.reply != nil {
			body := api.ReplyUpdate{AddedReactions: added, RemovedReactions: removed}
			return t.s.client.UpdateReply(ctx, at, id, about.reply.reply.ID, body, key)
		}
		return t.s.client.UpdateComment(ctx, at, id, api.CommentUpdate{AddedReactions: added, RemovedReactions: removed}, key)
	})
}
