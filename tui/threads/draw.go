package threads

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// Under draws threads below the block whose text is given, "" where they stand elsewhere: a thread about a phrase of it
// quotes it.
func (t *Threads) Under(list []*Thread, block string, width int) []components.Row {
	var rows []components.Row
	for _, th := range list {
		rows = append(rows, t.rows(th, th.phraseOf(block), width)...)
		rows = append(rows, components.Row{Key: rows[len(rows)-1].Key, About: rows[len(rows)-1].About})
		rows = append(rows, t.unsentReplies(th, width)...)
	}
	return rows
}

// Brief draws a thread as one line: who said what on which page.
func (t *Threads) Brief(th *Thread, width int) components.Row {
	_, title := PageOf(th.Comment)
	left := text.Line{text.In(text.Warning, "● "), text.Of(text.Style{Bold: true}, t.frame.Session.NameOf(th.PostedBy))}
	if th.Suggestion != nil {
		left = append(left, text.In(text.Accent, " suggested an edit"))
	}
	if th.Weight != "" {
		left = append(left, text.Plain(" "), page.WeightSpan(th.Weight))
	}
	topic, right := text.Line{text.Plain(" “" + markdown.Gist(th.Body.Markdown) + "”")}, text.Line{text.In(text.Dim, title)}
	waits := t.Waits(th)
	if waits {
		words := text.Line{text.In(text.Fresh, " waits for you")}
		if left.Width()+words.Width()+topic.Width()+1+right.Width() > width {
			words = text.Line{text.In(text.Fresh, " → you")}
		}
		left = text.Join(left, words)
	}
	// The page yields to the beginning of what was said, by which threads are told apart.
	right = right.Cut(max(width-left.Width()-min(topic.Width(), leastTopic)-1, 0))
	if right.Width() < leastTitle && right.Width() < len([]rune(title)) {
		right = nil
	}
	left = text.Join(left, topic)
	line := text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	return components.Row{Key: page.CommentKey(th.ID), Line: line, About: components.Subject{Comment: th.ID}, Thread: true, Waits: waits}
}

// The widths of what was said that the title of the page yields to, and of the title that is still worth showing.
const (
	leastTopic = 18
	leastTitle = 8
)

// ofReview reports whether a thread is what somebody said with a verdict, of the request as a whole.
func (th *Thread) ofReview() bool { return th.Target.Review != "" && th.Target.Page == nil }

// Remaining draws the threads that have no block among those shown, each with what it was about.
func (t *Threads) Remaining(shown map[string]bool, width int) []components.Row {
	list, waiting := t.elsewhere(shown), append(t.UnsentOnWhole(width), t.unsentElsewhere(shown, width)...)
	if len(list)+len(waiting) == 0 {
		return nil
	}
	rows := []components.Row{{Key: "remaining", Line: text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, "On the page as a whole")}, Skip: true}}
	for _, th := range list {
		if was := th.Quoted(); was != "" {
			line := text.Line{text.In(text.Warning, "the text it was about is gone: "), text.Of(text.Style{Tone: text.Quote, Italic: true}, "“"+was+"”")}
			rows = append(rows, components.Row{Key: page.CommentKey(th.ID), Line: line.Cut(width), About: components.Subject{Comment: th.ID}})
		}
		rows = append(rows, t.Under([]*Thread{th}, "", width)...)
	}
	return append(rows, waiting...)
}

// rows draws a thread: the comment, its reactions, its replies. A resolved one is a line until it is opened.
func (t *Threads) rows(th *Thread, phrase string, width int) []components.Row {
	head := t.head(th)
	if th.Weight != "" {
		head = append(head, text.In(text.Dim, " · "), page.WeightSpan(th.Weight))
	}
	if th.ofReview() {
		head = append(head, text.In(text.Dim, " · of the review"))
	}
	if t.Waits(th) {
		head = append(head, text.In(text.Dim, " · "), text.In(text.Fresh, "waits for you"))
	}
	if !th.EditedAt.IsZero() {
		head = append(head, text.In(text.Dim, " · edited"))
	}
	applied := th.Outcome == api.OutcomeApplied // of course the text is another one now
	if note := th.anchorNote(); note != "" && !applied {
		head = append(head, text.In(text.Warning, " · "+note))
	}
	if phrase != "" && !applied {
		head = append(head, text.In(text.Dim, " · about "), text.Of(text.Style{Tone: text.Warning, Italic: true}, "“"+text.Excerpt(phrase)+"”"))
	}
	about := components.Subject{Comment: th.ID}
	if t.Folded(th.ID) {
		return []components.Row{{Key: page.CommentKey(th.ID), Line: foldedLine(th, head, width), About: about}}
	}
	var suggests []text.Line
	if th.Suggestion != nil {
		suggests = changes.Suggested(th.Suggestion.Original, th.Suggestion.Markdown, max(width-2, 1), t.marks())
	}
	rows := renderComment(page.CommentKey(th.ID), about, head, th.Body, suggests, th.Reactions, barTone(th), width)
	rows[0].Thread, rows[0].Waits = th.Status == api.CommentOpen, t.Waits(th)
	for _, r := range th.replies {
		head := text.Line{text.In(text.Accent, "↳ "), text.Of(text.Style{Bold: true}, t.frame.Session.NameOf(r.PostedBy)), text.In(text.Dim, " · "+t.frame.Session.Ago(r.PostedAt.Time))}
		about := components.Subject{Comment: th.ID, Reply: r.ID}
		rows = append(rows, renderComment(page.ReplyKey(r.ID), about, head, r.Body, nil, r.Reactions, barTone(th), width)...)
	}
	return rows
}

// foldedLine is a resolved thread that is not opened.
func foldedLine(th *Thread, head text.Line, width int) text.Line {
	line := text.Join(text.Line{text.In(barTone(th), "┃ ")}, head, text.Line{text.In(text.Dim, " · "+markdown.Gist(th.Body.Markdown))})
	var replies text.Line
	if n := len(th.replies); n > 0 {
		more := "reply"
		if n > 1 {
			more = "replies"
		}
		replies = text.Line{text.In(text.Dim, fmt.Sprintf(" · %d %s", n, more))}
	}
	return text.Join(line.Cut(max(width-replies.Width(), 1)), replies).Fill(text.Thread, width)
}

// barTone is the colour of the bar beside a thread.
func barTone(th *Thread) text.Tone {
	if th.Status == api.CommentResolved {
		return text.Dim
	}
	return text.Warning
}

// renderComment draws a comment or a reply: its head, its text, what it suggests and the reactions to it.
func renderComment(key string, about components.Subject, head text.Line, body api.CommentText, suggests []text.Line, reactions []api.Reaction, tone text.Tone, width int) []components.Row {
	bar := text.Line{text.In(tone, "┃ ")}
	inner := max(width-bar.Width(), 1)
	lines := append([]text.Line{head.Cut(inner)}, markdown.Render(body.Markdown, inner)...)
	lines = append(lines, suggests...)
	if len(reactions) > 0 {
		lines = append(lines, reactionLine(reactions).Cut(inner))
	}
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: key, Line: text.Join(bar, line).Fill(text.Thread, width), About: about}
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
