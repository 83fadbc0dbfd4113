package browse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// spaces lists the spaces of an organization in their collections.
type spaces struct {
	page.Frame
	organization api.Organization
	remote       remote.Value[shelf]
	folded       map[string]bool // collections
	previews     page.Previews
}

// shelf is what an organization holds.
type shelf struct {
	collections []api.Collection
	spaces      []api.Space
	sites       []api.Site
	visits      []drafts.Visit // what was opened last
}

func newSpaces(s *page.Session, o api.Organization) *spaces {
	s.Organization = o.ID
	p := &spaces{Frame: page.NewFrame(s), organization: o, folded: map[string]bool{}}
	p.List.Filter = true
	return p
}

func (p *spaces) Title() string {
	if p.organization.Title == "" {
		return "Spaces"
	}
	return p.organization.Title
}

func (p *spaces) Kind() string                { return "spaces" }
func (p *spaces) Condition() remote.Condition { return p.remote.Condition }

func (p *spaces) Load() tea.Cmd {
	p.previews.Forget()
	client, id, visits := p.Session.Client, p.organization.ID, p.Session.Visits
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (shelf, error) {
		collections, err := client.Collections(ctx, id)
		if err != nil {
			return shelf{}, err
		}
		spaces, err := client.Spaces(ctx, id)
		have := shelf{collections: collections, spaces: spaces}
		if sites, err := client.Sites(ctx, id); err == nil { // the spaces are worth showing without
			have.sites = sites
		}
		if visits != nil {
			have.visits, _ = visits.Visits() // the spaces are worth showing without
		}
		return have, err
	})
}

func (p *spaces) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
		for _, s := range p.remote.Latest.spaces {
			p.Session.Names[s.ID] = render.Titled(s.Title)
		}
		return nil
	}
	return p.previews.Update(msg)
}

func (p *spaces) Rows(width int) []components.Row {
	have := p.remote.Latest
	empty := len(have.spaces)+len(have.collections) == 0
	if rows := page.StateRows(p.Condition(), empty, "There are no spaces that you can read.", width); rows != nil {
		return rows
	}
	return slices.Concat(p.level("", 0, width, p.below()), p.siteRows(width), p.visitRows(width))
}

// visitKey begins the keys of the rows of what was opened; manyVisits of them are shown.
const (
	visitKey   = "visit/"
	manyVisits = 8
)

// visitRows list what was opened last, of the spaces that are shown.
func (p *spaces) visitRows(width int) []components.Row {
	var rows []components.Row
	for i, v := range p.remote.Latest.visits {
		name := p.Session.Names[v.Space]
		if name == "" || len(rows) == manyVisits {
			continue
		}
		right := render.Line{render.In(render.Dim, name+" · "+p.Session.Ago(v.At))}
		line := render.Columns(render.Line{render.Plain("  " + v.Title)}.Cut(max(width-right.Width()-1, width/3)), right, width)
		rows = append(rows, components.Row{Key: visitKey + v.Space + v.ChangeRequest + v.Page, Line: line, About: components.Subject{At: -1, Fold: i}})
	}
	if len(rows) == 0 {
		return nil
	}
	return append([]components.Row{{Key: "visits"}, {Key: "visits", Line: render.Section("Recently opened"), Skip: true}}, rows...)
}

// contents are positions in a shelf.
type contents struct{ collections, spaces []int }

