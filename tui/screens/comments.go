package screens

import (
	"cmp"
	"context"
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

// comments lists all threads of a target, each with what it is about.
type comments struct {
	page.Frame
	at      remote.Target
	threads Threads
	of      remote.Value[api.ChangeRequest] // where it is one
	tree    remote.Value[[]api.RevisionPage]
}

func newComments(s *page.Session, at remote.Target) *comments {
	p := &comments{Frame: page.NewFrame(s), at: at}
	p.threads = NewThreads(&p.Frame, at, "")
	p.threads.Head = func() string { return p.of.Latest.Revision }
	return p
}

func (p *comments) Title() string               { return "comments" }
func (p *comments) Kind() string                { return "comments" }
func (p *comments) Space() string               { return p.at.Space }
func (p *comments) Condition() remote.Condition { return p.threads.Condition() }

// Load asks for the head first: a suggestion is applied for no later one than it is shown for.
func (p *comments) Load() tea.Cmd {
	client, at := p.Session.Client, p.at
	tree := p.tree.Load(p.Session.Connection, client.Content(at).Pages)
	if at.ChangeRequest == "" {
		return tea.Batch(p.threads.Load(), tree)
	}
	of := p.of.Load(p.Session.Connection, func(ctx context.Context) (api.ChangeRequest, error) { return client.ChangeRequest(ctx, at) })
	return tea.Batch(tea.Sequence(of, p.threads.Load()), tree)
}

func (p *comments) Update(msg tea.Msg) tea.Cmd {
	if p.threads.Take(msg) || p.of.Take(msg) || p.tree.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *comments) Rows(width int) []components.Row {
	all, groups := p.threads.Count(), p.groups()
	if rows := page.StateRows(p.Condition(), len(groups) == 0 && all == 0, "No comments yet; c writes the first.", width); rows != nil {
		return rows
	}
	width = render.Measure(width)
	var rows []components.Row
	for _, g := range groups {
		rows = append(rows, p.groupRows(g, width)...)
	}
	if hidden := all - len(p.threads.Shown(func(*Thread) bool { return true })); hidden > 0 {
		rows = append(rows, components.Row{Key: "hidden", Line: render.Line{render.In(render.Dim, fmt.Sprintf("%d resolved, hidden", hidden))}})
	}
	return rows
}

// group is what is said of a page, or of the whole where the id is empty: threads, and drafts that begin one.
type group struct {
	id, title string
	threads   []*Thread
	drafts    []drafts.Draft
}

// groups are those about the whole first, and then as the pages stand; what is about pages that are gone comes last. No draft
// is left out: one that answers a thread that is not shown stands with the whole.
func (p *comments) groups() []group {
	var all []group
	of := func(id, title string) *group {
		at := slices.IndexFunc(all, func(g group) bool { return g.id == id })
		if at < 0 {
			at, all = len(all), append(all, group{id: id, title: title})
		}
		return &all[at]
	}
	for _, th := range p.threads.Shown(func(*Thread) bool { return true }) {
		g := of(PageOf(th.Comment))
		g.threads = append(g.threads, th)
	}
	for _, d := range p.threads.Loose() {
		g := of(d.Page, d.Title)
		g.drafts = append(g.drafts, d)
	}
	var order []string
	for _, e := range remote.InOrder(p.tree.Latest) {
		order = append(order, e.Page.ID)
	}
	slices.SortStableFunc(all, func(a, b group) int {
		if (a.id == "") != (b.id == "") {
			return map[bool]int{true: -1, false: 1}[a.id == ""]
		}
		return cmp.Compare(Place(a.id, order), Place(b.id, order))
	})
	return all
}

// says counts what is in a group.
func (g group) says() string {
	var said []string
	if n := len(g.threads); n > 0 {
		open := 0
		for _, th := range g.threads {
			if th.Status == api.CommentOpen {
				open++
			}
		}
		said = append(said, fmt.Sprintf("%d open, %d resolved", open, n-open))
	}
	if n := len(g.drafts); n > 0 {
		said = append(said, render.Plural(n, "draft")+" not sent")
	}
	return strings.Join(said, " · ")
}

// groupRows draw a group below its title.
func (p *comments) groupRows(g group, width int) []components.Row {
	title := g.title
	if g.id == "" {
		title = "On the whole"
	}
	head := append(render.Section(render.Titled(title)), render.In(render.Dim, "  "+g.says()))
	rows := []components.Row{{Key: "about/" + g.id, Line: head.Cut(width), About: components.Subject{Page: g.id}}}
	for _, th := range g.threads {
		if was := th.Quoted(); was != "" {
			line := render.Line{render.Of(render.Style{Tone: render.Quote, Italic: true}, "“"+was+"”")}
			rows = append(rows, components.Row{Key: page.CommentKey(th.ID), Line: line.Cut(width), About: components.Subject{Comment: th.ID}, Begin: th.Status == api.CommentOpen})
		}
		rows = append(rows, p.threads.Under([]*Thread{th}, "", width)...)
	}
	return append(rows, p.threads.Drafted(g.drafts, width)...)
}

// allComments is the action that opens the threads of a target.
func allComments(s *page.Session, at *remote.Target) components.Action {
	return components.Action{Name: "comments", Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: func() tea.Cmd { return page.Push(newComments(s, *at)) }}
}

func (p *comments) Actions() []components.Action {
	var submit []components.Action
	if p.Session == nil || p.at.ChangeRequest != "" { // the first for the table of keys
		submit = verdict{p.Session, p.at, func() api.ChangeRequest { return p.of.Latest }}.actions()[1:]
	}
	return p.threads.First(slices.Concat([]components.Action{p.threads.CommentOnWhole("comment on the whole")}, p.threads.Stepping(), submit, p.threads.Actions(), []components.Action{
		p.threads.Editing(nil, NoPage),
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.fold},
	}))
}

// draft is the draft under the cursor that has a place elsewhere.
func (p *comments) draft() (drafts.Draft, bool) {
	d, ok := p.threads.Draft()
	return d, ok && p.at.ChangeRequest != "" && (d.Page != "" || d.Comment != "")
}

// Opens says what Open does.
func (p *comments) Opens() string {
	if th, _ := p.threads.Selected(); th != nil && th.Target.Page != nil {
		return "go to it"
	}
	if _, ok := p.draft(); ok {
		return "go to it"
	}
	return ""
}

// Open shows the place of the thread or the draft under the cursor.
func (p *comments) Open() tea.Cmd {
	if th, _ := p.threads.Selected(); th != nil {
		return showThread(p.Session, p.at, th.Comment)
	}
	if d, ok := p.draft(); ok {
		return showDraft(p.Session, p.at, d)
	}
	return nil
}

// fold opens and folds the resolved thread under the cursor.
func (p *comments) fold() tea.Cmd {
	p.threads.TurnFold(p.About().Comment)
	return nil
}
