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

// requests lists the change requests of a space in one status.
type requests struct {
	page.Frame
	spaceID string
	status  api.ChangeRequestStatus
	first   remote.Value[head] // is there at once, and drawn until the whole list is
	remote  remote.Value[[]api.ChangeRequest]
}

// head is the beginning of a list.
type head struct {
	requests []api.ChangeRequest
	more     bool
}

func newRequests(s *page.Session, space string) *requests {
	p := &requests{Frame: page.NewFrame(s), spaceID: space, status: api.StatusOpen}
	p.List.Filter = true
	return p
}

func (p *requests) Title() string { return "change requests" }
func (p *requests) Kind() string  { return "change requests" }
func (p *requests) Space() string { return p.spaceID }

// Condition is that of the whole list, or of its beginning until that is there.
func (p *requests) Condition() remote.Condition {
	if !p.first.Loaded || !p.first.Latest.more {
		return p.first.Condition
	}
	c := p.remote.Condition
	if !c.Loaded {
		c.Loaded, c.At = true, p.first.At
	}
	return c
}

// shown are the requests that are there.
func (p *requests) shown() []api.ChangeRequest {
	if p.first.Latest.more && p.remote.Loaded {
		return p.remote.Latest
	}
	return p.first.Latest.requests
}

func (p *requests) Load() tea.Cmd {
	client, space, status := p.Session.Client, p.spaceID, p.status
	return p.first.Load(p.Session.Connection, func(ctx context.Context) (head, error) {
		first, more, err := client.FirstChangeRequests(ctx, space, status)
		return head{first, more}, err
	})
}

func (p *requests) Update(msg tea.Msg) tea.Cmd {
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

// statuses are in the order of the tabs.
func statuses() []api.ChangeRequestStatus {
	return []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft, api.StatusMerged, api.StatusArchived}
}

func (p *requests) tabs() render.Line {
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

func (p *requests) Rows(width int) []components.Row {
	rows := []components.Row{{Key: "tabs", Line: p.tabs().Cut(width), About: components.Subject{At: -1}}, {Key: "tabs", About: components.Subject{At: -1}}}
	nothing := fmt.Sprintf("There is no %s change request here; tab shows the others.", p.status)
	if state := page.StateRows(p.Condition(), len(p.shown()) == 0, nothing, width); state != nil {
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

func (p *requests) line(r api.ChangeRequest, numbers, width int) render.Line {
	left := render.Line{render.In(render.Accent, render.Column(fmt.Sprintf("#%d", r.Number), numbers)), render.Plain(render.Subject(r))}
	var facts render.Line // what may be left out comes last
	add := func(tone render.Tone, said string) {
		if len(facts) > 0 {
			said = " · " + said
		}
		facts = append(facts, render.In(tone, said))
	}
	if r.Outdated && r.Status != api.StatusMerged {
		add(render.Warning, "outdated")
	}
	if r.Comments > 0 {
		add(render.Warning, fmt.Sprintf("● %d", r.Comments))
	}
	if width >= 90 {
		add(render.Dim, p.Session.NameOf(r.CreatedBy))
	}
	add(render.Dim, p.Session.Ago(r.UpdatedAt.Time))
	for len(facts) > 0 && left.Width()+1+facts.Width() > width && left.Width() <= width {
		facts = facts[:len(facts)-1]
	}
	return render.Columns(left.Cut(max(width-facts.Width()-1, 0)), facts, width)
}

func (p *requests) Actions() []components.Action {
	return []components.Action{
		{Name: "tab-next", Keys: []string{"tab"}, Help: "next tab", Hint: "next tab", Do: func() tea.Cmd { return p.turn(1) }},
		NewRequestAction(p.Session, p.Space, nil),
		{Name: "tab-previous", Keys: []string{"shift+tab"}, Help: "previous tab", Do: func() tea.Cmd { return p.turn(-1) }},
	}
}

// Opens says what Open does.
func (p *requests) Opens() string {
	if r, ok := p.Selected(); ok && r.About.At == -1 {
		return "next tab"
	}
	return "review"
}

// Open goes into the change request under the cursor; on the statuses, to the next one.
func (p *requests) Open() tea.Cmd {
	r, ok := p.Selected()
	switch all := p.shown(); {
	case ok && r.About.At == -1:
		return p.turn(1)
	case ok && r.About.At < len(all) && r.Key == all[r.About.At].ID:
		return page.Push(newRequest(p.Session, remote.Target{Space: p.spaceID, ChangeRequest: all[r.About.At].ID}))
	default:
		return nil
	}
}

// turn goes to another status; what was shown for the other one is not shown for this.
func (p *requests) turn(by int) tea.Cmd {
	all := statuses()
	at := slices.Index(all, p.status) + by
	p.status = all[(at+len(all))%len(all)]
	p.first.Forget()
	p.remote.Forget()
	return p.Load()
}
