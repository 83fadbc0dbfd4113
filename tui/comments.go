package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// comments lists all threads of a place, each with what it is about.
type comments struct {
	frame
	threads threads
}

func newComments(s *session, at Place) *comments {
	return &comments{frame: newFrame(s), threads: threads{s: s, at: at}}
}

func (p *comments) title() string        { return "comments" }
func (p *comments) kind() string         { return "comments" }
func (p *comments) space() string        { return p.threads.at.Space }
func (p *comments) condition() condition { return p.threads.remote.condition() }
func (p *comments) load() tea.Cmd        { return p.threads.load() }

func (p *comments) update(msg tea.Msg) tea.Cmd {
	if p.threads.remote.take(msg) {
		p.stale = true
	}
	return nil
}

func (p *comments) rows(width int) []row {
	all := p.threads.remote.value
	if rows := stateRows(p.condition(), len(all) == 0, "Nobody has commented yet; c does.", width); rows != nil {
		return rows
	}
	width = measure(width)
	shown := p.threads.shown(func(*thread) bool { return true })
	var rows []row
	for _, th := range shown {
		rows = append(rows, row{key: "about/" + th.ID, line: aboutLine(th).Cut(width), about: subject{comment: th, page: pageOf(th)}})
		rows = append(rows, p.threads.under([]*thread{th}, width)...)
	}
	if hidden := len(all) - len(shown); hidden > 0 {
		rows = append(rows, row{key: "hidden", line: text.Line{text.In(text.Dim, fmt.Sprintf("%d resolved hidden; o shows them", hidden))}})
	}
	return rows
}

func pageOf(th *thread) string {
	if th.Target.Page == nil {
		return ""
	}
	return th.Target.Page.ID
}

func aboutLine(th *thread) text.Line {
	page := th.Target.Page
	if page == nil {
		return sectionTitle("On the whole")
	}
	line := sectionTitle(titled(page.Title))
	if was := th.quoted(); was != "" {
		line = append(line, text.Of(text.Style{Tone: text.Quote, Italic: true}, "  “"+was+"”"))
	}
	return line
}

// allComments is the action that opens the threads of a place.
func allComments(s *session, at *Place) action {
	return action{name: "comments", keys: keys("C"), help: "all comments", hint: "comments", do: func() tea.Cmd { return push(newComments(s, *at)) }}
}

func (p *comments) actions() []action {
	return append([]action{p.threads.commentOnWhole("comment on the whole")}, p.threads.actions(&p.frame)...)
}

// commentOnWhole is the action that begins a comment on all that a place holds.
func (t *threads) commentOnWhole(about string) action {
	return action{name: "comment", keys: keys("c"), help: "comment here", hint: "comment", do: func() tea.Cmd { return t.compose(Draft{About: about}) }}
}

func (p *comments) open() tea.Cmd {
	th := p.about().comment
	if th == nil || th.Target.Page == nil {
		return nil
	}
	return push(newReader(p.s, p.threads.at, api.RevisionPage{ID: th.Target.Page.ID, Title: th.Target.Page.Title}))
}
