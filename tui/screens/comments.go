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

// commentsPage lists all threads of a target, grouped by page.
type commentsPage struct {
	page.Frame
	target  remote.Target
	threads threadsPart
	request remote.Value[api.ChangeRequest] // if the target is a change request
	tree    remote.Value[[]api.RevisionPage]
}

func newCommentsPage(s *page.Session, at remote.Target) *commentsPage {
	p := &commentsPage{Frame: page.NewFrame(s), target: at}
	p.threads = newThreadsPart(&p.Frame, at, "")
	p.threads.shownRevision = func() string { return p.request.Latest.Revision }
	return p
}

func (p *commentsPage) Title() string               { return "comments" }
func (p *commentsPage) Kind() string                { return "comments" }
func (p *commentsPage) Space() string               { return p.target.Space }
func (p *commentsPage) LoadState() remote.LoadState { return p.threads.loadState() }

// Load loads the head first: a suggestion must not be applied to a later head than the one that is shown.
func (p *commentsPage) Load() tea.Cmd {
	client, at := p.Session.Client, p.target
	tree := p.tree.Load(p.Session.Connection, client.Content(at).Pages)
	if at.ChangeRequest == "" {
		return tea.Batch(p.threads.load(), tree)
	}
	conn := p.Session.Connection
	loadRequest := p.request.Load(conn, func(ctx context.Context) (api.ChangeRequest, error) { return conn.ChangeRequest(ctx, at) })
	return tea.Batch(tea.Sequence(loadRequest, p.threads.load()), tree)
}

func (p *commentsPage) Update(msg tea.Msg) tea.Cmd {
	if p.threads.take(msg) || p.request.Take(msg) || p.tree.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *commentsPage) Rows(width int) []components.Row {
	all, groups := p.threads.count(), p.groups()
	if rows := p.StateRows(p.LoadState(), len(groups) == 0 && all == 0, "No comments yet; c writes the first.", width); rows != nil {
		return rows
	}
	width = render.ProseWidth(width)
	var rows []components.Row
	for _, g := range groups {
		rows = append(rows, p.groupRows(g, width)...)
	}
	if hidden := all - len(p.threads.filter(func(*commentThread) bool { return true })); hidden > 0 {
		rows = append(rows, components.Row{
			Key: "hidden", Line: render.Line{render.In(render.Dim, fmt.Sprintf("%d hidden", hidden))},
		})
	}
	return rows
}

// threadGroup contains the threads and the unsent first comments of a page; an empty id is the whole target.
type threadGroup struct {
	id, title string
	threads   []*commentThread
	drafts    []drafts.Draft
}

// groups returns the group of the whole target, then the groups in the order of the pages, deleted pages last. Each
// draft is in a group: a reply to a thread that is not shown belongs to the whole target.
func (p *commentsPage) groups() []threadGroup {
	var all []threadGroup
	groupOf := func(id, title string) *threadGroup {
		at := slices.IndexFunc(all, func(g threadGroup) bool { return g.id == id })
		if at < 0 {
			at, all = len(all), append(all, threadGroup{id: id, title: title})
		}
		return &all[at]
	}
	for _, th := range p.threads.filter(func(*commentThread) bool { return true }) {
		g := groupOf(PageOf(th.Comment))
		g.threads = append(g.threads, th)
	}
	for _, d := range p.threads.unthreadedDrafts() {
		g := groupOf(d.Page, d.Title)
		g.drafts = append(g.drafts, d)
	}
	var order []string
	for _, e := range remote.ReadingOrder(p.tree.Latest) {
		order = append(order, e.Page.ID)
	}
	slices.SortStableFunc(all, func(a, b threadGroup) int {
		if (a.id == "") != (b.id == "") {
			return render.Choose(a.id == "", -1, 1)
		}
		return cmp.Compare(pageIndex(a.id, order), pageIndex(b.id, order))
	})
	return all
}

// summary counts the threads and drafts of the group.
func (g threadGroup) summary() string {
	var parts []string
	if n := len(g.threads); n > 0 {
		open := 0
		for _, th := range g.threads {
			if th.Status == api.CommentOpen {
				open++
			}
		}
		parts = append(parts, fmt.Sprintf("%d open, %d resolved", open, n-open))
	}
	if n := len(g.drafts); n > 0 {
		parts = append(parts, render.Plural(n, "draft")+" not sent")
	}
	return strings.Join(parts, " · ")
}

// groupRows draws a group below its title.
func (p *commentsPage) groupRows(g threadGroup, width int) []components.Row {
	title := g.title
	if g.id == "" {
		title = "On the whole"
	}
	head := append(render.Section(render.DisplayTitle(title)), render.In(render.Dim, "  "+g.summary()))
	rows := []components.Row{{Key: "about/" + g.id, Line: head.Cut(width), Skip: true}}
	for _, th := range g.threads {
		if was := th.quote(); was != "" {
			line := render.Line{render.NewSpan(render.Style{Tone: render.Quote, Italic: true}, "“"+was+"”")}
			rows = append(rows, components.Row{
				Key: page.CommentKey(th.ID), Line: line.Cut(width), About: components.Subject{Comment: th.ID},
				Begin: th.Status == api.CommentOpen,
			})
		}
		rows = append(rows, p.threads.blockThreadRows([]*commentThread{th}, "", width)...)
	}
	return append(rows, p.threads.draftRows(g.drafts, width)...)
}

// allCommentsAction returns the action that opens the threads of a target.
func allCommentsAction(s *page.Session, at *remote.Target) components.Action {
	return components.Action{
		Name: "comments", OfPage: true, Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: func() tea.Cmd {
			return page.Push(newCommentsPage(s, *at))
		},
	}
}

func (p *commentsPage) Actions() []components.Action {
	var submit []components.Action
	if p.Session == nil || p.target.ChangeRequest != "" { // nil session: table of keys
		submit = verdictPart{p.Session, p.target, func() api.ChangeRequest { return p.request.Latest }}.actions()[1:]
	}
	return p.threads.prependActions(slices.Concat([]components.Action{p.threads.commentOnWholeAction("comment on the whole")},
		p.threads.stepActions(), submit, p.threads.actions(), []components.Action{
			p.threads.editAction(nil, noPageReason),
			{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.toggleFold},
		}))
}

// selectedPageDraft returns the draft under the cursor if it belongs to a page.
func (p *commentsPage) selectedPageDraft() (drafts.Draft, bool) {
	d, ok := p.threads.selectedDraft()
	return d, ok && p.target.ChangeRequest != "" && (d.Page != "" || d.Comment != "")
}

// OpenHint returns the hint of Open.
func (p *commentsPage) OpenHint() string {
	if th, _ := p.threads.selectedThread(); th != nil && th.Target.Page != nil {
		return "go to it"
	}
	if _, ok := p.selectedPageDraft(); ok {
		return "go to it"
	}
	return ""
}

// Open shows the thread or the draft under the cursor on its page.
func (p *commentsPage) Open() tea.Cmd {
	if th, _ := p.threads.selectedThread(); th != nil {
		return showThread(p.Session, p.target, th.Comment)
	}
	if d, ok := p.selectedPageDraft(); ok {
		return showDraft(p.Session, p.target, d)
	}
	return nil
}

// toggleFold unfolds or folds the resolved thread under the cursor.
func (p *commentsPage) toggleFold() tea.Cmd {
	p.threads.toggleFold(p.About().Comment)
	return nil
}
