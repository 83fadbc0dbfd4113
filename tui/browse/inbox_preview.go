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

// preview is what is worth knowing of a change request before it is opened: what the list says of it at once, and then the
// checks, the pages and what happened last.
type preview struct {
	page.Frame
	of     api.QueuedChangeRequest
	checks remote.Value[api.Mergeability]
	pages  remote.Value[changed]
	last   remote.Value[api.Timeline]
	waits  bool // for the cursor to rest
	asked  bool // for what the list does not say
}

// follow makes the preview of a page that of the change request under its cursor; the page is told when the cursor rests.
func follow(s *page.Session, previews *page.Previews, r api.QueuedChangeRequest, p page.Page) tea.Cmd {
	previews.Show(r.ID+r.Revision, func() page.Page { return newPreview(s, r) })
	shown, ok := previews.Shown.(*preview)
	if !ok || shown.asked || shown.waits {
		return nil
	}
	shown.waits = true
	return s.Later(restedMsg{p, shown})
}

// restedMsg says that a moment has passed since a preview was shown: if it still is, it asks for what the list does not say.
type restedMsg struct {
	to page.Page
	of *preview
}

// rested asks for what the preview under the cursor shows.
func rested(previews *page.Previews, of *preview) tea.Cmd {
	of.waits = false
	if previews.Shown != page.Page(of) || of.asked {
		return nil
	}
	of.asked = true
	return of.fetch()
}

// requestOf is the change request of a row, among all that are listed.
func requestOf(row components.Row, ok bool, all []api.QueuedChangeRequest) (api.QueuedChangeRequest, bool) {
	id, is := strings.CutPrefix(row.Key, requestKey)
	at := slices.IndexFunc(all, func(r api.QueuedChangeRequest) bool { return r.ID == id })
	if !ok || !is || at < 0 {
		return api.QueuedChangeRequest{}, false
	}
	return all[at], true
}

// where says at which row of those that something begins with the cursor is.
func where(list *components.List) render.Line {
	at, all := list.Count(func(r components.Row) bool { return r.Begin })
	if all == 0 || list.Searching() {
		return nil
	}
	return page.RowOf(max(at, 1), all)
}

// changed is what a change request changes, and how much.
type changed struct {
	render.Proposed
	words   map[string]api.WordCount
	threads map[string]int // open ones, by the page
}

func newPreview(s *page.Session, of api.QueuedChangeRequest) *preview {
	return &preview{Frame: page.NewFrame(s), of: of}
}

func (p *preview) Title() string                { return render.Subject(p.of.ChangeRequest) }
func (p *preview) Kind() string                 { return "preview" }
func (p *preview) Open() tea.Cmd                { return nil }
func (p *preview) Actions() []components.Action { return nil }
func (p *preview) Condition() remote.Condition  { return p.pages.Condition }

// Load asks for nothing: the inbox has it asked for when the cursor rests.
func (p *preview) Load() tea.Cmd { return nil }

// fetch asks for what the list does not say.
func (p *preview) fetch() tea.Cmd {
	c, at := p.Session.Connection, targetOf(p.of)
	checks := p.checks.Load(c, func(ctx context.Context) (api.Mergeability, error) { return c.Client.Mergeability(ctx, at) })
	last := p.last.Load(c, func(ctx context.Context) (api.Timeline, error) { return c.Client.Timeline(ctx, at) })
	pages := p.pages.Load(c, func(ctx context.Context) (changed, error) { return changedBy(ctx, c.Client, at) })
	return tea.Batch(pages, checks, last, p.Session.Read.Load(at))
}

