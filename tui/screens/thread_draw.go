package screens

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// blockThreadRows draws threads below a block with the given text; a thread about a part of the text quotes it. An empty
// text means that the threads have no block here.
func (t *threadsPart) blockThreadRows(list []*commentThread, block string, width int) []components.Row {
	var rows []components.Row
	for _, th := range list {
		rows = append(rows, t.threadRows(th, th.phraseIn(block), width)...)
		rows = append(rows, components.Row{Key: rows[len(rows)-1].Key, About: rows[len(rows)-1].About})
		rows = append(rows, t.unsentReplyRows(th, width)...)
	}
	return rows
}

// briefRow draws a thread as one line: its author, its text and its page.
func (t *threadsPart) briefRow(th *commentThread, width int) components.Row {
	_, title := PageOf(th.Comment)
	left := render.Line{render.In(render.Warning, "● "), render.NewSpan(render.Style{Bold: true}, t.frame.Session.UserName(th.PostedBy))}
	if th.Suggestion != nil {
		left = append(left, render.In(render.Accent, " suggested an edit"))
	}
	if th.Weight != "" {
		left = append(left, render.Plain(" "), page.WeightSpan(th.Weight))
	}
	topic, right := render.Line{render.Plain(" “" + render.Gist(th.Body.Markdown) + "”")}, render.Line{render.In(render.Dim, title)}
	waits := t.waitsForUser(th)
	if waits {
		words := render.Line{render.In(render.Fresh, " waits for you")}
		if left.Width()+words.Width()+topic.Width()+1+right.Width() > width {
			words = render.Line{render.In(render.Fresh, " → you")}
		}
		left = render.Join(left, words)
	}
	// The title of the page yields to the beginning of the text, which distinguishes the threads.
	right = right.Cut(max(width-left.Width()-min(topic.Width(), minTextWidth)-1, 0))
	if right.Width() < minTitleWidth && right.Width() < len([]rune(title)) {
		right = nil
	}
	left = render.Join(left, topic)
	line := render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	return components.Row{Key: page.CommentKey(th.ID), Line: line, About: components.Subject{Comment: th.ID}, Thread: true}
}

// The minimum width of the text, and of the title of the page.
const (
	minTextWidth  = 18
	minTitleWidth = 8
)

// isReviewText reports whether a thread is the text of a verdict on the whole request.
func (th *commentThread) isReviewText() bool { return th.Target.Review != "" && th.Target.Page == nil }

// remainingRows draws the threads without a block among shown, each with its quote.
func (t *threadsPart) remainingRows(shown map[string]bool, width int) []components.Row {
	list, waiting := t.threadsOutside(shown), append(t.unsentOnWholeRows(width), t.unsentElsewhereRows(shown, width)...)
	if len(list)+len(waiting) == 0 {
		return nil
	}
	rows := []components.Row{
		{
			Key: "remaining", Line: render.Line{
				render.NewSpan(render.Style{Tone: render.Heading, Bold: true}, "On the page as a whole"),
			}, Skip: true,
		},
	}
	for _, th := range list {
		if was := th.quote(); was != "" {
			line := render.Line{
				render.In(render.Warning, "the text it was about is gone: "), render.NewSpan(render.Style{Tone: render.Quote, Italic: true},
					"“"+was+"”"),
			}
			rows = append(rows, components.Row{
				Key: page.CommentKey(th.ID), Line: line.Cut(width), About: components.Subject{Comment: th.ID},
			})
		}
		rows = append(rows, t.blockThreadRows([]*commentThread{th}, "", width)...)
	}
	return append(rows, waiting...)
}

