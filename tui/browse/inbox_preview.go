package browse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// requestPreview is the preview of a change request: at once the summary from the list, later the checks, the pages
// and the last events.
type requestPreview struct {
	page.Frame
	request   api.QueuedChangeRequest
	checks    remote.Value[api.Mergeability]
	changes   remote.Value[requestChanges]
	timeline  remote.Value[api.Timeline]
	scheduled bool // waits until the cursor rests
	fetched   bool // the details were requested
}

// followRequest shows the preview of the change request under the cursor of a page; the page receives a debounceMsg
// when the cursor rests.
func followRequest(s *page.Session, previews *page.Previews, r api.QueuedChangeRequest, p page.Page) tea.Cmd {
	previews.Show(r.ID+r.Revision, func() page.Page { return newRequestPreview(s, r) })
	shown, ok := previews.Shown.(*requestPreview)
	if !ok || shown.fetched || shown.scheduled {
		return nil
	}
	shown.scheduled = true
	return s.AfterDelay(debounceMsg{p, shown})
}

// debounceMsg is sent a moment after a preview was shown. If it is still shown, its details are loaded.
type debounceMsg struct {
	page    page.Page
	preview *requestPreview
}

// fetchDetails loads the details of a preview if it is still shown.
func fetchDetails(previews *page.Previews, preview *requestPreview) tea.Cmd {
	preview.scheduled = false
	if previews.Shown != page.Page(preview) || preview.fetched {
		return nil
	}
	preview.fetched = true
	return preview.fetch()
}

// requestOfRow returns the change request of a row.
func requestOfRow(row components.Row, ok bool, all []api.QueuedChangeRequest) (api.QueuedChangeRequest, bool) {
	id, isRequest := strings.CutPrefix(row.Key, requestKeyPrefix)
	at := slices.IndexFunc(all, func(r api.QueuedChangeRequest) bool { return r.ID == id })
	if !ok || !isRequest || at < 0 {
		return api.QueuedChangeRequest{}, false
	}
	return all[at], true
}

// rowPosition returns the number of the item under the cursor and the number of items. It returns nil if there are none, or
// during a search.
func rowPosition(list *components.List) render.Line {
	at, all := list.Count(func(r components.Row) bool { return r.Begin })
	if all == 0 || list.Searching() {
		return nil
	}
	return page.RowPosition(max(at, 1), all)
}

// requestChanges contains the changes of a change request and their sizes.
type requestChanges struct {
	render.ProposedChanges
	words   map[string]api.WordCount
	threads map[string]int // number of open threads by page
}

func newRequestPreview(s *page.Session, request api.QueuedChangeRequest) *requestPreview {
	return &requestPreview{Frame: page.NewFrame(s), request: request}
}

func (p *requestPreview) Title() string                { return render.Subject(p.request.ChangeRequest) }
func (p *requestPreview) Kind() string                 { return "preview" }
func (p *requestPreview) Open() tea.Cmd                { return nil }
func (p *requestPreview) Actions() []components.Action { return nil }
func (p *requestPreview) LoadState() remote.LoadState  { return p.changes.LoadState }

// Load does nothing: the inbox calls fetch when the cursor rests.
func (p *requestPreview) Load() tea.Cmd { return nil }

// fetch loads the details that are not part of the list.
func (p *requestPreview) fetch() tea.Cmd {
	c, at := p.Session.Connection, targetOf(p.request)
	checks := p.checks.Load(c, func(ctx context.Context) (api.Mergeability, error) { return c.Client.Mergeability(ctx, at) })
	last := p.timeline.Load(c, func(ctx context.Context) (api.Timeline, error) { return c.Client.Timeline(ctx, at) })
	pages := p.changes.Load(c, func(ctx context.Context) (requestChanges, error) { return loadChanges(ctx, c.Client, at) })
	return tea.Batch(pages, checks, last, p.Session.Read.Load(at))
}

// loadChanges loads the changes of a change request. Errors in loading the optional parts are ignored.
func loadChanges(ctx context.Context, client remote.Client, at remote.Target) (requestChanges, error) {
	all, err := client.Changes(ctx, at, "")
	if err != nil {
		return requestChanges{}, err
	}
	have := requestChanges{ProposedChanges: render.NewProposedChanges(all), threads: map[string]int{}}
	if have.words, err = client.Words(ctx, at, ""); err != nil {
		have.words = nil
	}
	if comments, err := client.Content(at).Comments(ctx, ""); err == nil {
		for _, c := range comments {
			if id, _ := screens.PageOf(c); c.Status == api.CommentOpen {
				have.threads[id]++
			}
		}
	}
	return have, nil
}