// below lists what is in each collection, by its id; what has no parent that is visible is at the top, "".
func (p *spaces) below() map[string]*contents {
	inside := map[string]*contents{"": {}}
	for _, c := range p.remote.Latest.collections {
		inside[c.ID] = &contents{}
	}
	at := func(parent, id string) *contents {
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

// deepest ends what a server that answers a circle would make endless.
const deepest = 64

func (p *spaces) level(parent string, depth, width int, inside map[string]*contents) []components.Row {
	if depth > deepest {
		return nil
	}
	var rows []components.Row
	indent := strings.Repeat("  ", depth)
	for _, i := range inside[parent].collections {
		c := p.remote.Latest.collections[i]
		rows = append(rows, p.collectionRow(c, indent))
		if !p.folded[c.ID] {
			rows = append(rows, p.level(c.ID, depth+1, width, inside)...)
		}
	}
	for _, i := range inside[parent].spaces {
		s := p.remote.Latest.spaces[i]
		rows = append(rows, components.Row{Key: s.ID, Line: spaceLine(s, indent, width), About: components.Subject{At: i}, Begin: true})
	}
	return rows
}

func (p *spaces) collectionRow(c api.Collection, indent string) components.Row {
	mark := "▾ "
	if p.folded[c.ID] {
		mark = "▸ "
	}
	line := render.Line{render.In(render.Accent, indent+mark), render.Of(render.Style{Tone: render.Heading, Bold: true}, render.Titled(c.Title))}
	return components.Row{Key: c.ID, Line: line, About: components.Subject{At: -1}}
}

func spaceLine(s api.Space, indent string, width int) render.Line {
	var facts []string
	if s.ChangeRequestsOpen > 0 {
		facts = append(facts, fmt.Sprintf("%d open", s.ChangeRequestsOpen))
	}
	if s.ChangeRequestsDraft > 0 {
		facts = append(facts, fmt.Sprintf("%d draft", s.ChangeRequestsDraft))
	}
	if s.Comments > 0 {
		facts = append(facts, render.Plural(s.Comments, "comment"))
	}
	left := render.Line{render.Plain(indent + render.Column(render.Emoji(s.Emoji), 3) + render.Titled(s.Title))}
	return render.Columns(left, render.Line{render.In(render.Dim, strings.Join(facts, " · "))}, width)
}

func (p *spaces) Actions() []components.Action {
	requests := func(s api.Space) tea.Cmd { return page.Push(screens.Requests(p.Session, s.ID)) }
	comments := func(s api.Space) tea.Cmd { return page.Push(screens.Comments(p.Session, remote.Target{Space: s.ID})) }
	return []components.Action{
		{Name: "requests", Keys: []string{"b"}, Help: "change requests of the space", Hint: "requests", Do: p.onSpace(requests), WhyNot: p.offSpace},
		{Name: "history", Keys: []string{"H"}, Help: "history", Hint: "history", Do: p.onSpace(func(s api.Space) tea.Cmd { return page.Push(screens.History(p.Session, s.ID)) }), WhyNot: p.offSpace},
		screens.NewRequestIn(p.Session, p.spaceHere, p.offSpace),
		screens.BrokenLinks(p.Session, p.spaceHere, p.offSpace),
		{Name: "fold", Keys: []string{"z"}, Help: "fold or unfold", Do: p.fold},
		{Name: "comments", Keys: []string{"C"}, Help: "all threads", Hint: "threads", Do: p.onSpace(comments), WhyNot: p.offSpace},
	}
}

// Opens says what Open does.
func (p *spaces) Opens() string {
	r, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(r.Key, visitKey), strings.HasPrefix(r.Key, siteKey):
		return "open"
	case r.About.At < 0 && p.folded[r.Key]:
		return "unfold"
	case r.About.At < 0:
		return "fold"
	default:
		return "read"
	}
}

func (p *spaces) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && strings.HasPrefix(r.Key, visitKey) && r.About.Fold < len(p.remote.Latest.visits) {
		return page.Push(screens.Visited(p.Session, p.remote.Latest.visits[r.About.Fold]))
	} else if of := p.site(r); ok && of != nil {
		return p.openSite(of)
	}
	return p.onSpace(func(s api.Space) tea.Cmd { return page.Push(screens.Tree(p.Session, s.ID)) })()
}

// offSpace says why what is under the cursor is no space.
func (p *spaces) offSpace() string {
	if r, ok := p.Selected(); !ok || r.About.At < 0 || r.About.At >= len(p.remote.Latest.spaces) {
		return "put the cursor on a space first"
	}
	return ""
}

// spaceHere is the id of the space under the cursor.
func (p *spaces) spaceHere() string {
	r, _ := p.Selected()
	return p.remote.Latest.spaces[r.About.At].ID
}

// onSpace returns what does something with the space under the cursor; a collection there is folded instead.
func (p *spaces) onSpace(do func(api.Space) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		r, ok := p.Selected()
		switch all := p.remote.Latest.spaces; {
		case !ok || r.About.At >= len(all):
			return nil
		case r.About.At < 0:
			return p.fold()
		default:
			return do(all[r.About.At])
		}
	}
}

// fold opens or closes the collection under the cursor.
func (p *spaces) fold() tea.Cmd {
	r, _ := p.Selected()
	for _, c := range p.remote.Latest.collections {
		if c.ID == r.Key {
			p.folded[c.ID] = !p.folded[c.ID]
		}
	}
	return nil
}
