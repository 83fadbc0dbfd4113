package screens

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
	"docspace.dev/wsd/tui/threads"
)

// comments lists all threads of a target, each with what it is about.
type comments struct {
	page.Frame
	at      remote.Target
	threads threads.Threads
}

func newComments(s *page.Session, at remote.Target) *comments {
	p := &comments{Frame: page.NewFrame(s), at: at}
	p.threads = threads.New(&p.Frame, at, "")
	return p
}

func (p *comments) Title() string               { return "comments" }
func (p *comments) Kind() string                { return "comments" }
func (p *comments) Space() string               { return p.at.Space }
func (p *comments) Condition() remote.Condition { return p.threads.Condition() }
func (p *comments) Load() tea.Cmd               { return p.threads.Load() }

func (p *comments) Update(msg tea.Msg) tea.Cmd {
	if p.threads.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *comments) Rows(width int) []components.Row {
	all := p.threads.Count()
	if rows := page.StateRows(p.Condition(), all == 0, "No comments yet; c writes the first.", width); rows != nil {
		return rows
	}
	width = text.Measure(width)
	shown := p.threads.Shown(func(*threads.Thread) bool { return true })
	var rows []components.Row
	for _, th := range shown {
		rows = append(rows, components.Row{Key: "about/" + th.ID, Line: aboutLine(th).Cut(width), About: components.Subject{Comment: th.ID}})
		rows = append(rows, p.threads.Under([]*threads.Thread{th}, "", width)...)
	}
	if hidden := all - len(shown); hidden > 0 {
		rows = append(rows, components.Row{Key: "hidden", Line: text.Line{text.In(text.Dim, fmt.Sprintf("%d resolved, hidden", hidden))}})
	}
	return rows
}

func aboutLine(th *threads.Thread) text.Line {
	page := th.Target.Page
	if page == nil {
		return text.Section("On the whole")
	}
	line := text.Section(text.Titled(page.Title))
	if was := th.Quoted(); was != "" {
		line = append(line, text.Of(text.Style{Tone: text.Quote, Italic: true}, "  “"+was+"”"))
	}
	return line
}

// allComments is the action that opens the threads of a target.
func allComments(s *page.Session, at *remote.Target) components.Action {
	return components.Action{Name: "comments", Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: func() tea.Cmd { return page.Push(newComments(s, *at)) }}
}

func (p *comments) Actions() []components.Action {
	return slices.Concat([]components.Action{p.threads.CommentOnWhole("comment on the whole")}, p.threads.Stepping(), p.threads.Actions())
}

func (p *comments) Open() tea.Cmd {
	th, _ := p.threads.Selected()
	if th == nil || th.Target.Page == nil {
		return nil
	}
	return page.Push(newReader(p.Session, p.at, api.RevisionPage{ID: th.Target.Page.ID, Title: th.Target.Page.Title}))
}
