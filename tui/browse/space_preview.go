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

// spacePreview is the preview of a space: its pages with the open change requests that change them, and its broken
// links.
type spacePreview struct {
	page.Frame
	space  api.Space
	remote remote.Value[spaceContents]
}

// spaceContents are the contents of a space.
type spaceContents struct {
	pages          []screens.OutlineRow
	requests       []api.QueuedChangeRequest
	requestsKnown  bool             // requests are loaded
	requestNumbers map[string][]int // numbers of the requests that change a page, by page
	threads        map[string]int   // number of open threads by page
	history        []api.HistoryEntry
	links          int
	brokenLinks    int
	linksKnown     bool // links and broken are loaded
}

// The maximum numbers of open change requests and of recent revisions, and the period of the latter.
const (
	maxRequests  = 5
	maxRecent    = 5
	recentPeriod = 7 * 24 * time.Hour
)

func newSpacePreview(s *page.Session, space api.Space) *spacePreview {
	return &spacePreview{Frame: page.NewFrame(s), space: space}
}

func (p *spacePreview) Title() string                { return render.DisplayTitle(p.space.Title) }
func (p *spacePreview) Kind() string                 { return "preview of a space" }
func (p *spacePreview) Open() tea.Cmd                { return nil }
func (p *spacePreview) Actions() []components.Action { return nil }
func (p *spacePreview) LoadState() remote.LoadState  { return p.remote.LoadState }

func (p *spacePreview) Load() tea.Cmd {
	client, space, organization := p.Session.Client, p.space.ID, p.Session.Organization
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (spaceContents, error) {
		have, err := loadSpaceContents(ctx, client, organization, space)
		if err == nil && p.space.Comments > 0 {
			have.threads = countOpenThreads(ctx, client, space)
		}
		return have, err
	})
}

// countOpenThreads counts the open threads of a space by page.
func countOpenThreads(ctx context.Context, client remote.Client, space string) map[string]int {
	all, err := client.Content(remote.Target{Space: space}).Comments(ctx, "")
	if err != nil { // optional
		return nil
	}
	n := map[string]int{}
	for _, c := range all {
		if id, _ := screens.PageOf(c); c.Status == api.CommentOpen {
			n[id]++
		}
	}
	return n
}

// loadSpaceContents loads the contents of a space. Errors in loading the optional parts are ignored.
func loadSpaceContents(ctx context.Context, client remote.Client, organization, space string) (spaceContents, error) {
	pages, err := client.Content(remote.Target{Space: space}).Pages(ctx)
	if err != nil {
		return spaceContents{}, err
	}
	have := spaceContents{pages: screens.Outline(pages), requestNumbers: map[string][]int{}}
	if have.requests, _, err = client.Queued(ctx, organization, api.SavedQuery{Space: space}); err != nil {
		have.requests = nil
	}
	have.requestsKnown = err == nil
	for _, r := range have.requests {
		if r.Summary.Changes == nil {
			continue
		}
		for _, id := range r.Summary.Changes.PageIDs {
			have.requestNumbers[id] = append(have.requestNumbers[id], r.Number)
		}
	}
	if have.history, err = client.Recent(ctx, space); err != nil {
		have.history = nil
	}
	if links, err := client.SpaceLinks(ctx, space); err == nil {
		have.linksKnown, have.links, have.brokenLinks = true, len(links), len(screens.FilterBroken(links))
	}
	return have, nil
}

func (p *spacePreview) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

// Rows draws the name of the space, its open change requests, its pages with the requests that change them, and its
// links.
func (p *spacePreview) Rows(width int) []components.Row {
	width = render.ProseWidth(width)
	have := p.remote.Latest
	lines := []render.Line{
		{
			render.Plain(render.PadColumn(render.PlainEmoji(p.space.Emoji), 3)), render.NewSpan(render.Style{Bold: true},
				render.DisplayTitle(p.space.Title)),
		},
	}
	if !p.remote.Loaded {
		return append(previewRows(lines), p.StateRows(p.remote.LoadState, false, "", width)...)
	}
	facts := render.Plural(len(have.pages), "page")
	if have.requestsKnown {
		facts += " · " + render.Plural(len(have.requests), "open change request")
	}
	lines = append(lines, render.Line{render.In(render.Dim, facts)}, nil)
	lines = append(lines, p.requestLines(have, width)...)
	lines = append(lines, p.pageLines(have, width)...)
	lines = append(lines, p.recentLines(have, width)...)
	return previewRows(append(lines, p.healthLines(have)...))
}

