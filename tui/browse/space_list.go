package browse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// spacesPage lists the spaces of an organization by collection.
type spacesPage struct {
	page.Frame
	organization api.Organization
	remote       remote.Value[organizationContents]
	folded       map[string]bool // collections by id
	previews     page.Previews
}

// organizationContents are the contents of an organization.
type organizationContents struct {
	collections []api.Collection
	spaces      []api.Space
	sites       []api.Site
	visits      []drafts.Visit // recently opened pages
}

func newSpacesPage(s *page.Session, o api.Organization) *spacesPage {
	s.Organization = o.ID
	p := &spacesPage{Frame: page.NewFrame(s), organization: o, folded: map[string]bool{}}
	p.List.Filter = true
	return p
}

func (p *spacesPage) Title() string {
	if p.organization.Title == "" {
		return "Spaces"
	}
	return p.organization.Title
}

func (p *spacesPage) Kind() string                { return "spaces" }
func (p *spacesPage) LoadState() remote.LoadState { return p.remote.LoadState }

func (p *spacesPage) Load() tea.Cmd {
	p.previews.Forget()
	client, id, visits := p.Session.Client, p.organization.ID, p.Session.Visits
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (organizationContents, error) {
		collections, err := client.Collections(ctx, id)
		if err != nil {
			return organizationContents{}, err
		}
		spaces, err := client.Spaces(ctx, id)
		sortByTitle(collections, func(c api.Collection) string { return c.Title })
		sortByTitle(spaces, func(s api.Space) string { return s.Title })
		have := organizationContents{collections: collections, spaces: spaces}
		if sites, err := client.Sites(ctx, id); err == nil { // optional
			have.sites = sites
		}
		if visits != nil {
			have.visits, _ = visits.Visits() // optional
		}
		return have, err
	})
}

// sortByTitle sorts items by title as people do: without regard to case, and numbers by their value.
func sortByTitle[T any](all []T, title func(T) string) {
	order := collate.New(language.Und, collate.IgnoreCase, collate.Numeric)
	slices.SortStableFunc(all, func(a, b T) int { return order.CompareString(title(a), title(b)) })
}

func (p *spacesPage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
		for _, s := range p.remote.Latest.spaces {
			p.Session.Names[s.ID] = render.DisplayTitle(s.Title)
		}
		return nil
	}
	return p.previews.Update(msg)
}

func (p *spacesPage) Rows(width int) []components.Row {
	have := p.remote.Latest
	empty := len(have.spaces)+len(have.collections) == 0
	if rows := p.StateRows(p.LoadState(), empty, "There are no spaces that you can read.", width); rows != nil {
		return rows
	}
	return slices.Concat(p.levelRows("", 0, width, p.childrenByParent()), p.siteRows(width), p.visitRows(width))
}

// visitKeyPrefix is the prefix of the keys of rows of recent pages; at most maxVisits are shown.
const (
	visitKeyPrefix = "visit/"
	maxVisits      = 8
)

// visitRows lists the recently opened pages of the spaces that are shown.
func (p *spacesPage) visitRows(width int) []components.Row {
	var rows []components.Row
	for i, v := range p.remote.Latest.visits {
		name := p.Session.Names[v.Space]
		if name == "" || len(rows) == maxVisits {
			continue
		}
		right := render.Line{render.In(render.Dim, name+" · "+p.Session.Ago(v.VisitedAt))}
		line := render.Columns(render.Line{render.Plain("  " + v.Title)}.Cut(max(width-right.Width()-1, width/3)), right, width)
		rows = append(rows, components.Row{
			Key: visitKeyPrefix + v.Space + v.ChangeRequest + v.Page, Line: line, About: components.Subject{At: -1, Fold: i},
		})
	}
	if len(rows) == 0 {
		return nil
	}
	return append([]components.Row{{Key: "visits"}, {Key: "visits", Line: render.Section("Recently opened"), Skip: true}}, rows...)
}

// children are the indexes of the children of a collection.
type children struct{ collections, spaces []int }

// childrenByParent returns the children of each collection by its id. Items without a visible parent are children of
// "".
func (p *spacesPage) childrenByParent() map[string]*children {
	inside := map[string]*children{"": {}}
	for _, c := range p.remote.Latest.collections {
		inside[c.ID] = &children{}
	}
	at := func(parent, id string) *children {
		if found := inside[parent]; found != nil && parent != id {
			return found
		}
		return inside[""]
	}
	for i, c := range p.remote.Latest.collections {
		found := at(c.Parent, c.ID)
		found.collections = append(found.collections, i)
	}
	for i, s := range p.remote.Latest.spaces {
		found := at(s.Parent, s.ID)
		found.spaces = append(found.spaces, i)
	}
	return inside
}

// maxDepth bounds the recursion if the server returns collections with a cycle.
const maxDepth = 64

func (p *spacesPage) levelRows(parent string, depth, width int, inside map[string]*children) []components.Row {
	if depth > maxDepth {
		return nil
	}
	var rows []components.Row
	indent := strings.Repeat("  ", depth)
	for _, i := range inside[parent].collections {
		c := p.remote.Latest.collections[i]
		rows = append(rows, p.collectionRow(c, indent))
		if !p.folded[c.ID] {
			rows = append(rows, p.levelRows(c.ID, depth+1, width, inside)...)
		}
	}
	for _, i := range inside[parent].spaces {
		s := p.remote.Latest.spaces[i]
		rows = append(rows, components.Row{Key: s.ID, Line: p.spaceLine(s, indent, width), About: components.Subject{At: i}, Begin: true})
	}
	return rows
}

