package spaces

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/overview"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/screens"
	"docspace.dev/wsd/tui/text"
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
	links    int
	broken   int
	known    bool // the links
}

// manyTouching is how many open change requests are asked which pages they touch.
const manyTouching = 5

func newContentsOf(s *page.Session, of api.Space) *contentsOf {
	return &contentsOf{Frame: page.NewFrame(s), of: of}
}

func (p *contentsOf) Title() string                { return text.Titled(p.of.Title) }
func (p *contentsOf) Kind() string                 { return "preview of a space" }
func (p *contentsOf) Open() tea.Cmd                { return nil }
func (p *contentsOf) Actions() []components.Action { return nil }
func (p *contentsOf) Condition() remote.Condition  { return p.remote.Condition }

func (p *contentsOf) Load() tea.Cmd {
	client, of, organization := p.Session.Client, p.of.ID, p.Session.Organization
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (holding, error) { return holdingOf(ctx, client, organization, of) })
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
	for _, r := range have.requests[:min(len(have.requests), manyTouching)] {
		all, err := client.Changes(ctx, remote.Target{Space: space, ChangeRequest: r.ID}, "")
		if err != nil {
			continue
		}
		for _, c := range changes.ProposedBy(all).Pages {
			have.touched[c.Page.ID] = append(have.touched[c.Page.ID], r.Number)
		}
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
	width = text.Measure(width)
	have := p.remote.Latest
	lines := []text.Line{{text.Plain(text.Column(text.Emoji(p.of.Emoji), 3)), text.Of(text.Style{Bold: true}, text.Titled(p.of.Title))}}
	if !p.remote.Loaded {
		return append(previewRows(lines), page.StateRows(p.remote.Condition, false, "", width)...)
	}
	facts := text.Plural(len(have.pages), "page")
	if have.asked {
		facts += " · " + text.Plural(len(have.requests), "open change request")
	}
	lines = append(lines, text.Line{text.In(text.Dim, facts)}, nil)
	if len(have.requests) > 0 {
		lines = append(lines, append(text.Section("Open change requests"), text.In(text.Dim, "  b all")))
	}
	for i, r := range have.requests {
		if i == manyTouching {
			lines = append(lines, text.Line{text.In(text.Faint, fmt.Sprintf("┄┄ %d more", len(have.requests)-i))})
			break
		}
		left := text.Line{text.In(text.Accent, text.Column(fmt.Sprintf("#%d", r.Number), 5)), text.Plain(overview.Subject(r.ChangeRequest))}
		right := text.Line{text.In(text.Dim, p.Session.Age(r.UpdatedAt.Time))}
		lines = append(lines, text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	if len(have.requests) > 0 {
		lines = append(lines, nil)
	}
	lines = append(lines, text.Section("Pages"))
	for _, e := range have.pages {
		right := text.Line{text.In(text.Accent, numbered(have.touched[e.ID]))}
		lines = append(lines, text.Columns(e.Line.Cut(max(width-right.Width()-1, 0)), right, width))
	}
	return previewRows(append(lines, p.healthLines(have)...))
}

func previewRows(lines []text.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "preview", Line: line, Skip: true}
	}
	return rows
}

// healthLines say how many links there are, and how many of them are broken.
func (p *contentsOf) healthLines(have holding) []text.Line {
	if !have.known {
		return nil
	}
	line := append(text.Section("Links  "), text.In(text.Added, fmt.Sprintf("✓ %d", have.links-have.broken)))
	if have.broken > 0 {
		line = append(line, text.In(text.Failure, fmt.Sprintf("  ✗ %d broken", have.broken)), text.In(text.Dim, "  in the menu: ."))
	}
	return []text.Line{nil, line}
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
	rows := []components.Row{{Key: "sites"}, {Key: "sites", Line: text.Section("Sites"), Skip: true}}
	for i, s := range sites {
		said := text.In(text.Warning, "not published")
		if s.Published {
			said = text.In(text.Added, "published")
		}
		name := s.Title
		if s.URLs.Published != "" {
			name += " · " + strings.TrimPrefix(strings.TrimPrefix(s.URLs.Published, "https://"), "http://")
		}
		right := text.Line{said}
		line := text.Columns(text.Line{text.Plain("  " + name)}.Cut(max(width-right.Width()-1, 0)), right, width)
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
