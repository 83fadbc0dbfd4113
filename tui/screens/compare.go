package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// comparePage shows what differs between two revisions of a space or of a change request, in one page or in all of them.
type comparePage struct {
	page.Frame
	space, id    string // id of the page, or "" for all pages
	older, newer api.HistoryEntry
	unified      bool // not side by side
	remote       remote.Value[api.ContentDiff]
}

// newComparePage returns the comparison of two revisions. The older one comes first.
func newComparePage(s *page.Session, space, id string, one, other api.HistoryEntry) *comparePage {
	if other.CreatedAt.Before(one.CreatedAt.Time) {
		one, other = other, one
	}
	return &comparePage{Frame: page.NewFrame(s), space: space, id: id, older: one, newer: other}
}

func (p *comparePage) Title() string {
	return fmt.Sprintf("r%d and r%d", p.older.Number, p.newer.Number)
}
func (p *comparePage) Kind() string                { return "comparison" }
func (p *comparePage) Space() string               { return p.space }
func (p *comparePage) LoadState() remote.LoadState { return p.remote.LoadState }
func (p *comparePage) OpenHint() string            { return "" }
func (p *comparePage) Open() tea.Cmd               { return nil }

// Command returns the wsctl command for the differences.
func (p *comparePage) Command() string {
	words := []string{"revisions", "diff", p.newer.ID, "--space", p.space, "--base", p.older.ID}
	if p.id != "" {
		words = append(words, "--page", p.id)
	}
	return remote.Command(words...)
}

// Actions returns the actions that move from change to change and that choose the view.
func (p *comparePage) Actions() []components.Action {
	isChange := func(r components.Row) bool { return r.Change }
	step := func(direction int) func() tea.Cmd {
		return func() tea.Cmd {
			if !p.List.Step(direction, isChange) {
				return components.Toast("no more changes")
			}
			return nil
		}
	}
	return []components.Action{
		{Name: "change-next", OfPage: true, Keys: []string{"]"}, Help: nextChangeHelp, Hint: "change", Do: step(1), MovesCursor: true},
		{Name: "change-previous", OfPage: true, Keys: []string{"["}, Help: previousChangeHelp, Do: step(-1), MovesCursor: true},
		{Name: "view", OfPage: true, Keys: []string{"V"}, Help: viewHelp, Hint: "view", Do: func() tea.Cmd {
			if p.Window-components.Gutter < splitWidth {
				return components.Toast("side by side needs %d columns", splitWidth+components.Gutter)
			}
			p.unified = !p.unified
			return components.Toast("%s", viewModeNames[render.Choose(p.unified, unifiedView, splitView)])
		}},
	}
}

func (p *comparePage) Load() tea.Cmd {
	client, space, older, newer, id := p.Session.Client, p.space, p.older.ID, p.newer.ID, p.id
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (api.ContentDiff, error) {
		return client.Compare(ctx, space, older, newer, id)
	})
}

func (p *comparePage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *comparePage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.LoadState(), false, "", width); rows != nil {
		return rows
	}
	isSplit := !p.unified && width >= splitWidth
	if !isSplit {
		width = render.ProseWidth(width)
	}
	describe := func(e api.HistoryEntry) string {
		return fmt.Sprintf("revision %d by %s, %s", e.Number, e.Author.DisplayName, p.Session.Ago(e.CreatedAt.Time))
	}
	rows := skippedRows("header", append(render.Wrap(render.Line{
		render.In(render.Warning, describe(p.older)+" → "+describe(p.newer)),
	}, width, nil), nil))
	for _, d := range p.remote.Latest.Documents {
		rows = append(rows, p.documentRows(d, width, isSplit)...)
	}
	if p.id == "" {
		rows = append(rows, p.otherRows(width)...)
	}
	if len(rows) == 2 { // only the header
		rows = append(rows, components.Row{Key: nothingKey, Line: render.Line{render.In(render.Dim, "Nothing differs.")}.Cut(width)})
	}
	return rows
}