func (p *spacesPage) collectionRow(c api.Collection, indent string) components.Row {
	mark := "▾ "
	if p.folded[c.ID] {
		mark = "▸ "
	}
	line := render.Line{
		render.In(render.Accent, indent+mark), render.NewSpan(render.Style{Tone: render.Heading, Bold: true}, render.DisplayTitle(c.Title)),
	}
	return components.Row{Key: c.ID, Line: line, About: components.Subject{At: -1}}
}

// spaceFacts returns the numbers of change requests and of comments of a space, or "" for none.
func spaceFacts(s api.Space) [2]string {
	var requests []string
	if s.ChangeRequestsOpen > 0 {
		requests = append(requests, fmt.Sprintf("%d open", s.ChangeRequestsOpen))
	}
	if s.ChangeRequestsDraft > 0 {
		requests = append(requests, fmt.Sprintf("%d draft", s.ChangeRequestsDraft))
	}
	comments := ""
	if s.Comments > 0 {
		comments = render.Plural(s.Comments, "comment")
	}
	return [2]string{strings.Join(requests, ", "), comments}
}

// spaceLine draws a space and, in columns, the facts about it.
func (p *spacesPage) spaceLine(s api.Space, indent string, width int) render.Line {
	left := render.Line{render.Plain(indent + render.PadColumn(render.PlainEmoji(s.Emoji), 3) + render.DisplayTitle(s.Title))}
	var right render.Line
	for i, fact := range spaceFacts(s) {
		columnWidth := 0
		for _, other := range p.remote.Latest.spaces {
			columnWidth = max(columnWidth, len(spaceFacts(other)[i]))
		}
		if columnWidth > 0 {
			right = render.Join(right, render.AlignRight(render.Line{render.In(render.Dim, fact)}, columnWidth+2))
		}
	}
	return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

func (p *spacesPage) Actions() []components.Action {
	requests := func(s api.Space) tea.Cmd { return page.Push(screens.Requests(p.Session, s.ID)) }
	comments := func(s api.Space) tea.Cmd { return page.Push(screens.Comments(p.Session, remote.Target{Space: s.ID})) }
	return []components.Action{
		{
			Name: "requests", Keys: []string{"b"}, Help: "change requests of the space", Hint: "requests", Do: p.withSpace(requests),
			DisabledReason: p.noSpaceReason,
		},
		{
			Name: "history", Keys: []string{"H"}, Help: "history", Hint: "history", Do: p.withSpace(func(s api.Space) tea.Cmd {
				return page.Push(screens.History(p.Session, s.ID))
			}), DisabledReason: p.noSpaceReason,
		},
		screens.NewRequestAction(p.Session, p.selectedSpace, p.noSpaceReason),
		screens.BrokenLinksAction(p.Session, p.selectedSpace, p.noSpaceReason),
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.toggleFold},
		{
			Name: "comments", Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: p.withSpace(comments),
			DisabledReason: p.noSpaceReason,
		},
	}
}

// OpenHint returns what Open does with the row under the cursor, for the footer.
func (p *spacesPage) OpenHint() string {
	r, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(r.Key, visitKeyPrefix), strings.HasPrefix(r.Key, siteKeyPrefix):
		return "open"
	case r.About.At < 0 && p.folded[r.Key]:
		return "unfold"
	case r.About.At < 0:
		return "fold"
	default:
		return "read"
	}
}

func (p *spacesPage) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && strings.HasPrefix(r.Key, visitKeyPrefix) && r.About.Fold < len(p.remote.Latest.visits) {
		return page.Push(screens.VisitedPage(p.Session, p.remote.Latest.visits[r.About.Fold]))
	} else if site := p.siteOfRow(r); ok && site != nil {
		return p.openSite(site)
	}
	return p.withSpace(func(s api.Space) tea.Cmd { return page.Push(screens.Tree(p.Session, s.ID)) })()
}

// noSpaceReason returns the reason why there is no space under the cursor, or "".
func (p *spacesPage) noSpaceReason() string {
	if r, ok := p.Selected(); !ok || r.About.At < 0 || r.About.At >= len(p.remote.Latest.spaces) {
		return "put the cursor on a space first"
	}
	return ""
}

// selectedSpace returns the id of the space under the cursor, or "".
func (p *spacesPage) selectedSpace() string {
	r, _ := p.Selected()
	return p.remote.Latest.spaces[r.About.At].ID
}

// withSpace returns the function that calls do for the space under the cursor, or toggles the fold of the collection
// there.
func (p *spacesPage) withSpace(do func(api.Space) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		r, ok := p.Selected()
		switch all := p.remote.Latest.spaces; {
		case !ok || r.About.At >= len(all):
			return nil
		case r.About.At < 0:
			return p.toggleFold()
		default:
			return do(all[r.About.At])
		}
	}
}

// toggleFold folds or unfolds the collection under the cursor.
func (p *spacesPage) toggleFold() tea.Cmd {
	r, _ := p.Selected()
	for _, c := range p.remote.Latest.collections {
		if c.ID == r.Key {
			p.folded[c.ID] = !p.folded[c.ID]
		}
	}
	return nil
}
