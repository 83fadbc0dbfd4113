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

// contentsOf is what the preview of a space shows: its pages, with the open change requests that touch them, and its health.
type contentsOf struct {
	page.Frame
	of     api.Space
	remote remote.Value[holding]
}

// holding is what a space holds.
type holding struct {
	pages    []screens.Outlined
	requests []api.QueuedChangeRequest
	asked    bool             // the requests are known
	touched  map[string][]int // the numbers of the requests, by page
	threads  map[string]int   // open ones, by page
	recent   []api.HistoryEntry
	links    int
	broken   int
	known    bool // the links
}

// manyTouching is how many open change requests are listed, and how many revisions of the last week.
const (
	manyTouching = 5
	manyRecent   = 5
	aWeek        = 7 * 24 * time.Hour
)

func newContentsOf(s *page.Session, of api.Space) *contentsOf {
	return &contentsOf{Frame: page.NewFrame(s), of: of}
}

func (p *contentsOf) Title() string                { return render.Titled(p.of.Title) }
func (p *contentsOf) Kind() string                 { return "preview of a space" }
func (p *contentsOf) Open() tea.Cmd                { return nil }
func (p *contentsOf) Actions() []components.Action { return nil }
func (p *contentsOf) Condition() remote.Condition  { return p.remote.Condition }

func (p *contentsOf) Load() tea.Cmd {
	client, of, organization := p.Session.Client, p.of.ID, p.Session.Organization
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (holding, error) {
		have, err := holdingOf(ctx, client, organization, of)
		if err == nil && p.of.Comments > 0 {
			have.threads = openThreads(ctx, client, of)
		}
		return have, err
	})
}

