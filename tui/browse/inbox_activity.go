package browse

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// Activity lists the change requests of an organization by their last event, in any status. The preview pane shows
// the events.
type Activity struct {
	page.Frame
	organization string
	remote       remote.Value[queryResult]
	previews     page.Previews
}

// NewActivity returns the activity of an organization.
func NewActivity(s *page.Session, organization string) *Activity {
	p := &Activity{Frame: page.NewFrame(s), organization: organization}
	p.List.Filter = true
	return p
}

// Title implements page.Page.
func (p *Activity) Title() string { return "Activity" }

// Kind implements page.Page.
func (p *Activity) Kind() string { return "activity" }

// LoadState implements page.Page.
func (p *Activity) LoadState() remote.LoadState { return p.remote.LoadState }

// Load loads the requests with the latest events in one call.
func (p *Activity) Load() tea.Cmd {
	client, organization := p.Session.Client, p.organization
	p.previews.Forget()
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (queryResult, error) {
		all, more, err := client.Queued(ctx, organization, api.SavedQuery{Status: api.StatusOpen.Values()})
		return queryResult{all, more}, err
	})
}

// Update implements page.Page.
func (p *Activity) Update(msg tea.Msg) tea.Cmd {
	if r, ok := msg.(restedMsg); ok && r.page == page.Page(p) {
		return fetchShown(&p.previews, r.preview)
	}
	if p.remote.Take(msg) {
		p.Stale = true
		return nil
	}
	return p.previews.Update(msg)
}

// Rows implements page.Page.
func (p *Activity) Rows(width int) []components.Row {
	have := p.remote.Latest
	if rows := p.StateRows(p.LoadState(), len(have.requests) == 0, "Nothing has happened in change requests that you may see.",
		width); rows != nil {
		return rows
	}
	return groupByTime(have.requests, p.Session.Now(), func(r api.QueuedChangeRequest) []components.Row {
		return []components.Row{{Key: requestKey + r.ID, Line: p.line(r, width), Begin: true}}
	})
}

// line draws a change request: the time of its last event, its status, number and subject, its space and author.
func (p *Activity) line(r api.QueuedChangeRequest, width int) render.Line {
	left := render.Line{
		render.In(render.Dim, render.PadColumn(p.Session.Age(r.UpdatedAt.Time), numberWidth)), render.In(statusTones[r.Status],
			render.PadColumn(string(r.Status), 9)),
		render.NewSpan(render.Style{
			Tone: render.Accent, Bold: true,
		}, fmt.Sprintf("#%d ", r.Number)), render.Plain(render.Subject(r.ChangeRequest)),
	}
	about := p.Session.UserName(r.CreatedBy)
	if name := p.Session.Names[r.Space]; name != "" {
		about = name + " · " + about
	}
	right := render.Line{render.In(render.Dim, about)}.Cut(width / 3)
	if threads := threadsColumn(r, signs); threads != nil {
		right = render.Join(threads, render.Line{render.Plain(" ")}, right)
	}
	return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// statusTones are the tones of the statuses.
var statusTones = map[api.ChangeRequestStatus]render.Tone{
	api.StatusOpen: render.Added, api.StatusMerged: render.Accent, api.StatusDraft: render.Dim, api.StatusArchived: render.Dim,
}

// groupByTime draws change requests under the titles today, this week and earlier. It sorts them into these groups
// and keeps their order otherwise.
func groupByTime(all []api.QueuedChangeRequest, now time.Time, draw func(api.QueuedChangeRequest) []components.Row) []components.Row {
	var rows []components.Row
	for _, span := range []struct {
		title    string
		from, to time.Duration
	}{{"Last 24 hours", 0, day}, {"This week", day, week}, {"Earlier", week, 1 << 62}} {
		var group []components.Row
		n := 0
		for _, r := range all {
			if age := max(now.Sub(r.UpdatedAt.Time), 0); age >= span.from && age < span.to {
				group, n = append(group, draw(r)...), n+1
			}
		}
		if n == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, components.Row{Key: "gap"})
		}
		rows = append(rows, components.Row{Key: groupKey + span.title, Line: groupLine(span.title, n, false), Skip: true})
		rows = append(rows, group...)
	}
	return rows
}

// The periods of the groups.
const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Share returns the list's part of the window as a fraction.
func (p *Activity) Share() (part, total int) { return 62, 100 }

// Preview implements the preview pane.
func (p *Activity) Preview() page.Page { return p.previews.Shown }

// Follow implements the preview pane.
func (p *Activity) Follow() tea.Cmd {
	r, ok := p.selectedRequest()
	if !ok {
		p.previews.Shown = nil
		return nil
	}
	return followRequest(p.Session, &p.previews, r, p)
}

// selectedRequest returns the change request under the cursor.
func (p *Activity) selectedRequest() (api.QueuedChangeRequest, bool) {
	row, ok := p.Selected()
	return requestOfRow(row, ok, p.remote.Latest.requests)
}

// noRequestReason returns the reason why there is no change request under the cursor, or "".
func (p *Activity) noRequestReason() string {
	if _, ok := p.selectedRequest(); !ok {
		return "put the cursor on a change request first"
	}
	return ""
}

// OpenHint returns the hint of Open.
func (p *Activity) OpenHint() string {
	if row, _ := p.Selected(); strings.HasPrefix(row.Key, requestKey) {
		return "review"
	}
	return ""
}

// Open opens the change request under the cursor.
func (p *Activity) Open() tea.Cmd {
	if r, ok := p.selectedRequest(); ok {
		return page.Push(screens.Request(p.Session, targetOf(r)))
	}
	return nil
}

// Actions implements page.Page.
func (p *Activity) Actions() []components.Action {
	return []components.Action{
		{Name: "requests", Keys: []string{
			"b",
		}, Help: "change requests of the space", Hint: "requests of the space", DisabledReason: p.noRequestReason, Do: func() tea.Cmd {
			r, _ := p.selectedRequest()
			return page.Push(screens.Requests(p.Session, r.Space))
		}},
		{Name: "comments", Keys: []string{"C"}, Help: "all threads", DisabledReason: p.noRequestReason, Do: func() tea.Cmd {
			r, _ := p.selectedRequest()
			return page.Push(screens.Comments(p.Session, targetOf(r)))
		}},
	}
}

// CursorPosition returns the position of the cursor among the change requests, for the first line of the screen.
func (p *Activity) CursorPosition() render.Line { return rowPosition(&p.List) }

// Link returns the URL of the change request under the cursor.
func (p *Activity) Link() string {
	r, _ := p.selectedRequest()
	return r.URLs.App
}

// Command returns the wsctl command for the list.
func (p *Activity) Command() string {
	words := []string{"change-requests", "list-queue", "--org", p.organization}
	for _, s := range api.StatusOpen.Values() {
		words = append(words, "--status", string(s))
	}
	return remote.Command(words...)
}