// documentRows draws what differs in the text of a page, with its context.
func (p *comparePage) documentRows(d api.DocumentDiff, width int, isSplit bool) []components.Row {
	var rows []components.Row
	if p.id == "" && d.Page != nil {
		rows = append(rows, components.Row{Key: "page/" + d.Page.ID, Line: render.Section(render.DisplayTitle(d.Page.Title)).Cut(width)})
	}
	blocks, marks := render.Blocks(d), render.MarksFor(p.Session.HasGrounds)
	near := render.WithContext(blocks, render.BlockChange.Changed)
	for i, folded := 0, 0; i < len(blocks); i++ {
		if !near[i] {
			if folded++; i+1 == len(blocks) || near[i+1] {
				label := fmt.Sprintf("┄┄┄ %s unchanged ", render.Plural(folded, "block"))
				rows = append(rows, skippedRows("fold", []render.Line{foldRule(label, width), nil})...)
				folded = 0
			}
			continue
		}
		b := blocks[i]
		drawn := b.Draw(render.View{Width: width, Marks: marks, Split: isSplit, At: p.At(changeKey(b))})
		first := len(rows)
		for _, line := range drawn.Lines {
			rows = append(rows, components.Row{
				Key: changeKey(b), Line: line, About: components.Subject{Quote: b.New.Text}, Pan: drawn.Pan,
			})
		}
		if len(drawn.Lines) > 0 {
			rows[first+drawn.First].Change = b.Changed()
		}
		rows = append(rows, components.Row{Key: changeKey(b)})
	}
	return rows
}

// otherRows lists the changes other than those of texts, and how many are not shown.
func (p *comparePage) otherRows(width int) []components.Row {
	found := p.remote.Latest
	changes := render.NewProposedChanges(api.SemanticChanges{Changes: found.Changes, More: found.More})
	var rows []components.Row
	for _, c := range changes.Pages {
		line := render.Line{render.Plain(render.DisplayTitle(c.Page.Title) + " "), render.In(render.Dim, c.Description())}
		rows = append(rows, components.Row{Key: "other/" + c.Page.ID, Line: line.Cut(width), Change: true})
	}
	for _, c := range changes.Rest {
		rows = append(rows, components.Row{Key: "other/" + c.ID, Line: render.Line{render.Plain(c.Text)}.Cut(width), Change: true})
	}
	if found.More > 0 {
		more := render.Line{render.In(render.Dim, render.Plural(found.More, "more change")+" not shown; "+p.Command()+" --limit 100")}
		rows = append(rows, components.Row{Key: "more", Line: more.Cut(width)})
	}
	if len(rows) > 0 {
		rows = append(skippedRows("other", []render.Line{render.Section("Other changes").Cut(width)}), rows...)
	}
	return rows
}

// compareAction returns the action that compares the revision under the cursor with another one of a list.
func compareAction(
	s *page.Session, space, id string, selected func() (e api.HistoryEntry, all []api.HistoryEntry, ok bool),
) components.Action {
	return components.Action{
		Name: "compare", Help: "compare with another revision", Hint: "compare", Do: func() tea.Cmd {
			e, all, _ := selected()
			var entries []components.Entry
			for _, other := range all {
				if other.ID != e.ID {
					label := fmt.Sprintf("r%d by %s, %s", other.Number, other.Author.DisplayName, s.Ago(other.CreatedAt.Time))
					entries = append(entries, components.Entry{Text: label, Do: func() tea.Cmd {
						return page.Push(newComparePage(s, space, id, e, other))
					}})
				}
			}
			return page.Ask(s, page.FindMsg{Question: fmt.Sprintf("Compare r%d with", e.Number), Entries: entries})
		}, DisabledReason: func() string {
			switch _, all, ok := selected(); {
			case !ok:
				return "put the cursor on a revision first"
			case len(all) < 2:
				return "there is no other revision"
			default:
				return ""
			}
		},
	}
}