// threadRows draws a thread: the comment, its reactions, its replies. A resolved thread is one line until it is
// unfolded.
func (t *threadsPart) threadRows(th *commentThread, phrase string, width int) []components.Row {
	head := t.headLine(th)
	if th.Weight != "" {
		head = append(head, render.In(render.Dim, " · "), page.WeightSpan(th.Weight))
	}
	if th.isReviewText() {
		head = append(head, render.In(render.Dim, " · of the review"))
	}
	if t.waitsForUser(th) {
		head = append(head, render.In(render.Dim, " · "), render.In(render.Fresh, "waits for you"))
	}
	if !th.EditedAt.IsZero() {
		head = append(head, render.In(render.Dim, " · edited"))
	}
	applied := th.Outcome == api.OutcomeApplied // applying it has changed the text
	if note := th.anchorNote(); note != "" && !applied {
		head = append(head, render.In(render.Warning, " · "+note))
	}
	if phrase != "" && !applied {
		head = append(head, render.In(render.Dim, " · about "), render.NewSpan(render.Style{Tone: render.Warning, Italic: true},
			"“"+render.Excerpt(phrase)+"”"))
	}
	about := components.Subject{Comment: th.ID}
	if t.isFolded(th.ID) {
		return []components.Row{{Key: page.CommentKey(th.ID), Line: foldedLine(th, head, width), About: about}}
	}
	var suggests []render.Line
	if th.Suggestion != nil {
		suggests = render.SuggestionDiff(th.Suggestion.Original, th.Suggestion.Markdown, max(width-2, 1), t.marks())
	}
	comment := drawnComment{head: head, body: th.Body, suggestion: suggests, reactions: th.Reactions, tone: barTone(th)}
	rows := comment.rows(page.CommentKey(th.ID), about, width)
	rows[0].Thread = th.Status == api.CommentOpen
	for _, r := range th.replies {
		head := render.Line{
			render.In(render.Accent, "↳ "), render.NewSpan(render.Style{Bold: true}, t.frame.Session.UserName(r.PostedBy)),
			render.In(render.Dim, " · "+t.frame.Session.Ago(r.PostedAt.Time)),
		}
		about := components.Subject{Comment: th.ID, Reply: r.ID}
		reply := drawnComment{head: head, body: r.Body, reactions: r.Reactions, tone: barTone(th)}
		rows = append(rows, reply.rows(page.ReplyKey(r.ID), about, width)...)
	}
	return rows
}

// foldedLine draws a resolved, folded thread.
func foldedLine(th *commentThread, head render.Line, width int) render.Line {
	line := render.Join(render.Line{render.In(barTone(th), "┃ ")}, head, render.Line{
		render.In(render.Dim, " · "+render.Gist(th.Body.Markdown)),
	})
	var replies render.Line
	if n := len(th.replies); n > 0 {
		more := "reply"
		if n > 1 {
			more = "replies"
		}
		replies = render.Line{render.In(render.Dim, fmt.Sprintf(" · %d %s", n, more))}
	}
	return render.Join(line.Cut(max(width-replies.Width(), 1)), replies).Fill(render.Thread, width)
}

// barTone returns the colour of the bar at the left of a thread.
func barTone(th *commentThread) render.Tone {
	if th.Status == api.CommentResolved {
		return render.Dim
	}
	return render.Warning
}

// drawnComment is a comment or a reply to be drawn.
type drawnComment struct {
	head       render.Line
	body       api.CommentText
	suggestion []render.Line // lines of the suggestion
	reactions  []api.Reaction
	tone       render.Tone // of the bar at the left
}

// rows returns the rows of the comment: its head, its text, its suggestion and its reactions.
func (d drawnComment) rows(key string, about components.Subject, width int) []components.Row {
	bar := render.Line{render.In(d.tone, "┃ ")}
	inner := max(width-bar.Width(), 1)
	lines := append([]render.Line{d.head.Cut(inner)}, render.Render(d.body.Markdown, inner)...)
	lines = append(lines, d.suggestion...)
	if len(d.reactions) > 0 {
		lines = append(lines, reactionLine(d.reactions).Cut(inner))
	}
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: key, Line: render.Join(bar, line).Fill(render.Thread, width), About: about}
	}
	return rows
}

func reactionLine(reactions []api.Reaction) render.Line {
	var parts []string
	for _, r := range reactions {
		parts = append(parts, fmt.Sprintf("%s %d", r.Emoji, r.Count))
	}
	return render.Line{render.In(render.Dim, strings.Join(parts, "  "))}
}
