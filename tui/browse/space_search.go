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

// searchPage searches pages by words while the user types, in one space or in all spaces of the organization.
type searchPage struct {
	page.Frame
	space     string // space from which the search was opened, or ""
	allSpaces bool   // search all spaces
	field     components.Field
	remote    remote.Value[searchResult]
}

// searchResult contains the pages that match words.
type searchResult struct {
	query  string
	spaces []api.SpaceHit
}

// NewSearch returns the search page with initial words, limited to a space at first if space is not empty.
func NewSearch(s *page.Session, space, words string) page.Page {
	return &searchPage{Frame: page.NewFrame(s), space: space, allSpaces: space == "", field: components.NewField(words, true)}
}

func (p *searchPage) Title() string { return "search" }
func (p *searchPage) Kind() string  { return "search" }

func (p *searchPage) LoadState() remote.LoadState {
	c := p.remote.LoadState
	c.Busy = false // previous matches stay visible during the search
	return c
}

// Command returns the wsctl command for the search.
func (p *searchPage) Command() string {
	if p.allSpaces {
		return remote.Command("organizations", "search", p.Session.Organization, "--query", p.query())
	}
	return remote.Command("spaces", "search", p.space, "--query", p.query())
}

func (p *searchPage) query() string { return strings.TrimSpace(p.field.String()) }

// Load searches for the words of the field. Only one search is in flight; the next one starts after its response.
func (p *searchPage) Load() tea.Cmd {
	words, organization, space := p.query(), p.Session.Organization, p.space
	if words == "" {
		p.remote.Reset()
		p.Stale = true
		return nil
	}
	if p.remote.Busy {
		return nil
	}
	if p.allSpaces {
		space = ""
	}
	client := p.Session.Client
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (searchResult, error) {
		hits, err := client.Search(ctx, organization, space, words)
		return searchResult{words, hits}, err
	})
}

func (p *searchPage) Update(msg tea.Msg) tea.Cmd {
	if !p.remote.Take(msg) {
		return nil
	}
	p.Stale = true
	if p.remote.Err == nil && p.remote.Latest.query != p.query() {
		return p.Load()
	}
	return nil
}

// Type handles the keys that edit the words. It returns false for the keys of the list.
func (p *searchPage) Type(k tea.KeyMsg) (tea.Cmd, bool) {
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

func (p *searchPage) Rows(width int) []components.Row {
	rows := []components.Row{
		{
			Key: "field", Line: render.Join(render.Line{
				render.In(render.Accent, "/ "),
			}, p.field.View(max(width-2, 1), 1)[0]).Cut(width), Skip: true,
		},
	}
	where := "in all spaces"
	if !p.allSpaces {
		where = "in " + render.DisplayTitle(p.Session.Names[p.space]) + " · tab: in all spaces"
	} else if p.space != "" {
		where += " · tab: in " + render.DisplayTitle(p.Session.Names[p.space])
	}
	rows = append(rows, components.Row{Key: "where", Line: render.Line{render.In(render.Dim, where)}.Cut(width), Skip: true},
		components.Row{Key: "where"})
	switch latest := p.remote.Latest; {
	case p.query() == "":
		return append(rows,
			page.Notice(width,
				render.In(render.Dim, "Type some words: pages that have all of them are found; the last may be unfinished."))...)
	case p.remote.Err != nil:
		return append(rows, p.StateRows(remote.LoadState{Err: p.remote.Err}, true, "", width)...)
	case !p.remote.Loaded:
		return append(rows, page.Notice(width, render.In(render.Dim, "Looking …"))...)
	case len(latest.spaces) == 0:
		return append(rows, page.Notice(width, render.In(render.Dim, "No page has “"+latest.query+"”."))...)
	}
	for i, s := range p.remote.Latest.spaces {
		rows = append(rows, components.Row{Key: "space/" + s.ID, Line: render.Section(render.DisplayTitle(s.Title)).Cut(width), Skip: true})
		for j, hit := range s.Pages {
			rows = append(rows, p.hitRows(hit, i, j, width)...)
		}
		rows = append(rows, components.Row{Key: "space/" + s.ID})
	}
	return rows
}

// CursorPosition returns the position of the cursor among the matches, for the first line of the screen.
func (p *searchPage) CursorPosition() render.Line {
	at, all := p.List.Count(func(r components.Row) bool { return r.Begin })
	if all == 0 {
		return nil
	}
	return page.RowPosition(max(at, 1), all)
}

// hitRows draws a page with its matching sections.
func (p *searchPage) hitRows(hit api.PageHit, space, at, width int) []components.Row {
	about := components.Subject{Page: hit.ID, Fold: space, At: at}
	key := "hit/" + hit.ID
	title := render.Columns(render.Line{render.NewSpan(render.Style{Bold: true}, render.DisplayTitle(hit.Title))},
		render.Line{render.In(render.Dim, hit.Path)}, width)
	rows := []components.Row{{Key: key, Line: title, About: about, Begin: true}}
	for _, section := range hit.Sections[:min(len(hit.Sections), 2)] {
		line := render.Line{
			render.In(render.Dim, "  "+section.Title+" · "), render.Plain(render.Line{
				render.Plain(separateCells(section.Body)),
			}.Cut(max(width, 1)).String()),
		}
		for word := range strings.FieldsSeq(p.remote.Latest.query) {
			line = line.Mark(word)
		}
		rows = append(rows, components.Row{Key: key, Line: line.Cut(width), About: about, Skip: true})
	}
	return rows
}

// cellBars matches the separators of cells and rows of a table that is joined into one line.
var cellBars = regexp.MustCompile(`\s*\|(?:[\s:-]*\|)*\s*`)

// separateCells replaces the separators of cells in a line by the separator that pages show.
func separateCells(line string) string {
	return strings.Trim(cellBars.ReplaceAllString(line, " │ "), " │")
}

// OpenHint returns what Open does with the row under the cursor, for the footer.
func (p *searchPage) OpenHint() string {
	if p.About().Page != "" {
		return "read"
	}
	return ""
}

// Open opens the page under the cursor at its first match.
func (p *searchPage) Open() tea.Cmd {
	about, spaces := p.About(), p.remote.Latest.spaces
	if about.Page == "" || about.Fold >= len(spaces) || about.At >= len(spaces[about.Fold].Pages) {
		return nil
	}
	hit := spaces[about.Fold].Pages[about.At]
	to := screens.SpacePage(p.Session, spaces[about.Fold].ID, api.RevisionPage{ID: hit.ID, Title: hit.Title})
	word, _, _ := strings.Cut(p.remote.Latest.query, " ")
	to.Base().List.Aim(func(r components.Row) bool {
		return r.About.Block != "" && strings.Contains(strings.ToLower(r.Line.String()), strings.ToLower(word))
	}, false)
	return page.Push(to)
}

func (p *searchPage) Actions() []components.Action {
	return []components.Action{{
		Name: "tab-next", OfPage: true, Keys: []string{"tab"}, Help: "next tab", Hint: "here or everywhere", Do: p.toggleScope,
	}}
}

// toggleScope toggles between one space and all spaces.
func (p *searchPage) toggleScope() tea.Cmd {
	if p.space == "" {
		return components.Toast("all spaces are searched already")
	}
	p.allSpaces = !p.allSpaces
	p.remote.Reset()
	return p.Load()
}