// requestLines lists the open change requests with the latest changes.
func (p *spacePreview) requestLines(have spaceContents, width int) []render.Line {
	if len(have.requests) == 0 {
		return nil
	}
	lines := []render.Line{append(render.Section("Open change requests"), render.In(render.Dim, "  b all"))}
	for i, r := range have.requests {
		if i == maxRequests {
			lines = append(lines, render.Line{render.In(render.Faint, fmt.Sprintf("┄┄ %d more", len(have.requests)-i))})
			break
		}
		left := render.Line{
			render.In(render.Accent, render.PadColumn(fmt.Sprintf("#%d", r.Number), 5)), render.Plain(render.Subject(r.ChangeRequest)),
		}
		right := render.Line{render.In(render.Dim, p.Session.Age(r.UpdatedAt.Time))}
		lines = append(lines, render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	return append(lines, nil)
}

// The widths of the columns for the age and the open threads of a page.
const (
	ageWidth     = 7
	threadsWidth = 8
)

// pageLines lists the pages, each with the requests that change it, its last change and its open threads.
func (p *spacePreview) pageLines(have spaceContents, width int) []render.Line {
	head := render.Line{render.In(render.Dim, fmt.Sprintf("%*s%*s", ageWidth+1, "changed", threadsWidth, "threads"))}
	lines := []render.Line{render.Columns(render.Section("Pages"), head, width)}
	for _, e := range have.pages {
		age, open := "", ""
		if !e.Changed.IsZero() {
			age = p.Session.Age(e.Changed.Time)
		}
		if n := have.threads[e.ID]; n > 0 {
			open = fmt.Sprintf("●%d", n)
		}
		right := render.Line{
			render.In(render.Accent, joinNumbers(have.requestNumbers[e.ID])), render.In(render.Dim, fmt.Sprintf("%*s", ageWidth+1, age)),
			render.In(render.Warning, fmt.Sprintf("%*s", threadsWidth, open)),
		}
		lines = append(lines, render.Columns(e.Line.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	return lines
}

// recentLines lists the changes of the last week, newest first.
func (p *spacePreview) recentLines(have spaceContents, width int) []render.Line {
	var lines []render.Line
	for _, e := range have.history {
		if p.Session.Now().Sub(e.CreatedAt.Time) > recentPeriod {
			break
		}
		if len(lines) == maxRecent {
			lines = append(lines, render.Line{render.In(render.Faint, "┄┄ more: H")})
			break
		}
		line := render.Line{render.In(render.Dim, render.PadColumn(p.Session.Age(e.CreatedAt.Time), ageWidth))}
		if m := e.MergedFrom; m != nil {
			line = append(line, render.In(render.Accent, fmt.Sprintf("#%d ", m.Number)), render.Plain(m.Subject),
				render.In(render.Dim, " · "))
		} else {
			line = append(line, render.Plain(string(e.Type)), render.In(render.Dim, " · "))
		}
		lines = append(lines, append(line, render.In(render.Dim, p.Session.UserName(e.Author))).Cut(width))
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]render.Line{nil, render.Section("What changed this week")}, lines...)
}

func previewRows(lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "preview", Line: line, Skip: true}
	}
	return rows
}

// healthLines draws the numbers of links and of broken links.
func (p *spacePreview) healthLines(have spaceContents) []render.Line {
	if !have.linksKnown {
		return nil
	}
	line := append(render.Section("Links  "), render.In(render.Added, fmt.Sprintf("✓ %d valid", have.links-have.brokenLinks)))
	if have.brokenLinks > 0 {
		line = append(line, render.In(render.Failure, fmt.Sprintf("  ✗ %d broken", have.brokenLinks)),
			render.In(render.Dim, "  . lists them"))
	}
	return []render.Line{nil, line}
}

// joinNumbers formats the numbers of change requests.
func joinNumbers(all []int) string {
	parts := make([]string, len(all))
	for i, n := range all {
		parts[i] = fmt.Sprintf("#%d", n)
	}
	return strings.Join(parts, " ")
}

// Preview returns the page in the preview pane, or nil.
func (p *spacesPage) Preview() page.Page { return p.previews.Shown }

// Follow updates the preview pane to the row under the cursor.
func (p *spacesPage) Follow() tea.Cmd {
	if p.noSpaceReason() != "" {
		p.previews.Shown = nil
		return nil
	}
	r, _ := p.Selected()
	space := p.remote.Latest.spaces[r.About.At]
	return p.previews.Show(space.ID, func() page.Page { return newSpacePreview(p.Session, space) })
}

// siteKeyPrefix is the prefix of the keys of rows of sites.
const siteKeyPrefix = "site/"

// siteRows lists the sites of the organization with their publication status.
func (p *spacesPage) siteRows(width int) []components.Row {
	sites := p.remote.Latest.sites
	if len(sites) == 0 {
		return nil
	}
	rows := []components.Row{{Key: "sites"}, {Key: "sites", Line: render.Section("Sites"), Skip: true}}
	for i, s := range sites {
		status := render.In(render.Warning, "not published")
		if s.Published {
			status = render.In(render.Added, "published")
		}
		name := s.Title
		if s.URLs.Published != "" {
			name += " · " + strings.TrimPrefix(strings.TrimPrefix(s.URLs.Published, "https://"), "http://")
		}
		right := render.Line{status}
		line := render.Columns(render.Line{render.Plain("  " + name)}.Cut(max(width-right.Width()-1, 0)), right, width)
		rows = append(rows, components.Row{Key: siteKeyPrefix + s.ID, Line: line, About: components.Subject{At: -1, Fold: i}})
	}
	return rows
}

// siteOfRow returns the site of a row, or nil.
func (p *spacesPage) siteOfRow(r components.Row) *api.Site {
	if !strings.HasPrefix(r.Key, siteKeyPrefix) || r.About.Fold >= len(p.remote.Latest.sites) {
		return nil
	}
	return &p.remote.Latest.sites[r.About.Fold]
}

// openSite opens a site in the browser.
func (p *spacesPage) openSite(site *api.Site) tea.Cmd {
	if site.URLs.Published == "" {
		return components.Toast("it is not published")
	}
	return p.Session.Browse(site.URLs.Published)
}
