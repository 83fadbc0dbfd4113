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
	if r, ok := msg.(debounceMsg); ok && r.page == page.Page(p) {
		return fetchDetails(&p.previews, r.preview)
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
	c := p.columns(width)
	rows := groupByTime(have.requests, p.Session.Now(), func(r api.QueuedChangeRequest) []components.Row {
		return []components.Row{{Key: requestKeyPrefix + r.ID, Line: p.line(r, c), Begin: true}}
	})
	if c.style != styleSigns {
		return rows
	}
	for i, r := range rows { // add the heading of the signs to the titles of the groups
		if strings.HasPrefix(r.Key, groupKeyPrefix) {
			rows[i].Line = render.Columns(r.Line, render.Line{render.In(render.Faint, "threads")}, width-c.aboutWidth-columnGap)
		}
	}
	return rows
}

// activityColumns is the layout of the rows: their width, the style of the threads, whether they have the author, and the
// width of the space and author.
type activityColumns struct {
	width      int
	style      columnStyle
	hasAuthor  bool
	aboutWidth int
}

// The width of the statuses, the widths of the threads as words and as signs, and the gap before the last column.
const (
	statusWidth = 9
	openWidth   = 10
	signsWidth  = 3
	columnGap   = 2
)

func (p *Activity) columns(width int) activityColumns {
	c := activityColumns{width: width, style: styleFewWords}
	if width < minFewWordsWidth {
		c.style = styleSigns
	}
	c.hasAuthor = width >= minWordsWidth
	for _, r := range p.remote.Latest.requests {
		c.aboutWidth = max(c.aboutWidth, render.Line{render.Plain(p.aboutText(r, c))}.Width())
	}
	c.aboutWidth = min(c.aboutWidth, render.Choose(c.hasAuthor, width/3, nameWidth))
	return c
}

// aboutText returns the space of a change request and, if there is width for it, its author.
func (p *Activity) aboutText(r api.QueuedChangeRequest, c activityColumns) string {
	author, name := p.Session.UserName(r.CreatedBy), p.Session.Names[r.Space]
	switch {
	case name == "":
		return author
	case c.hasAuthor:
		return name + " · " + author
	default:
		return name
	}
}

// line draws a change request: the time of its last event, its status, number and subject, its open threads, and its
// space.
func (p *Activity) line(r api.QueuedChangeRequest, c activityColumns) render.Line {
	left := render.Line{
		render.In(render.Dim, render.PadColumn(p.Session.Age(r.UpdatedAt.Time), numberWidth)),
		render.In(statusTones[r.Status], render.PadColumn(string(r.Status), statusWidth)),
		render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, fmt.Sprintf("#%d ", r.Number)),
		render.Plain(render.Subject(r.ChangeRequest)),
	}
	threads := render.AlignRight(threadsColumn(r, c.style), render.Choose(c.style == styleSigns, signsWidth, openWidth))
	about := render.Line{render.In(render.Dim, p.aboutText(r, c))}.Pad(c.aboutWidth)
	right := render.Join(threads, render.Line{render.Plain(strings.Repeat(" ", columnGap))}, about)
	return render.Columns(left.Cut(max(c.width-right.Width()-1, 0)), right, c.width)
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
		rows = append(rows, components.Row{Key: groupKeyPrefix + span.title, Line: groupLine(span.title, n, false), Skip: true})
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

// Preview returns the page in the preview pane, or nil.
func (p *Activity) Preview() page.Page { return p.previews.Shown }

// Follow updates the preview pane to the change request under the cursor.
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

// OpenHint returns what Open does with the row under the cursor, for the footer.
func (p *Activity) OpenHint() string {
	if row, _ := p.Selected(); strings.HasPrefix(row.Key, requestKeyPrefix) {
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
