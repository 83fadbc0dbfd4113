package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// spaces lists the spaces of an organization in their collections.
type spaces struct {
	frame
	organization api.Organization
	remote       remote[shelf]
	folded       map[string]bool // collections
}

// shelf is what an organization holds.
type shelf struct {
	collections []api.Collection
	spaces      []api.Space
}

func newSpaces(s *session, o api.Organization) *spaces {
	p := &spaces{frame: newFrame(s), organization: o, folded: map[string]bool{}}
	p.list.filter = true
	return p
}

func (p *spaces) title() string {
	if p.organization.Title == "" {
		return "spaces"
	}
	return p.organization.Title
}

func (p *spaces) kind() string         { return "spaces" }
func (p *spaces) condition() condition { return p.remote.condition() }

func (p *spaces) load() tea.Cmd {
	client, id := p.s.client, p.organization.ID
	return p.remote.load(p.s, func(ctx context.Context) (shelf, error) {
		collections, err := client.Collections(ctx, id)
		if err != nil {
			return shelf{}, err
		}
		spaces, err := client.Spaces(ctx, id)
		return shelf{collections, spaces}, err
	})
}

func (p *spaces) update(msg tea.Msg) tea.Cmd {
	if p.remote.take(msg) {
		p.stale = true
	}
	return nil
}

func (p *spaces) rows(width int) []row {
	have := p.remote.value
	empty := len(have.spaces)+len(have.collections) == 0
	if rows := stateRows(p.condition(), empty, "There are no spaces that you can read.", width); rows != nil {
		return rows
	}
	return p.level("", 0, width, p.below())
}

// contents are positions in a shelf.
type contents struct{ collections, spaces []int }

// below lists what is in each collection, by its id; what has no parent that is visible is at the top, "".
func (p *spaces) below() map[string]*contents {
	inside := map[string]*contents{"": {}}
	for _, c := range p.remote.value.collections {
		inside[c.ID] = &contents{}
	}
	at := func(parent, id string) *contents {
		if found := inside[parent]; found != nil && parent != id {
			return found
		}
		return inside[""]
	}
	for i, c := range p.remote.value.collections {
		found := at(c.Parent, c.ID)
		found.collections = append(found.collections, i)
	}
	for i, s := range p.remote.value.spaces {
		found := at(s.Parent, s.ID)
		found.spaces = append(found.spaces, i)
	}
	return inside
}

// maxDepth ends what a server that answers a circle would make endless.
const maxDepth = 64

func (p *spaces) level(parent string, depth, width int, inside map[string]*contents) []row {
	if depth > maxDepth {
		return nil
	}
	var rows []row
	indent := strings.Repeat("  ", depth)
	for _, i := range inside[parent].collections {
		c := p.remote.value.collections[i]
		rows = append(rows, p.collectionRow(c, indent))
		if !p.folded[c.ID] {
			rows = append(rows, p.level(c.ID, depth+1, width, inside)...)
		}
	}
	for _, i := range inside[parent].spaces {
		s := p.remote.value.spaces[i]
		rows = append(rows, row{key: s.ID, line: spaceLine(s, indent, width), about: subject{at: i}})
	}
	return rows
}

func (p *spaces) collectionRow(c api.Collection, indent string) row {
	mark := "▾ "
	if p.folded[c.ID] {
		mark = "▸ "
	}
	line := text.Line{text.In(text.Accent, indent+mark), text.Of(text.Style{Tone: text.Heading, Bold: true}, titled(c.Title))}
	return row{key: c.ID, line: line, about: subject{at: -1}}
}

func spaceLine(s api.Space, indent string, width int) text.Line {
	var facts []string
	if s.ChangeRequestsOpen > 0 {
		facts = append(facts, fmt.Sprintf("%d open", s.ChangeRequestsOpen))
	}
	if s.ChangeRequestsDraft > 0 {
		facts = append(facts, fmt.Sprintf("%d draft", s.ChangeRequestsDraft))
	}
	if s.Comments > 0 {
		facts = append(facts, plural(s.Comments, "comment"))
	}
	left := text.Line{text.Plain(indent + s.Emoji + " " + titled(s.Title))}
	return text.Columns(left, text.Line{text.In(text.Dim, strings.Join(facts, " · "))}, measure(width))
}

func titled(title string) string {
	if strings.TrimSpace(title) == "" {
		return "Untitled"
	}
	return title
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (p *spaces) actions() []action {
	requests := func(s api.Space) tea.Cmd { return push(newRequests(p.s, s.ID, s.Title)) }
	comments := func(s api.Space) tea.Cmd { return push(newComments(p.s, Place{Space: s.ID})) }
	return []action{
		{name: "requests", keys: keys("c"), help: "change requests", hint: "changes", do: p.onSpace(requests)},
		{name: "fold", keys: keys("z"), help: "fold and unfold", do: p.fold},
		{name: "comments", keys: keys("C"), help: "all comments", hint: "comments", do: p.onSpace(comments)},
	}
}

func (p *spaces) open() tea.Cmd {
	return p.onSpace(func(s api.Space) tea.Cmd { return push(newTree(p.s, Place{Space: s.ID}, s.Title)) })()
}

// onSpace returns what does something with the space under the cursor; a collection there is folded instead.
func (p *spaces) onSpace(do func(api.Space) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		r, ok := p.selected()
		switch all := p.remote.value.spaces; {
		case !ok || r.about.at >= len(all):
			return nil
		case r.about.at < 0:
			return p.fold()
		default:
			return do(all[r.about.at])
		}
	}
}

// fold opens or closes the collection under the cursor.
func (p *spaces) fold() tea.Cmd {
	r, _ := p.selected()
	for _, c := range p.remote.value.collections {
		if c.ID == r.key {
			p.folded[c.ID] = !p.folded[c.ID]
		}
	}
	return nil
}
