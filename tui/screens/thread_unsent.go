package screens

import (
	"slices"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// unsentDrafts returns the unsent drafts of the target for which here is true.
func (t *threadsPart) unsentDrafts(here func(drafts.Draft) bool) []drafts.Draft {
	var out []drafts.Draft
	for _, d := range t.frame.Session.Unsent {
		if d.Target == t.target && d.Conflict == "" && here(d) {
			out = append(out, d)
		}
	}
	return out
}

// unsentRows draws the drafts about a block of the page.
func (t *threadsPart) unsentRows(block string, width int) []components.Row {
	return t.draftRows(t.unsentDrafts(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Node == block && d.Page == t.page && block != ""
	}), width)
}

// unthreadedDrafts returns the drafts of the target that are drawn under no thread: first comments, and replies to a
// thread that is not shown.
func (t *threadsPart) unthreadedDrafts() []drafts.Draft {
	shown := t.filter(func(*commentThread) bool { return true })
	return t.unsentDrafts(func(d drafts.Draft) bool {
		return d.IsUnsent() && !slices.ContainsFunc(shown, func(th *commentThread) bool { return th.ID == d.Comment })
	})
}

// unsentPhrases returns the words of a block that drafts quote.
func (t *threadsPart) unsentPhrases(block string) []string {
	var out []string
	for _, d := range t.unsentDrafts(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Node == block && d.Page == t.page && d.Quote != ""
	}) {
		out = append(out, d.Quote)
	}
	return out
}

// unsentElsewhereRows draws the drafts about blocks that are not among shown. They are sent with their quotes.
func (t *threadsPart) unsentElsewhereRows(shown map[string]bool, width int) []components.Row {
	list := t.unsentDrafts(func(d drafts.Draft) bool {
		return d.Comment == "" && d.Page == t.page && t.page != "" && d.Node != "" && !shown[d.Node]
	})
	if len(list) == 0 {
		return nil
	}
	line := render.Line{render.In(render.Warning, "the text of these drafts is gone: they are posted with the quoted text")}
	return append([]components.Row{{Key: "gone", Line: line.Cut(width), Skip: true}}, t.draftRows(list, width)...)
}

// unsentOnWholeRows draws the drafts about the whole target, verdicts included; for a page, those about the page.
func (t *threadsPart) unsentOnWholeRows(width int) []components.Row {
	return t.draftRows(t.unsentDrafts(func(d drafts.Draft) bool { return d.Comment == "" && d.Node == "" && d.Page == t.page }), width)
}

// unsentReplyRows draws the unsent replies to a thread and the unsent edits of its texts.
func (t *threadsPart) unsentReplyRows(th *commentThread, width int) []components.Row {
	return t.draftRows(t.unsentDrafts(func(d drafts.Draft) bool { return d.Comment == th.ID }), width)
}

// draftRows draws drafts, except verdicts without a text.
func (t *threadsPart) draftRows(list []drafts.Draft, width int) []components.Row {
	var rows []components.Row
	for _, d := range list {
		if !d.IsUnsent() {
			continue
		}
		bar := render.Line{render.In(render.Accent, "┆ ")}
		inner := max(width-bar.Width(), 1)
		lines := append([]render.Line{t.draftHead(d, inner)}, render.Render(d.Text, inner)...)
		if d.Suggestion != nil {
			lines = append(lines, render.SuggestionDiff(d.Original, *d.Suggestion, inner, t.marks())...)
		}
		about := components.Subject{Draft: d.ID(), Quote: d.Text}
		for _, line := range lines {
			rows = append(rows, components.Row{Key: page.DraftKey(d), Line: render.Join(bar, line).Fill(render.Draft, width), About: about})
		}
		rows = append(rows, components.Row{Key: page.DraftKey(d), About: about})
	}
	return rows
}

// draftHead draws the line above a draft: its kind and its keys.
func (t *threadsPart) draftHead(d drafts.Draft, width int) render.Line {
	left := render.Line{render.In(render.Accent, "✎ draft · ")}
	if d.Weight != "" {
		left = append(left, page.WeightSpan(d.Weight), render.In(render.Accent, " · "))
	}
	state, can := "not sent · ", "e edit  X drop"
	switch {
	case t.frame.Session.IsFrozen(d.ID()):
		state, can = "sent, not answered yet · ", ""
	case d.Held:
		state = "held back · "
	}
	left = append(left, render.In(render.Accent, state+d.About))
	return render.Columns(left.Cut(max(width-len(can)-1, width/2)), render.Line{render.In(render.Dim, can)}, width)
}

// marks returns the marks for changed words on this terminal.
func (t *threadsPart) marks() render.Marks {
	if t.frame.Session.HasGrounds {
		return render.Grounds
	}
	return render.Brackets
}

// selectedDraft returns the draft under the cursor.
func (t *threadsPart) selectedDraft() (drafts.Draft, bool) {
	id := t.frame.About().Draft
	for _, d := range t.frame.Session.Unsent {
		if id != "" && d.ID() == id {
			return d, true
		}
	}
	return drafts.Draft{}, false
}
