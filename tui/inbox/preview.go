package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/overview"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
	"docspace.dev/wsd/tui/threads"
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
func where(list *components.List) text.Line {
	at, all := list.Count(func(r components.Row) bool { return r.Begin })
	if all == 0 || list.Searching() {
		return nil
	}
	return page.RowOf(max(at, 1), all)
}

// changed is what a change request changes, and how much.
type changed struct {
	changes.Proposed
	words   map[string]api.WordCount
	threads map[string]int // open ones, by the page
}

func newPreview(s *page.Session, of api.QueuedChangeRequest) *preview {
	return &preview{Frame: page.NewFrame(s), of: of}
}

func (p *preview) Title() string                { return overview.Subject(p.of.ChangeRequest) }
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
	have := changed{Proposed: changes.ProposedBy(all), threads: map[string]int{}}
	if have.words, err = client.Words(ctx, at, ""); err != nil {
		have.words = nil
	}
	if comments, err := client.Content(at).Comments(ctx, ""); err == nil {
		for _, c := range comments {
			if id, _ := threads.PageOf(c); c.Status == api.CommentOpen {
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
	width = text.Measure(width)
	lines := overview.Title(r.ChangeRequest, width)
	about := overview.UserName(r.CreatedBy, s.Me.ID)
	if by := r.Summary.AskedBy; by != nil {
		about = overview.UserName(*by, s.Me.ID) + " asked you"
	}
	if name := s.Names[r.Space]; name != "" {
		about += " · " + name
	}
	lines = append(lines, text.Line{text.In(text.Dim, about)}.Cut(width))
	const mostOfDescription, mostOfPages, mostOfEvents = 8, 12, 5
	if described := overview.Description(r.ChangeRequest, width, mostOfDescription); len(described) > 0 {
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
func (p *preview) mergeLines(width int) []text.Line {
	if s := p.of.Status; s == api.StatusMerged || s == api.StatusArchived {
		return nil
	}
	m := p.checks.Latest
	if len(m.Rules) == 0 {
		return p.waiting("Merge ", p.checks.Condition, width)
	}
	lines := append([]text.Line{nil}, text.Wrap(overview.Merge(m, p.of.Status), width, text.Line{text.Plain("  ")})...)
	stops, advice := overview.Stands(m)
	for _, g := range slices.Concat(stops, advice) {
		lines = append(lines, text.Wrap(overview.Reader{Me: p.Session.Me, Free: m.Mergeable}.Check(g), width, text.Line{text.Plain("  ")})...)
	}
	return append(lines, overview.Passing(m.Rules).Cut(width))
}

// waiting stands for what is not there yet, or says why it is not.
func (p *preview) waiting(title string, c remote.Condition, width int) []text.Line {
	switch {
	case c.Err != nil:
		return []text.Line{nil, append(text.Section(title), text.In(text.Warning, "! "+remote.TroubleOf(c.Err).Label)).Cut(width)}
	case c.Busy, !c.Loaded:
		return []text.Line{nil, append(text.Section(title), text.In(text.Dim, unknown)).Cut(width)}
	default:
		return nil
	}
}

// pageLines list the pages that it changes, with words, threads and what was read.
func (p *preview) pageLines(width, most int) []text.Line {
	have := p.pages.Latest
	if !p.pages.Loaded {
		return p.waiting("Pages ", p.pages.Condition, width)
	}
	lines := []text.Line{nil, text.Columns(append(text.Section("Pages"), text.In(text.Dim, fmt.Sprintf(" %d", len(have.Pages)))), text.Line{text.In(text.Dim, "words      read")}, width)}
	for i, c := range have.Pages {
		if i == most {
			lines = append(lines, text.Line{text.In(text.Faint, fmt.Sprintf("┄┄ %s more", text.Plural(len(have.Pages)-most, "page")))})
			break
		}
		f := overview.PageFacts{Threads: have.threads[c.Page.ID], Read: p.sign(c.Page.ID)}
		if w, ok := have.words[c.Page.ID]; ok {
			f.Words = &w
		}
		lines = append(lines, overview.Page(c, 0, f, width))
		if p.Session.Read.Changed(targetOf(p.of), c.Page.ID) {
			lines = append(lines, text.Line{text.In(text.Fresh, "    changed since you read it")}.Cut(width))
		}
	}
	if n := len(have.Rest); n > 0 {
		lines = append(lines, text.Line{text.In(text.Dim, fmt.Sprintf("and %s other than pages", text.Plural(n, "change")))}.Cut(width))
	}
	return lines
}

// sign is that of what was read, or was not.
func (p *preview) sign(id string) text.Line {
	switch read, known := p.Session.Read.Has(targetOf(p.of), id); {
	case !known:
		return nil
	case read:
		return text.Line{text.In(text.Added, "✓")}
	default:
		return text.Line{text.In(text.Warning, "◌")}
	}
}

// eventLines say what happened last, the latest first.
func (p *preview) eventLines(width, most int) []text.Line {
	events := p.last.Latest.Events
	if len(events) == 0 {
		return nil
	}
	lines := []text.Line{nil, text.Section("Latest").Cut(width)}
	latest := events[max(len(events)-most, 0):]
	for _, line := range slices.Backward(overview.Events(latest, p.Session.Me.ID, p.Session.Age, nil, p.Session.Now())) {
		lines = append(lines, text.Wrap(line, width, text.Line{text.Plain("      ")})...)
	}
	return lines
}