func (p *requestPreview) Update(msg tea.Msg) tea.Cmd {
	if p.checks.Take(msg) || p.changes.Take(msg) || p.timeline.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *requestPreview) Rows(width int) []components.Row {
	r, s := p.request, p.Session
	s.Read.SetAuthor(targetOf(r), r.CreatedBy.ID == s.Me.ID)
	width = render.ProseWidth(width)
	lines := render.Title(r.ChangeRequest, width)
	about := render.UserName(r.CreatedBy, s.Me.ID)
	if by := r.Summary.AskedBy; by != nil {
		about = render.UserName(*by, s.Me.ID) + " asked you"
	}
	if name := s.Names[r.Space]; name != "" {
		about += " · " + name
	}
	lines = append(lines, render.Line{render.In(render.Dim, about)}.Cut(width))
	const mostOfDescription, mostOfPages, mostOfEvents = 8, 12, 5
	if described := render.Description(r.ChangeRequest, width, mostOfDescription); len(described) > 0 {
		lines = append(append(lines, nil), described...)
	}
	lines = append(lines, p.mergeLines(width)...)
	lines = append(lines, p.pageLines(width, mostOfPages)...)
	lines = append(lines, p.eventLines(width, mostOfEvents)...)
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "preview", Line: line}
	}
	return rows
}

// mergeLines draws the checks that block a merge and its warnings; the passed checks are one line.
func (p *requestPreview) mergeLines(width int) []render.Line {
	if s := p.request.Status; s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	m := p.checks.Latest
	if len(m.Rules) == 0 {
		return p.pendingLines("Merge ", p.checks.LoadState, width)
	}
	lines := append([]render.Line{nil}, render.Wrap(render.MergeHeading(m, p.request.Status), width, render.Line{render.Plain("  ")})...)
	viewer := render.Viewer{Me: p.Session.Me, Mergeable: m.Mergeable}
	stops, advice := render.MergeBlockers(m)
	for i, g := range slices.Concat(stops, advice) {
		lines = append(lines, render.Wrap(viewer.Check(g), width, render.Line{render.Plain("  ")})...)
		if i >= len(stops) {
			continue
		}
		for _, text := range viewer.Explanation(g) {
			lines = append(lines, render.Wrap(render.Line{render.Plain("  "), render.In(render.Dim, text)}, width,
				render.Line{render.Plain("  ")})...)
		}
	}
	return append(lines, render.PassedRules(m.Rules).Cut(width))
}

// pendingLines draws a placeholder for details that are not loaded, or the error.
func (p *requestPreview) pendingLines(title string, c remote.LoadState, width int) []render.Line {
	switch {
	case c.Err != nil:
		return []render.Line{
			nil, append(render.Section(title), render.In(render.Warning, "! "+remote.DescribeError(c.Err).Label)).Cut(width),
		}
	case c.Busy, !c.Loaded:
		return []render.Line{nil, append(render.Section(title), render.In(render.Dim, unknownValue)).Cut(width)}
	default:
		return nil
	}
}

// pageLines lists the changed pages with their words, threads and read marks.
func (p *requestPreview) pageLines(width, most int) []render.Line {
	have := p.changes.Latest
	if !p.changes.Loaded {
		return p.pendingLines("Pages ", p.changes.LoadState, width)
	}
	title := append(render.Section("Pages"), render.In(render.Dim, fmt.Sprintf(" %d", len(have.Pages))))
	progress := p.Session.Read.ShortCount(targetOf(p.request))
	lines := []render.Line{nil, render.PagesHead(title, progress, progress, width)}
	for i, c := range have.Pages {
		if i == most {
			lines = append(lines, render.Line{
				render.In(render.Faint, fmt.Sprintf("┄┄ %s more", render.Plural(len(have.Pages)-most, "page"))),
			})
			break
		}
		f := render.PageFacts{Threads: have.threads[c.Page.ID], Read: p.readMark(c.Page.ID)}
		if w, ok := have.words[c.Page.ID]; ok {
			f.Words = &w
		}
		lines = append(lines, render.PageRow(c, 0, f, width))
		if p.Session.Read.Changed(targetOf(p.request), c.Page.ID) {
			lines = append(lines, render.Line{render.In(render.Fresh, "    changed since you read it")}.Cut(width))
		}
	}
	if n := len(have.Rest); n > 0 {
		lines = append(lines, render.Line{
			render.In(render.Dim, fmt.Sprintf("and %s other than pages", render.Plural(n, "change"))),
		}.Cut(width))
	}
	return lines
}

// readMark returns the read mark of an item.
func (p *requestPreview) readMark(id string) render.Line {
	switch read, known := p.Session.Read.IsRead(targetOf(p.request), id); {
	case !known:
		return nil
	case read:
		return render.Line{render.In(render.Added, "✓ ")}
	default:
		return render.Line{render.In(render.Warning, "◌ ")}
	}
}

// eventLines lists the last events, newest first.
func (p *requestPreview) eventLines(width, most int) []render.Line {
	events := p.timeline.Latest.Events
	if len(events) == 0 {
		return nil
	}
	lines := []render.Line{nil, render.Section("Latest").Cut(width)}
	latest := events[max(len(events)-most, 0):]
	for _, line := range slices.Backward(render.EventLines(latest, p.Session.Me.ID, p.Session.Age, nil, p.Session.Now())) {
		lines = append(lines, render.Wrap(line, width, render.Line{render.Plain("      ")})...)
	}
	return lines
}
