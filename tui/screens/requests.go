package screens

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// requestsPage lists the change requests of a space in one status.
type requestsPage struct {
	page.Frame
	spaceID       string
	status        api.ChangeRequestStatus
	firstRequests remote.Value[firstRequests] // loads quickly, and is drawn until the whole list is here
	remote        remote.Value[[]api.ChangeRequest]
}

// firstRequests is the beginning of a list.
type firstRequests struct {
	requests []api.ChangeRequest
	more     bool
}

func newRequestsPage(s *page.Session, space string) *requestsPage {
	p := &requestsPage{Frame: page.NewFrame(s), spaceID: space, status: api.StatusOpen}
	p.List.Filter = true
	return p
}

func (p *requestsPage) Title() string { return "change requests" }
func (p *requestsPage) Kind() string  { return "change requests" }
func (p *requestsPage) Space() string { return p.spaceID }

// LoadState returns the state of the list, which counts as loaded as soon as its beginning is.
func (p *requestsPage) LoadState() remote.LoadState {
	if !p.firstRequests.Loaded || !p.firstRequests.Latest.more {
		return p.firstRequests.LoadState
	}
	c := p.remote.LoadState
	if !c.Loaded {
		c.Loaded, c.LoadedAt = true, p.firstRequests.LoadedAt
	}
	return c
}

// loadedRequests returns the requests that are loaded.
func (p *requestsPage) loadedRequests() []api.ChangeRequest {
	if p.firstRequests.Latest.more && p.remote.Loaded {
		return p.remote.Latest
	}
	return p.firstRequests.Latest.requests
}

func (p *requestsPage) Load() tea.Cmd {
	client, space, status := p.Session.Client, p.spaceID, p.status
	return p.firstRequests.Load(p.Session.Connection, func(ctx context.Context) (firstRequests, error) {
		first, more, err := client.FirstChangeRequests(ctx, space, status)
		return firstRequests{first, more}, err
	})
}

func (p *requestsPage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	if !p.firstRequests.Take(msg) {
		return nil
	}
	p.Stale = true
	if p.firstRequests.Err != nil || !p.firstRequests.Latest.more {
		return nil
	}
	client, space, status := p.Session.Client, p.spaceID, p.status
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) ([]api.ChangeRequest, error) {
		return client.ChangeRequests(ctx, space, status)
	})
}

// statuses returns the statuses in the order of the tabs.
func statuses() []api.ChangeRequestStatus {
	return []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft, api.StatusMerged, api.StatusArchived}
}

func (p *requestsPage) tabs() render.Line {
	var line render.Line
	for _, s := range statuses() {
		if s == p.status {
			line = append(line, render.Chip(render.ChipAccent, string(s)), render.Plain(" "))
		} else {
			line = append(line, render.In(render.Dim, " "+string(s)+"  "))
		}
	}
	return line
}

func (p *requestsPage) Rows(width int) []components.Row {
	rows := []components.Row{
		{Key: "tabs", Line: p.tabs().Cut(width), About: components.Subject{At: -1}}, {Key: "tabs", About: components.Subject{At: -1}},
	}
	nothing := fmt.Sprintf("There is no %s change request here; tab shows the others.", p.status)
	if state := p.StateRows(p.LoadState(), len(p.loadedRequests()) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	columns := p.columns(width)
	for i, r := range p.loadedRequests() {
		rows = append(rows, components.Row{Key: r.ID, Line: p.line(r, columns), About: components.Subject{At: i}, Begin: true})
	}
	return rows
}

// requestColumns are the widths of the rows and of their columns; those of 0 are left out.
type requestColumns struct{ width, number, state, threads, author, age int }

// The maximum width of an author, and the minimum widths of rows with each column. Rows below the last have subjects only.
const (
	maxAuthorWidth  = 20
	widthForAuthor  = 90
	widthForState   = 56
	widthForThreads = 44
	widthForAge     = 30
)

func (p *requestsPage) columns(width int) requestColumns {
	c := requestColumns{width: width, number: 5}
	for _, r := range p.loadedRequests() {
		c.number = max(c.number, len(strconv.Itoa(r.Number))+2)
		if width >= widthForState && isOutdated(r) {
			c.state = len(outdated) + 1
		}
		if width >= widthForThreads && r.Comments > 0 {
			c.threads = max(c.threads, len(openThreads(r)))
		}
		if width >= widthForAuthor {
			c.author = min(max(c.author, render.Line{render.Plain(p.Session.UserName(r.CreatedBy))}.Width()+2), maxAuthorWidth)
		}
		if width >= widthForAge {
			c.age = max(c.age, len(p.Session.Ago(r.UpdatedAt.Time))+2)
		}
	}
	return c
}

// outdated is the text in the column of the state for a change request whose space has newer edits.
const outdated = "outdated"

func isOutdated(r api.ChangeRequest) bool { return r.Outdated && r.Status != api.StatusMerged }

func openThreads(r api.ChangeRequest) string { return "  " + render.Plural(r.Comments, "thread") }

// line draws a change request: its number and subject, and in columns whether it is outdated, its open threads, its author
// and the time of its last change.
func (p *requestsPage) line(r api.ChangeRequest, c requestColumns) render.Line {
	left := render.Line{render.In(render.Accent, render.PadColumn(fmt.Sprintf("#%d", r.Number), c.number)), render.Plain(render.Subject(r))}
	var state, threads render.Line
	if isOutdated(r) {
		state = render.Line{render.In(render.Warning, outdated)}
	}
	if r.Comments > 0 {
		threads = render.Line{render.In(render.Warning, openThreads(r))}
	}
	author := render.Line{render.Plain("  "), render.In(render.Dim, p.Session.UserName(r.CreatedBy))}
	age := render.Line{render.In(render.Dim, p.Session.Ago(r.UpdatedAt.Time))}
	right := render.Join(state.Pad(c.state), render.AlignRight(threads, c.threads), author.Pad(c.author), render.AlignRight(age, c.age))
	return render.Columns(left.Cut(max(c.width-right.Width()-1, 0)), right, c.width)
}

func (p *requestsPage) Actions() []components.Action {
	return []components.Action{
		{
			Name: "tab-next", OfPage: true, Keys: []string{"tab"}, Help: "next tab", Hint: "next tab",
			Do: func() tea.Cmd { return p.selectStatus(1) },
		},
		newRequestAction(p.Session, p.Space, nil),
		{
			Name: "tab-previous", OfPage: true, Keys: []string{"shift+tab"}, Help: "previous tab",
			Do: func() tea.Cmd { return p.selectStatus(-1) },
		},
	}
}

// OpenHint returns the hint of Open.
func (p *requestsPage) OpenHint() string {
	if r, ok := p.Selected(); ok && r.About.At == -1 {
		return "next tab"
	}
	return "review"
}

// Open opens the change request under the cursor, or on the statuses, selects the next one.
func (p *requestsPage) Open() tea.Cmd {
	r, ok := p.Selected()
	switch all := p.loadedRequests(); {
	case ok && r.About.At == -1:
		return p.selectStatus(1)
	case ok && r.About.At < len(all) && r.Key == all[r.About.At].ID:
		return page.Push(newRequestPage(p.Session, remote.Target{Space: p.spaceID, ChangeRequest: all[r.About.At].ID}))
	default:
		return nil
	}
}

// selectStatus selects another status and discards the requests of the previous one.
func (p *requestsPage) selectStatus(by int) tea.Cmd {
	all := statuses()
	at := slices.Index(all, p.status) + by
	p.status = all[(at+len(all))%len(all)]
	p.firstRequests.Reset()
	p.remote.Reset()
	return p.Load()
}
