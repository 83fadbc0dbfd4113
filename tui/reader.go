package tui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/text"
)

// reader shows a page as it is read, with its threads under their blocks.
type reader struct {
	frame
	at      Place
	page    api.RevisionPage
	remote  remote[api.RevisionPage]
	threads threads
}

func newReader(s *session, at Place, page api.RevisionPage) *reader {
	return &reader{frame: newFrame(s), at: at, page: page, threads: threads{s: s, at: at, page: page.ID}}
}

func (p *reader) title() string        { return titled(p.page.Title) }
func (p *reader) kind() string         { return "page" }
func (p *reader) open() tea.Cmd        { return nil }
func (p *reader) space() string        { return p.at.Space }
func (p *reader) condition() condition { return p.remote.condition().and(p.threads.remote.condition()) }

func (p *reader) load() tea.Cmd {
	client, at, id := p.s.client, p.at, p.page.ID
	page := p.remote.load(p.s, func(ctx context.Context) (api.RevisionPage, error) { return client.Page(ctx, at, id) })
	return tea.Batch(page, p.threads.load())
}

func (p *reader) update(msg tea.Msg) tea.Cmd {
	if p.remote.take(msg) {
		if p.remote.err == nil {
			p.page = p.remote.value
		}
		p.stale = true
	}
	if p.threads.remote.take(msg) {
		p.stale = true
	}
	return nil
}

func (p *reader) rows(width int) []row {
	if rows := stateRows(p.remote.condition(), false, "", width); rows != nil {
		return rows
	}
	blocks := passages(p.remote.value)
	shown := map[string]bool{}
	var rows []row
	width = measure(width)
	for _, b := range blocks {
		shown[b.id] = true
		rows = append(rows, blockRows(b, width)...)
		rows = append(rows, p.threads.under(p.threads.on(b.id), width)...)
	}
	if len(rows) == 0 {
		rows = notice(width, text.In(text.Dim, "This page has no text."))
	}
	return append(rows, p.threads.remaining(shown, width)...)
}

// blockRows renders a block of a page; an empty line follows it, but not between the items of a list.
func blockRows(b passage, width int) []row {
	about := subject{page: b.page, block: b.id, quote: b.text}
	var rows []row
	for _, line := range renderBlock(b, width) {
		rows = append(rows, row{key: "block/" + b.id, line: line, about: about})
	}
	if !b.inList && len(rows) > 0 {
		rows = append(rows, row{key: "block/" + b.id, about: about})
	}
	return rows
}

func renderBlock(b passage, width int) []text.Line {
	if b.kind == "frontmatter" {
		return markdown.Source(b.text, text.Style{Tone: text.Dim}, width)
	}
	return markdown.Render(b.text, width)
}

// under draws threads below their block.
func (t *threads) under(list []*thread, width int) []row {
	var rows []row
	for _, th := range list {
		rows = append(rows, t.rows(th, width)...)
		rows = append(rows, row{key: rows[len(rows)-1].key, about: rows[len(rows)-1].about})
	}
	return rows
}

// remaining draws the threads that have no block among those shown, each with what it was about.
func (t *threads) remaining(shown map[string]bool, width int) []row {
	list := t.elsewhere(shown)
	if len(list) == 0 {
		return nil
	}
	rows := []row{{key: "remaining", line: text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, "On the page as a whole")}}}
	for _, th := range list {
		if was := th.quoted(); was != "" {
			line := text.Line{text.In(text.Warning, "its text is not here: "), text.Of(text.Style{Tone: text.Quote, Italic: true}, "“"+was+"”")}
			rows = append(rows, row{key: commentKey(th.ID), line: line.Cut(width), about: subject{comment: th}})
		}
		rows = append(rows, t.under([]*thread{th}, width)...)
	}
	return rows
}

func (p *reader) actions() []action {
	return slices.Concat(
		p.threads.commenting(&p.frame, func() api.RevisionPage { return p.page }),
		p.threads.actions(&p.frame),
		[]action{allComments(p.s, &p.at)},
	)
}

// commenting are the actions that begin a comment on a page or on its block under the cursor.
func (t *threads) commenting(f *frame, page func() api.RevisionPage) []action {
	return []action{
		{
			name: "comment", keys: keys("c"), help: "comment here", hint: "comment",
			do: func() tea.Cmd { return t.commentOn(page(), f.about()) }, whyNot: func() string { return notText(f.about()) },
		},
		{name: "comment-page", keys: keys("p"), help: "comment on the page", do: func() tea.Cmd { return t.commentOn(page(), subject{}) }},
	}
}

// notText says why what is under the cursor is nothing to comment on.
func notText(about subject) string {
	if about.comment != nil {
		return "r replies to this thread; to comment, put the cursor on the text"
	}
	return ""
}

// commentOn begins a comment on a block of a page, or on the page where there is no block.
func (t *threads) commentOn(page api.RevisionPage, about subject) tea.Cmd {
	d := Draft{Page: page.ID, About: "comment on the page " + titled(page.Title)}
	if about.block != "" {
		d.Node, d.About = about.block, "comment on “"+quote(about.quote)+"”"
	}
	return t.compose(d)
}

// quote is the beginning of a text on one line.
func quote(s string) string {
	return text.Line{text.Plain(strings.Join(strings.Fields(s), " "))}.Cut(60).String()
}