// openThreads counts the open threads of a space by the pages that they are on.
func openThreads(ctx context.Context, client remote.Client, space string) map[string]int {
	all, err := client.Content(remote.Target{Space: space}).Comments(ctx, "")
	if err != nil { // the pages are worth showing without
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

// holdingOf asks what a space holds; what is only said beside its pages may be missing.
func holdingOf(ctx context.Context, client remote.Client, organization, space string) (holding, error) {
	pages, err := client.Content(remote.Target{Space: space}).Pages(ctx)
	if err != nil {
		return holding{}, err
	}
	have := holding{pages: screens.Outline(pages), touched: map[string][]int{}}
	if have.requests, _, err = client.Queued(ctx, organization, api.SavedQuery{Space: space}); err != nil {
		have.requests = nil
	}
	have.asked = err == nil
	for _, r := range have.requests {
		if r.Summary.Changes == nil {
			continue
		}
		for _, id := range r.Summary.Changes.PageIDs {
			have.touched[id] = append(have.touched[id], r.Number)
		}
	}
	if have.recent, err = client.Recent(ctx, space); err != nil {
		have.recent = nil
	}
	if links, err := client.SpaceLinks(ctx, space); err == nil {
		have.known, have.links, have.broken = true, len(links), len(screens.Broken(links))
	}
	return have, nil
}

func (p *contentsOf) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

// Rows draws the space: its name, its open change requests, its pages with the requests that touch them, its links.
func (p *contentsOf) Rows(width int) []components.Row {
	width = render.Measure(width)
	have := p.remote.Latest
	lines := []render.Line{{render.Plain(render.Column(render.Emoji(p.of.Emoji), 3)), render.Of(render.Style{Bold: true}, render.Titled(p.of.Title))}}
	if !p.remote.Loaded {
		return append(previewRows(lines), page.StateRows(p.remote.Condition, false, "", width)...)
	}
	facts := render.Plural(len(have.pages), "page")
	if have.asked {
		facts += " · " + render.Plural(len(have.requests), "open change request")
	}
	lines = append(lines, render.Line{render.In(render.Dim, facts)}, nil)
	lines = append(lines, p.requestLines(have, width)...)
	lines = append(lines, p.pageLines(have, width)...)
	lines = append(lines, p.recentLines(have, width)...)
	return previewRows(append(lines, p.healthLines(have)...))
}

// requestLines list the open change requests that changed last.
func (p *contentsOf) requestLines(have holding, width int) []render.Line {
	if len(have.requests) == 0 {
		return nil
	}
	lines := []render.Line{append(render.Section("Open change requests"), render.In(render.Dim, "  b all"))}
	for i, r := range have.requests {
		if i == manyTouching {
			lines = append(lines, render.Line{render.In(render.Faint, fmt.Sprintf("┄┄ %d more", len(have.requests)-i))})
			break
		}
		left := render.Line{render.In(render.Accent, render.Column(fmt.Sprintf("#%d", r.Number), 5)), render.Plain(render.Subject(r.ChangeRequest))}
		right := render.Line{render.In(render.Dim, p.Session.Age(r.UpdatedAt.Time))}
		lines = append(lines, render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	return append(lines, nil)
}

// The widths of the columns beside a page: when it was changed, and its open threads.
const (
	ageWidth     = 7
	threadsWidth = 4
)

// pageLines list the pages, each with the requests that change it, when it was changed last, and its open threads.
func (p *contentsOf) pageLines(have holding, width int) []render.Line {
	head := render.Line{render.In(render.Dim, fmt.Sprintf("%*s%*s", ageWidth+1, "changed", threadsWidth, "●"))}
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
			render.In(render.Accent, numbered(have.touched[e.ID])), render.In(render.Dim, fmt.Sprintf("%*s", ageWidth+1, age)), render.In(render.Warning, fmt.Sprintf("%*s", threadsWidth, open)),
		}
		lines = append(lines, render.Columns(e.Line.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	return lines
}

// recentLines say what changed in the last week, the last first.
func (p *contentsOf) recentLines(have holding, width int) []render.Line {
	var lines []render.Line
	for _, e := range have.recent {
		if p.Session.Now().Sub(e.CreatedAt.Time) > aWeek {
			break
		}
		if len(lines) == manyRecent {
			lines = append(lines, render.Line{render.In(render.Faint, "┄┄ more: H")})
			break
		}
		line := render.Line{render.In(render.Dim, render.Column(p.Session.Age(e.CreatedAt.Time), ageWidth))}
		if m := e.MergedFrom; m != nil {
			line = append(line, render.In(render.Accent, fmt.Sprintf("#%d ", m.Number)), render.Plain(m.Subject), render.In(render.Dim, " · "))
		} else {
			line = append(line, render.Plain(string(e.Type)), render.In(render.Dim, " · "))
		}
		lines = append(lines, append(line, render.In(render.Dim, p.Session.NameOf(e.Author))).Cut(width))
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

// healthLines say how many links there are, and how many of them are broken.
func (p *contentsOf) healthLines(have holding) []render.Line {
	if !have.known {
		return nil
	}
	line := append(render.Section("Links  "), render.In(render.Added, fmt.Sprintf("✓ %d", have.links-have.broken)))
	if have.broken > 0 {
		line = append(line, render.In(render.Failure, fmt.Sprintf("  ✗ %d broken", have.broken)), render.In(render.Dim, "  listed through ."))
	}
	return []render.Line{nil, line}
}

// numbered are the numbers of change requests.
func numbered(all []int) string {
	parts := make([]string, len(all))
	for i, n := range all {
		parts[i] = fmt.Sprintf("#%d", n)
	}
	return strings.Join(parts, " ")
}

// Preview implements the page with a preview pane.
func (p *spaces) Preview() page.Page { return p.previews.Shown }

// Follow implements the page with a preview pane.
func (p *spaces) Follow() tea.Cmd {
	if p.offSpace() != "" {
		p.previews.Shown = nil
		return nil
	}
	r, _ := p.Selected()
	of := p.remote.Latest.spaces[r.About.At]
	return p.previews.Show(of.ID, func() page.Page { return newContentsOf(p.Session, of) })
}

// siteKey begins the keys of the rows of sites.
const siteKey = "site/"

// siteRows list the sites of the organization, and whether they are published.
func (p *spaces) siteRows(width int) []components.Row {
	sites := p.remote.Latest.sites
	if len(sites) == 0 {
		return nil
	}
	rows := []components.Row{{Key: "sites"}, {Key: "sites", Line: render.Section("Sites"), Skip: true}}
	for i, s := range sites {
		said := render.In(render.Warning, "not published")
		if s.Published {
			said = render.In(render.Added, "published")
		}
		name := s.Title
		if s.URLs.Published != "" {
			name += " · " + strings.TrimPrefix(strings.TrimPrefix(s.URLs.Published, "https://"), "http://")
		}
		right := render.Line{said}
		line := render.Columns(render.Line{render.Plain("  " + name)}.Cut(max(width-right.Width()-1, 0)), right, width)
		rows = append(rows, components.Row{Key: siteKey + s.ID, Line: line, About: components.Subject{At: -1, Fold: i}})
	}
	return rows
}

// site is that of a row, nil for none.
func (p *spaces) site(r components.Row) *api.Site {
	if !strings.HasPrefix(r.Key, siteKey) || r.About.Fold >= len(p.remote.Latest.sites) {
		return nil
	}
	return &p.remote.Latest.sites[r.About.Fold]
}

// openSite shows a site in the browser.
func (p *spaces) openSite(of *api.Site) tea.Cmd {
	if of.URLs.Published == "" {
		return components.Toast("it is not published")
	}
	return p.Session.Browse(of.URLs.Published)
}
