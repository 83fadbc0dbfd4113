package screens

import (
	"context"
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
	head    remote.Value[string] // the revision of the change request
}

func newComments(s *page.Session, at remote.Target) *comments {
	p := &comments{Frame: page.NewFrame(s), at: at}
	p.threads = threads.New(&p.Frame, at, "")
	p.threads.Head = func() string { return p.head.Latest }
	return p
}

func (p *comments) Title() string               { return "comments" }
func (p *comments) Kind() string                { return "comments" }
func (p *comments) Space() string               { return p.at.Space }
func (p *comments) Condition() remote.Condition { return p.threads.Condition() }

// Load asks for the head first: a suggestion is applied for no later one than it is shown for.
func (p *comments) Load() tea.Cmd {
	if p.at.ChangeRequest == "" {
		return p.threads.Load()
	}
	client, at := p.Session.Client, p.at
	head := p.head.Load(p.Session.Connection, func(ctx context.Context) (string, error) {
		of, err := client.ChangeRequest(ctx, at)
		return of.Revision, err
	})
	return tea.Sequence(head, p.threads.Load())
}

func (p *comments) Update(msg tea.Msg) tea.Cmd {
	if p.threads.Take(msg) || p.head.Take(msg) {
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
	for _, group := range byPage(shown) {
		rows = append(rows, p.groupRows(group, width)...)
	}
	if hidden := all - len(shown); hidden > 0 {
		rows = append(rows, components.Row{Key: "hidden", Line: text.Line{text.In(text.Dim, fmt.Sprintf("%d resolved, hidden", hidden))}})
	}
	return rows
}

// byPage groups threads by the page that they are on, those about the whole first.
func byPage(all []*threads.Thread) [][]*threads.Thread {
	groups := map[string][]*threads.Thread{}
	order := []string{""}
	for _, th := range all {
		id, _ := threads.PageOf(th.Comment)
		if !slices.Contains(order, id) {
			order = append(order, id)
		}
		groups[id] = append(groups[id], th)
	}
	var out [][]*threads.Thread
	for _, id := range order {
		if len(groups[id]) > 0 {
			out = append(out, groups[id])
		}
	}
	return out
}

// groupRows draw the threads of one page below its title.
func (p *comments) groupRows(group []*threads.Thread, width int) []components.Row {
	id, title := threads.PageOf(group[0].Comment)
	if id == "" {
		title = "On the whole"
	}
	open := 0
	for _, th := range group {
		if th.Status == api.CommentOpen {
			open++
		}
	}
	head := append(text.Section(text.Titled(title)), text.In(text.Dim, fmt.Sprintf("  %d open, %d resolved", open, len(group)-open)))
	rows := []components.Row{{Key: "about/" + id, Line: head.Cut(width), About: components.Subject{Page: id}}}
	for _, th := range group {
		if was := th.Quoted(); was != "" {
			line := text.Line{text.Of(text.Style{Tone: text.Quote, Italic: true}, "“"+was+"”")}
			rows = append(rows, components.Row{Key: page.CommentKey(th.ID), Line: line.Cut(width), About: components.Subject{Comment: th.ID}, Begin: th.Status == api.CommentOpen})
		}
		rows = append(rows, p.threads.Under([]*threads.Thread{th}, "", width)...)
	}
	return rows
}

// allComments is the action that opens the threads of a target.
func allComments(s *page.Session, at *remote.Target) components.Action {
	return components.Action{Name: "comments", Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: func() tea.Cmd { return page.Push(newComments(s, *at)) }}
}

func (p *comments) Actions() []components.Action {
	return p.threads.First(slices.Concat([]components.Action{p.threads.CommentOnWhole("comment on the whole")}, p.threads.Stepping(), p.threads.Actions(), []components.Action{
		p.threads.Editing(nil, threads.NoPage),
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.fold},
	}))
}

// Opens says what Open does.
func (p *comments) Opens() string {
	if th, _ := p.threads.Selected(); th != nil && th.Target.Page != nil {
		return "go to it"
	}
	return ""
}

// Open shows the place of the thread under the cursor.
func (p *comments) Open() tea.Cmd {
	if th, _ := p.threads.Selected(); th != nil {
		return showThread(p.Session, p.at, th.Comment)
	}
	return nil
}

// fold opens and folds the resolved thread under the cursor.
func (p *comments) fold() tea.Cmd {
	p.threads.TurnFold(p.About().Comment)
	return nil
}
