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
	spaceID string
	status  api.ChangeRequestStatus
	first   remote.Value[firstRequests] // loads quickly, and is drawn until the whole list is here
	remote  remote.Value[[]api.ChangeRequest]
}

// firstRequests is the beginning of a list.
type firstRequests struct {
	requests []api.ChangeRequest
	more     bool
}

func newRequests(s *page.Session, space string) *requestsPage {
	p := &requestsPage{Frame: page.NewFrame(s), spaceID: space, status: api.StatusOpen}
	p.List.Filter = true
	return p
}

func (p *requestsPage) Title() string { return "change requests" }
func (p *requestsPage) Kind() string  { return "change requests" }
func (p *requestsPage) Space() string { return p.spaceID }

// LoadState is the state of the whole list, or of its beginning until the whole list is loaded.
func (p *requestsPage) LoadState() remote.LoadState {
	if !p.first.Loaded || !p.first.Latest.more {
		return p.first.LoadState
	}
	c := p.remote.LoadState
	if !c.Loaded {
		c.Loaded, c.LoadedAt = true, p.first.LoadedAt
	}
	return c
}

// shown returns the requests that are loaded.
func (p *requestsPage) shown() []api.ChangeRequest {
	if p.first.Latest.more && p.remote.Loaded {
		return p.remote.Latest
	}
	return p.first.Latest.requests
}

func (p *requestsPage) Load() tea.Cmd {
	client, space, status := p.Session.Client, p.spaceID, p.status
	return p.first.Load(p.Session.Connection, func(ctx context.Context) (firstRequests, error) {
		first, more, err := client.FirstChangeRequests(ctx, space, status)
		return firstRequests{first, more}, err
	})
}

func (p *requestsPage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	if !p.first.Take(msg) {
		return nil
	}
	p.Stale = true
	if p.first.Err != nil || !p.first.Latest.more {
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
	if state := p.StateRows(p.LoadState(), len(p.shown()) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	numbers := 5
	for _, r := range p.shown() {
		numbers = max(numbers, len(strconv.Itoa(r.Number))+2)
	}
	for i, r := range p.shown() {
		rows = append(rows, components.Row{Key: r.ID, Line: p.line(r, numbers, width), About: components.Subject{At: i}, Begin: true})
	}
	return rows
}

func (p *requestsPage) line(r api.ChangeRequest, numbers, width int) render.Line {
	left := render.Line{render.In(render.Accent, render.PadColumn(fmt.Sprintf("#%d", r.Number), numbers)), render.Plain(render.Subject(r))}
	var facts render.Line // least important last
	add := func(tone render.Tone, fact string) {
		if len(facts) > 0 {
			fact = " · " + fact
		}
		facts = append(facts, render.In(tone, fact))
	}
	if r.Outdated && r.Status != api.StatusMerged {
		add(render.Warning, "outdated")
	}
	if r.Comments > 0 {
		add(render.Warning, fmt.Sprintf("● %d", r.Comments))
	}
	if width >= 90 {
		add(render.Dim, p.Session.UserName(r.CreatedBy))
	}
	add(render.Dim, p.Session.Ago(r.UpdatedAt.Time))
	for len(facts) > 0 && left.Width()+1+facts.Width() > width && left.Width() <= width {
		facts = facts[:len(facts)-1]
	}
	return render.Columns(left.Cut(max(width-facts.Width()-1, 0)), facts, width)
}

func (p *requestsPage) Actions() []components.Action {
	return []components.Action{
		{Name: "tab-next", Keys: []string{"tab"}, Help: "next tab", Hint: "next tab", Do: func() tea.Cmd { return p.selectStatus(1) }},
		newRequestAction(p.Session, p.Space, nil),
		{Name: "tab-previous", Keys: []string{"shift+tab"}, Help: "previous tab", Do: func() tea.Cmd { return p.selectStatus(-1) }},
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
	switch all := p.shown(); {
	case ok && r.About.At == -1:
		return p.selectStatus(1)
	case ok && r.About.At < len(all) && r.Key == all[r.About.At].ID:
		return page.Push(newRequest(p.Session, remote.Target{Space: p.spaceID, ChangeRequest: all[r.About.At].ID}))
	default:
		return nil
	}
}

// selectStatus selects another status and discards the requests of the previous one.
func (p *requestsPage) selectStatus(by int) tea.Cmd {
	all := statuses()
	at := slices.Index(all, p.status) + by
	p.status = all[(at+len(all))%len(all)]
	p.first.Reset()
	p.remote.Reset()
	return p.Load()
}
