package screens

import (
	"slices"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// unsent are the drafts of the target that stand at a place of it.
func (t *Threads) unsent(here func(drafts.Draft) bool) []drafts.Draft {
	var out []drafts.Draft
	for _, d := range t.frame.Session.Unsent {
		if d.Target == t.at && d.Conflict == "" && here(d) {
			out = append(out, d)
		}
	}
	return out
}

// Unsent draws the drafts that are about a block of the page.
func (t *Threads) Unsent(block string, width int) []components.Row {
	return t.Drafted(t.unsent(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Node == block && d.Page == t.page && block != ""
	}), width)
}

// Loose are the drafts of the target that are drawn under no thread: those that begin one, and what answers one that is not
// shown.
func (t *Threads) Loose() []drafts.Draft {
	shown := t.Shown(func(*Thread) bool { return true })
	return t.unsent(func(d drafts.Draft) bool {
		return d.Waits() && !slices.ContainsFunc(shown, func(th *Thread) bool { return th.ID == d.Comment })
	})
}

// UnsentPhrases are the words of a block that drafts are about.
func (t *Threads) UnsentPhrases(block string) []string {
	var out []string
	for _, d := range t.unsent(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Node == block && d.Page == t.page && d.Quote != ""
	}) {
		out = append(out, d.Quote)
	}
	return out
}

// unsentElsewhere draws the drafts about blocks of the page that are not among those shown: they are sent with their quotes.
func (t *Threads) unsentElsewhere(shown map[string]bool, width int) []components.Row {
	list := t.unsent(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Page == t.page && t.page != "" && d.Node != "" && !shown[d.Node]
	})
	if len(list) == 0 {
		return nil
	}
	line := render.Line{render.In(render.Warning, "the text of these drafts is gone: they are posted with the quoted text")}
	return append([]components.Row{{Key: "gone", Line: line.Cut(width), Skip: true}}, t.Drafted(list, width)...)
}

// UnsentOnWhole draws the drafts about the whole of the target, verdicts among them; on a page, those about the page.
func (t *Threads) UnsentOnWhole(width int) []components.Row {
	return t.Drafted(t.unsent(func(d drafts.Draft) bool { return d.Comment == "" && d.Node == "" && d.Page == t.page }), width)
}

// unsentReplies draws what is not sent yet to a thread: replies, and edits of what it says.
func (t *Threads) unsentReplies(th *Thread, width int) []components.Row {
	return t.Drafted(t.unsent(func(d drafts.Draft) bool { return d.Comment == th.ID }), width)
}

// Drafted draws drafts; a verdict without a word is none.
func (t *Threads) Drafted(list []drafts.Draft, width int) []components.Row {
	var rows []components.Row
	for _, d := range list {
		if !d.Waits() {
			continue
		}
		bar := render.Line{render.In(render.Accent, "┆ ")}
		inner := max(width-bar.Width(), 1)
		lines := append([]render.Line{t.draftHead(d, inner)}, render.Render(d.Text, inner)...)
		if d.Suggestion != nil {
			lines = append(lines, render.Suggested(d.Original, *d.Suggestion, inner, t.marks())...)
		}
		about := components.Subject{Draft: d.ID(), Quote: d.Text}
		for _, line := range lines {
			rows = append(rows, components.Row{Key: page.DraftKey(d), Line: render.Join(bar, line).Fill(render.Draft, width), About: about})
		}
		rows = append(rows, components.Row{Key: page.DraftKey(d), About: about})
	}
	return rows
}

// draftHead is what stands above a draft: what it is, and what can be done with it.
func (t *Threads) draftHead(d drafts.Draft, width int) render.Line {
	left := render.Line{render.In(render.Accent, "✎ draft · ")}
	if d.Weight != "" {
		left = append(left, page.WeightSpan(d.Weight), render.In(render.Accent, " · "))
	}
	state, can := "not sent · ", "e edit  X drop"
	switch {
	case t.frame.Session.IsFrozen(d.ID()):
		state, can = "on its way · ", ""
	case d.Held:
		state = "held back · "
	}
	left = append(left, render.In(render.Accent, state+d.About))
	return render.Columns(left.Cut(max(width-len(can)-1, width/2)), render.Line{render.In(render.Dim, can)}, width)
}

// marks are how changed words are told from others on this terminal.
func (t *Threads) marks() render.Marks {
	if t.frame.Session.Grounded {
		return render.Grounds
	}
	return render.Brackets
}

// Draft is the draft under the cursor.
func (t *Threads) Draft() (drafts.Draft, bool) {
	id := t.frame.About().Draft
	for _, d := range t.frame.Session.Unsent {
		if id != "" && d.ID() == id {
			return d, true
		}
	}
	return drafts.Draft{}, false
}