// changedBy asks what a change request changes; what is only said beside it may be missing.
func changedBy(ctx context.Context, client remote.Client, at remote.Target) (changed, error) {
	all, err := client.Changes(ctx, at, "")
	if err != nil {
		return changed{}, err
	}
	have := changed{Proposed: render.ProposedBy(all), threads: map[string]int{}}
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

func (p *preview) Update(msg tea.Msg) tea.Cmd {
	if p.checks.Take(msg) || p.pages.Take(msg) || p.last.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *preview) Rows(width int) []components.Row {
	r, s := p.of, p.Session
	s.Read.Own(targetOf(r), r.CreatedBy.ID == s.Me.ID)
	width = render.Measure(width)
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

// mergeLines say what blocks a merge and what it warns of; what passes is one line.
func (p *preview) mergeLines(width int) []render.Line {
	if s := p.of.Status; s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	m := p.checks.Latest
	if len(m.Rules) == 0 {
		return p.waiting("Merge ", p.checks.Condition, width)
	}
	lines := append([]render.Line{nil}, render.Wrap(render.Merge(m, p.of.Status), width, render.Line{render.Plain("  ")})...)
	stops, advice := render.Stands(m)
	for _, g := range slices.Concat(stops, advice) {
		lines = append(lines, render.Wrap(render.Reader{Me: p.Session.Me, Free: m.Mergeable}.Check(g), width, render.Line{render.Plain("  ")})...)
	}
	return append(lines, render.Passing(m.Rules).Cut(width))
}

// waiting stands for what is not there yet, or says why it is not.
func (p *preview) waiting(title string, c remote.Condition, width int) []render.Line {
	switch {
	case c.Err != nil:
		return []render.Line{nil, append(render.Section(title), render.In(render.Warning, "! "+remote.TroubleOf(c.Err).Label)).Cut(width)}
	case c.Busy, !c.Loaded:
		return []render.Line{nil, append(render.Section(title), render.In(render.Dim, unknown)).Cut(width)}
	default:
		return nil
	}
}

// pageLines list the pages that it changes, with words, threads and what was read.
func (p *preview) pageLines(width, most int) []render.Line {
	have := p.pages.Latest
	if !p.pages.Loaded {
		return p.waiting("Pages ", p.pages.Condition, width)
	}
	lines := []render.Line{nil, render.Columns(append(render.Section("Pages"), render.In(render.Dim, fmt.Sprintf(" %d", len(have.Pages)))), render.Line{render.In(render.Dim, "words      read")}, width)}
	for i, c := range have.Pages {
		if i == most {
			lines = append(lines, render.Line{render.In(render.Faint, fmt.Sprintf("┄┄ %s more", render.Plural(len(have.Pages)-most, "page")))})
			break
		}
		f := render.PageFacts{Threads: have.threads[c.Page.ID], Read: p.sign(c.Page.ID)}
		if w, ok := have.words[c.Page.ID]; ok {
			f.Words = &w
		}
		lines = append(lines, render.Page(c, 0, f, width))
		if p.Session.Read.Changed(targetOf(p.of), c.Page.ID) {
			lines = append(lines, render.Line{render.In(render.Fresh, "    changed since you read it")}.Cut(width))
		}
	}
	if n := len(have.Rest); n > 0 {
		lines = append(lines, render.Line{render.In(render.Dim, fmt.Sprintf("and %s other than pages", render.Plural(n, "change")))}.Cut(width))
	}
	return lines
}

// sign is that of what was read, or was not.
func (p *preview) sign(id string) render.Line {
	switch read, known := p.Session.Read.Has(targetOf(p.of), id); {
	case !known:
		return nil
	case read:
		return render.Line{render.In(render.Added, "✓")}
	default:
		return render.Line{render.In(render.Warning, "◌")}
	}
}

// eventLines say what happened last, the latest first.
func (p *preview) eventLines(width, most int) []render.Line {
	events := p.last.Latest.Events
	if len(events) == 0 {
		return nil
	}
	lines := []render.Line{nil, render.Section("Latest").Cut(width)}
	latest := events[max(len(events)-most, 0):]
	for _, line := range slices.Backward(render.Events(latest, p.Session.Me.ID, p.Session.Age, nil, p.Session.Now())) {
		lines = append(lines, render.Wrap(line, width, render.Line{render.Plain("      ")})...)
	}
	return lines
}
