package screens

import (
	"context"
	"regexp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// reader shows a page as it is read, with its threads under their blocks.
type reader struct {
	page.Frame
	at      remote.Target
	page    api.RevisionPage
	remote  remote.Value[whole]
	threads Threads
}

// whole is a page as it is read, and the change request that has it, if one has.
type whole struct {
	api.RevisionPage
	of api.ChangeRequest
}

func newReader(s *page.Session, at remote.Target, shown api.RevisionPage) *reader {
	p := &reader{Frame: page.NewFrame(s), at: at, page: shown}
	p.threads = NewThreads(&p.Frame, at, shown.ID)
	p.threads.Head = func() string { return p.remote.Latest.of.Revision }
	return p
}

func (p *reader) Title() string {
	if p.page.Title == "" && !p.remote.Loaded {
		return "page"
	}
	return render.Titled(p.page.Title)
}

func (p *reader) Kind() string                { return "page" }
func (p *reader) Space() string               { return p.at.Space }
func (p *reader) Condition() remote.Condition { return p.remote.And(p.threads.Condition()) }

// Opens says what Open does.
func (p *reader) Opens() string {
	if p.threads.Folded(p.About().Comment) {
		return "unfold"
	}
	if linking.MatchString(p.About().Quote) {
		return "follow"
	}
	return ""
}

// linking matches Markdown with a link.
var linking = regexp.MustCompile(`\]\(|\]\[|<https?:|https?://`)

// Open unfolds the thread under the cursor, or follows the link of the block there.
func (p *reader) Open() tea.Cmd {
	about := p.About()
	if p.threads.Folded(about.Comment) {
		p.threads.TurnFold(about.Comment)
		return nil
	}
	return followFrom(p.Session, p.at, p.page.ID, about.Block)
}

func (p *reader) Load() tea.Cmd {
	client, at, id := p.Session.Client, p.at, p.page.ID
	page := p.remote.Load(p.Session.Connection, func(ctx context.Context) (shown whole, err error) {
		if at.ChangeRequest != "" {
			// First: what is written here is about no more than what is shown.
			if shown.of, err = client.ChangeRequest(ctx, at); err != nil {
				return shown, err
			}
		}
		shown.RevisionPage, err = client.Content(at).Page(ctx, id)
		return shown, err
	})
	return tea.Batch(page, p.threads.Load())
}

func (p *reader) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		if p.remote.Err == nil {
			p.page = p.remote.Latest.RevisionPage
		}
		p.Stale = true
	}
	if p.threads.Take(msg) {
		p.Stale = true
	}
	return takeAround(p, msg)
}

func (p *reader) Rows(width int) []components.Row {
	if rows := page.StateRows(p.remote.Condition, false, "", width); rows != nil {
		return rows
	}
	blocks := render.Passages(p.remote.Latest.RevisionPage)
	shown := map[string]bool{}
	var rows []components.Row
	width = render.Measure(width)
	for _, b := range blocks {
		shown[b.ID] = true
		on := p.threads.On(b.ID)
		rows = append(rows, marked(blockRows(b, width), append(p.threads.Phrases(on), p.threads.UnsentPhrases(b.ID)...), 0)...)
		rows = append(rows, p.threads.Under(on, b.Text, width)...)
		rows = append(rows, p.threads.Unsent(b.ID, width)...)
	}
	if len(rows) == 0 {
		rows = page.Notice(width, render.In(render.Dim, "This page has no text."))
	}
	return append(rows, p.threads.Remaining(shown, width)...)
}

// blockKey is the key of the rows of a block.
func blockKey(id string) string { return "block/" + id }

// blockRows renders a block of a page; an empty line follows it, but not between the items of a list.
func blockRows(b render.Passage, width int) []components.Row {
	about := components.Subject{Page: b.Page, Block: b.ID, Quote: b.Text, Lead: b.Lead}
	var rows []components.Row
	for _, line := range b.Lines(width) {
		rows = append(rows, components.Row{Key: blockKey(b.ID), Line: line, About: about})
	}
	if !b.InList && len(rows) > 0 {
		rows = append(rows, components.Row{Key: blockKey(b.ID), About: about})
	}
	return rows
}

// walk goes through the pages of the tree that have open threads.
func (p *reader) walk() walk {
	order := func() ([]string, error) {
		pages, err := p.Session.Client.Content(p.at).Pages(p.Session.Ctx)
		var ids []string
		for _, e := range remote.InOrder(pages) {
			ids = append(ids, e.Page.ID)
		}
		return ids, err
	}
	return walk{from: p, here: p.page.ID, order: order, show: func(id string) page.Page {
		return newReader(p.Session, p.at, api.RevisionPage{ID: id})
	}}
}

// GoOn goes to the next page; the app calls it at the end of this one.
func (p *reader) GoOn() tea.Cmd { return p.turn(1) }

// turn goes to another page of the tree, in the order in which it is read.
func (p *reader) turn(by int) tea.Cmd {
	s, at, here := p.Session, p.at, p.page.ID
	return func() tea.Msg {
		pages, err := s.Client.Content(at).Pages(s.Ctx)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		documents := slices.DeleteFunc(remote.InOrder(pages), func(e remote.Placed) bool { return e.Page.Type != api.PageDocument })
		now := slices.IndexFunc(documents, func(e remote.Placed) bool { return e.Page.ID == here })
		if to := now + by; now >= 0 && to >= 0 && to < len(documents) {
			return page.ReplaceMsg{From: p, Page: newReader(s, at, documents[to].Page)}
		}
		if by > 0 {
			return components.Told("this is the last page: K goes to the one before")
		}
		return components.Told("this is the first page: J goes to the next")
	}
}

func (p *reader) Actions() []components.Action {
	var judging []components.Action
	if p.at.ChangeRequest != "" {
		judging = verdict{p.Session, p.at, func() api.ChangeRequest { return p.remote.Latest.of }}.actions()
	}
	return p.threads.First(slices.Concat(
		p.threads.Commenting(func() string { return p.page.Title }, p.threads.NotText),
		p.walk().actions(p.Session, p.at), p.threads.Actions(), judging,
		[]components.Action{
			pageNext(func() tea.Cmd { return p.turn(1) }, nil), pagePrevious(func() tea.Cmd { return p.turn(-1) }, nil),
			p.threads.Editing(func() tea.Cmd { return Edit(p.at, p.page) }, func() string { return "" }),
			history(func() page.Page { return newHistory(p.Session, p.at.Space, p.page.ID) }),
			NewRequestAction(p.Session, p.Space, nil),
			{Name: "blame", Help: "who wrote what", Hint: "blame", Do: func() tea.Cmd { return page.Push(newBlame(p.Session, p.at, p.page.ID, p.About().Block)) }},
			{Name: "links", Help: "links of the page, and to it", Hint: "links", Do: func() tea.Cmd { return page.Push(newLinks(p.Session, p.at, p.page.ID)) }},
			allComments(p.Session, &p.at),
		},
	))
}
