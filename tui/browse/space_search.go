package browse

import (
	"context"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// search finds pages by their words while they are typed: in a space, or in all spaces of the organization.
type search struct {
	page.Frame
	space  string // where it began, "" for nowhere
	wide   bool   // all spaces are searched
	field  components.Field
	remote remote.Value[searchMatch]
}

// searchMatch are the pages that have some words.
type searchMatch struct {
	words  string
	spaces []api.SpaceHit
}

// NewSearch returns the search for words that were begun, in a space first where one is given.
func NewSearch(s *page.Session, space, words string) page.Page {
	return &search{Frame: page.NewFrame(s), space: space, wide: space == "", field: components.NewField(words, true)}
}

func (p *search) Title() string { return "search" }
func (p *search) Kind() string  { return "search" }

func (p *search) Condition() remote.Condition {
	c := p.remote.Condition
	c.Busy = false // what was found for fewer letters stands while more are looked for
	return c
}

// Command is as that of tree.
func (p *search) Command() string {
	if p.wide {
		return remote.Command("organizations", "search", p.Session.Organization, "--query", p.words())
	}
	return remote.Command("spaces", "search", p.space, "--query", p.words())
}

func (p *search) words() string { return strings.TrimSpace(p.field.String()) }

// Load asks for what was typed; one question at a time, the next as soon as an answer is there.
func (p *search) Load() tea.Cmd {
	words, organization, space := p.words(), p.Session.Organization, p.space
	if words == "" {
		p.remote.Forget()
		p.Stale = true
		return nil
	}
	if p.remote.Busy {
		return nil
	}
	if p.wide {
		space = ""
	}
	client := p.Session.Client
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (searchMatch, error) {
		hits, err := client.Search(ctx, organization, space, words)
		return searchMatch{words, hits}, err
	})
}

func (p *search) Update(msg tea.Msg) tea.Cmd {
	if !p.remote.Take(msg) {
		return nil
	}
	p.Stale = true
	if p.remote.Err == nil && p.remote.Latest.words != p.words() {
		return p.Load()
	}
	return nil
}

// Type takes what is typed; keys that move, open and leave are not.
func (p *search) Type(k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.Type {
	case tea.KeyRunes, tea.KeySpace, tea.KeyBackspace, tea.KeyCtrlW, tea.KeyCtrlU:
		if k.Alt {
			return nil, false
		}
		p.field.Key(k)
		p.Stale = true
		return p.Load(), true
	default:
		return nil, false
	}
}

func (p *search) Rows(width int) []components.Row {
	rows := []components.Row{{Key: "field", Line: render.Join(render.Line{render.In(render.Accent, "/ ")}, p.field.View(max(width-2, 1), 1)[0]).Cut(width), Skip: true}}
	where := "in all spaces"
	if !p.wide {
		where = "in " + render.Titled(p.Session.Names[p.space]) + " · tab: in all spaces"
	} else if p.space != "" {
		where += " · tab: in " + render.Titled(p.Session.Names[p.space])
	}
	rows = append(rows, components.Row{Key: "where", Line: render.Line{render.In(render.Dim, where)}.Cut(width), Skip: true}, components.Row{Key: "where"})
	switch latest := p.remote.Latest; {
	case p.words() == "":
		return append(rows, page.Notice(width, render.In(render.Dim, "Type some words: pages that have all of them are found; the last may be unfinished."))...)
	case p.remote.Err != nil:
		return append(rows, page.StateRows(remote.Condition{Err: p.remote.Err}, true, "", width)...)
	case !p.remote.Loaded:
		return append(rows, page.Notice(width, render.In(render.Dim, "Looking …"))...)
	case len(latest.spaces) == 0:
		return append(rows, page.Notice(width, render.In(render.Dim, "No page has “"+latest.words+"”."))...)
	}
	for i, s := range p.remote.Latest.spaces {
		rows = append(rows, components.Row{Key: "space/" + s.ID, Line: render.Section(render.Titled(s.Title)).Cut(width), Skip: true})
		for j, hit := range s.Pages {
			rows = append(rows, p.hitRows(hit, i, j, width)...)
		}
		rows = append(rows, components.Row{Key: "space/" + s.ID})
	}
	return rows
}

// Where says at which page that was found the cursor is, for the first line of the screen.
func (p *search) Where() render.Line {
	at, all := p.List.Count(func(r components.Row) bool { return r.Begin })
	if all == 0 {
		return nil
	}
	return page.RowOf(max(at, 1), all)
}

// hitRows draw a page with the sections that have the words.
func (p *search) hitRows(hit api.PageHit, space, at, width int) []components.Row {
	about := components.Subject{Page: hit.ID, Fold: space, At: at}
	key := "hit/" + hit.ID
	title := render.Columns(render.Line{render.Of(render.Style{Bold: true}, render.Titled(hit.Title))}, render.Line{render.In(render.Dim, hit.Path)}, width)
	rows := []components.Row{{Key: key, Line: title, About: about, Begin: true}}
	for _, section := range hit.Sections[:min(len(hit.Sections), 2)] {
		line := render.Line{render.In(render.Dim, "  "+section.Title+" · "), render.Plain(render.Line{render.Plain(asCells(section.Body))}.Cut(max(width, 1)).String())}
		for word := range strings.FieldsSeq(p.remote.Latest.words) {
			line = line.Mark(word)
		}
		rows = append(rows, components.Row{Key: key, Line: line.Cut(width), About: about, Skip: true})
	}
	return rows
}

// cellBars match what parts the cells of a table, and its rows, where they stand in one line.
var cellBars = regexp.MustCompile(`\s*\|(?:[\s:-]*\|)*\s*`)

// asCells is a line of a text in which the cells of a table stand apart as they are read.
func asCells(line string) string {
	return strings.Trim(cellBars.ReplaceAllString(line, " │ "), " │")
}

// Opens says what Open does.
func (p *search) Opens() string {
	if p.About().Page != "" {
		return "read"
	}
	return ""
}

// Open reads the page under the cursor, from the first place that has a word.
func (p *search) Open() tea.Cmd {
	about, spaces := p.About(), p.remote.Latest.spaces
	if about.Page == "" || about.Fold >= len(spaces) || about.At >= len(spaces[about.Fold].Pages) {
		return nil
	}
	hit := spaces[about.Fold].Pages[about.At]
	to := screens.SpacePage(p.Session, spaces[about.Fold].ID, api.RevisionPage{ID: hit.ID, Title: hit.Title})
	word, _, _ := strings.Cut(p.remote.Latest.words, " ")
	to.Base().List.Aim(func(r components.Row) bool {
		return r.About.Block != "" && strings.Contains(strings.ToLower(r.Line.String()), strings.ToLower(word))
	}, false)
	return page.Push(to)
}

func (p *search) Actions() []components.Action {
	return []components.Action{{Name: "tab-next", Keys: []string{"tab"}, Help: "next tab", Hint: "here or everywhere", Do: p.turn}}
}

// turn searches one space or all.
func (p *search) turn() tea.Cmd {
	if p.space == "" {
		return components.Toast("all spaces are searched already")
	}
	p.wide = !p.wide
	p.remote.Forget()
	return p.Load()
}
