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

// readerPage shows a page with its threads under their blocks.
type readerPage struct {
	page.Frame
	target  remote.Target
	page    api.RevisionPage
	remote  remote.Value[pageContent]
	threads threadsPart
}

// pageContent is a page and its change request, if it is read in one.
type pageContent struct {
	api.RevisionPage
	request api.ChangeRequest
}

func newReaderPage(s *page.Session, at remote.Target, shown api.RevisionPage) *readerPage {
	p := &readerPage{Frame: page.NewFrame(s), target: at, page: shown}
	p.threads = newThreadsPart(&p.Frame, at, shown.ID)
	p.threads.shownRevision = func() string { return p.remote.Latest.request.Revision }
	return p
}

func (p *readerPage) Title() string {
	if p.page.Title == "" && !p.remote.Loaded {
		return "page"
	}
	return render.DisplayTitle(p.page.Title)
}

func (p *readerPage) Kind() string                { return "page" }
func (p *readerPage) Space() string               { return p.target.Space }
func (p *readerPage) LoadState() remote.LoadState { return p.remote.And(p.threads.loadState()) }

// OpenHint returns the hint of Open.
func (p *readerPage) OpenHint() string {
	if p.threads.isFolded(p.About().Comment) {
		return "unfold"
	}
	if linkPattern.MatchString(p.About().Quote) {
		return "follow"
	}
	return ""
}

// linkPattern matches Markdown that contains a link.
var linkPattern = regexp.MustCompile(`\]\(|\]\[|<https?:|https?://`)

// Open unfolds the thread under the cursor, or follows the link in the block there.
func (p *readerPage) Open() tea.Cmd {
	about := p.About()
	if p.threads.isFolded(about.Comment) {
		p.threads.toggleFold(about.Comment)
		return nil
	}
	return followBlockLink(p.Session, p.target, p.page.ID, about.Block)
}

func (p *readerPage) Load() tea.Cmd {
	conn, at, id := p.Session.Connection, p.target, p.page.ID
	page := p.remote.Load(conn, func(ctx context.Context) (shown pageContent, err error) {
		if at.ChangeRequest != "" {
			// loaded before the page, so that a comment does not refer to a later state than the one that is shown
			if shown.request, err = conn.ChangeRequest(ctx, at); err != nil {
				return shown, err
			}
		}
		shown.RevisionPage, err = conn.Client.Content(at).Page(ctx, id)
		return shown, err
	})
	return tea.Batch(page, p.threads.load())
}

func (p *readerPage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		if p.remote.Err == nil {
			p.page = p.remote.Latest.RevisionPage
		}
		p.Stale = true
	}
	if p.threads.take(msg) {
		p.Stale = true
	}
	return handleWrap(p, msg)
}

func (p *readerPage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.remote.LoadState, false, "", width); rows != nil {
		return rows
	}
	blocks := render.Passages(p.remote.Latest.RevisionPage)
	shown := map[string]bool{}
	var rows []components.Row
	width = render.ProseWidth(width)
	for _, b := range blocks {
		shown[b.ID] = true
		on := p.threads.blockThreads(b.ID)
		phrases := append(p.threads.phrases(on), p.threads.unsentPhrases(b.ID)...)
		rows = append(rows, markPhrases(blockRows(b, width, p.At(blockKey(b.ID))), phrases, 0)...)
		rows = append(rows, p.threads.blockThreadRows(on, b.Text, width)...)
		rows = append(rows, p.threads.unsentRows(b.ID, width)...)
	}
	if len(rows) == 0 {
		rows = page.Notice(width, render.In(render.Dim, "This page has no text."))
	}
	return append(rows, p.threads.remainingRows(shown, width)...)
}

// blockKey returns the key of the rows of a block.
func blockKey(id string) string { return "block/" + id }

// blockRows draws a block of a page at a position, followed by an empty line except between the items of a list.
func blockRows(b render.Passage, width, at int) []components.Row {
	about := components.Subject{Page: b.Page, Block: b.ID, Quote: b.Text, QuoteOffset: b.Lead}
	var rows []components.Row
	lines, pan := b.Lines(width, at)
	for _, line := range lines {
		rows = append(rows, components.Row{Key: blockKey(b.ID), Line: line, About: about, Pan: pan})
	}
	if !b.InList && len(rows) > 0 {
		rows = append(rows, components.Row{Key: blockKey(b.ID), About: about})
	}
	return rows
}

// navigator returns the navigator over the pages of the tree with open threads.
func (p *readerPage) navigator() threadNavigator {
	order := func() ([]string, error) {
		pages, err := p.Session.Client.Content(p.target).Pages(p.Session.Ctx)
		var ids []string
		for _, e := range remote.ReadingOrder(pages) {
			ids = append(ids, e.Page.ID)
		}
		return ids, err
	}
	return threadNavigator{page: p, id: p.page.ID, loadOrder: order, newPage: func(id string) page.Page {
		return newReaderPage(p.Session, p.target, api.RevisionPage{ID: id})
	}}
}

// Advance opens the next page; the app calls it at the end of this one.
func (p *readerPage) Advance() tea.Cmd { return p.openNeighbour(1) }

// openNeighbour opens another page of the tree, in reading order.
func (p *readerPage) openNeighbour(by int) tea.Cmd {
	s, at, here := p.Session, p.target, p.page.ID
	return func() tea.Msg {
		pages, err := s.Client.Content(at).Pages(s.Ctx)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		documents := slices.DeleteFunc(remote.ReadingOrder(pages), func(e remote.TreePage) bool { return e.Page.Type != api.PageDocument })
		now := slices.IndexFunc(documents, func(e remote.TreePage) bool { return e.Page.ID == here })
		if to := now + by; now >= 0 && to >= 0 && to < len(documents) {
			return page.ReplaceMsg{From: p, Page: newReaderPage(s, at, documents[to].Page)}
		}
		if by > 0 {
			return components.NewToast("this is the last page: K goes to the one before")
		}
		return components.NewToast("this is the first page: J goes to the next")
	}
}

func (p *readerPage) Actions() []components.Action {
	var reviewActions []components.Action
	if p.target.ChangeRequest != "" {
		reviewActions = verdictPart{p.Session, p.target, func() api.ChangeRequest { return p.remote.Latest.request }}.actions()
	}
	return p.threads.prependActions(slices.Concat(
		p.threads.commentActions(func() string { return p.page.Title }, p.About, p.threads.notTextReason),
		p.navigator().actions(p.Session, p.target), p.threads.actions(), reviewActions,
		[]components.Action{
			nextPageAction(func() tea.Cmd {
				return p.openNeighbour(1)
			}, nil), previousPageAction(func() tea.Cmd { return p.openNeighbour(-1) }, nil),
			p.threads.editAction(func(quote string) tea.Cmd { return editPage(p.target, p.page, quote) }, func() string { return "" }),
			pageAction(historyAction(func() page.Page { return newHistory(p.Session, p.target.Space, p.page.ID) })),
			pageAction(newRequestAction(p.Session, p.Space, nil)),
			{
				Name: "blame", Help: "who wrote what", Hint: "blame", Do: func() tea.Cmd {
					return page.Push(newBlame(p.Session, p.target, p.page.ID, p.About().Block))
				},
			},
			{
				Name: "links", Help: "links of the page, and to it", Hint: "links", Do: func() tea.Cmd {
					return page.Push(newLinks(p.Session, p.target, p.page.ID))
				},
			},
			allCommentsAction(p.Session, &p.target),
		},
	))
}
