package screens

import (
	"cmp"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
)

// answerKeys are the keys of the answers.
var answerKeys = map[api.ResolutionTake]string{api.TakeOurs: "1", api.TakeTheirs: "2", api.TakeText: "3", api.TakeBoth: "4"}

// Rows draws all conflicts.
func (p *conflictsPage) Rows(width int) []components.Row {
	width = render.ProseWidth(width)
	intro := fmt.Sprintf("%s, %d decided. Nothing changes before A, which updates the request. After that it can be merged.",
		render.Plural(len(p.conflicts), "conflict"), len(p.conflicts)-p.undecidedCount())
	if p.undecidedCount() > 1 {
		intro += " ! decides all the rest at once."
	}
	var rows []components.Row
	for _, line := range render.Wrap(render.Line{render.In(render.Warning, intro)}, width, nil) {
		rows = append(rows, components.Row{Key: "intro", Line: line, About: components.Subject{At: -1}})
	}
	for i, c := range p.conflicts {
		rows = append(rows, components.Row{Key: "intro", About: components.Subject{At: -1}})
		rows = append(rows, p.conflictRows(i, c, width)...)
	}
	return rows
}

// conflictRows draws a conflict: its subject, both sides with their authors, and the effect of each answer.
func (p *conflictsPage) conflictRows(at int, c api.Conflict, width int) []components.Row {
	decision, decided := p.decisions[c.ID]
	mark := render.In(render.Warning, "● open ")
	if decided {
		mark = render.In(render.Added, "✓ ")
	}
	title := fmt.Sprintf("%d of %d · %s", at+1, len(p.conflicts), render.ConflictTitle(c))
	lines := []render.Line{append(render.Line{mark}, render.Section(title)...).Cut(width)}
	lines = append(lines, indentWords("  ", render.Line{render.Plain(c.Summary)}, width)...)
	before, after := render.ConflictContext(c)
	lines = append(lines, indentWords("  ", before, width)...)
	if c.Base != nil {
		lines = append(lines, p.sideLines("as it was", c, *c.Base, width)...)
	}
	lines = append(lines, p.sideLines("in the space now", c, c.Ours, width)...)
	lines = append(lines, p.sideLines("in the request", c, c.Theirs, width)...)
	lines = append(lines, indentWords("  ", after, width)...)
	lines = append(lines, answerLines(c, decision, width)...)
	lines = append(lines, resultLines(c, decision, width)...)
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: conflictKey(c), Line: line, About: components.Subject{At: at}, Change: i == 0, Begin: i == 0}
	}
	return append(rows, p.threadRows(at, c, width)...)
}

// conflictKey returns the key of the rows of a conflict.
func conflictKey(c api.Conflict) string { return "conflict/" + c.ID }

// sideLines draws one side of a conflict with its author.
func (p *conflictsPage) sideLines(label string, c api.Conflict, s api.ConflictSide, width int) []render.Line {
	if label == "in the request" && s.By != nil && s.By.ID == p.Session.Me.ID {
		label = "in your request"
	}
	head := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, label)}
	if author := render.SideAuthor(s, p.Session.Me.ID, p.Session.Ago); author != "" {
		head = append(head, render.In(render.Dim, "  "+author))
	}
	return append(indentWords("  ", head, width),
		drawParagraphs("  │ ", render.ConflictParagraphs(c, s, render.MarksFor(p.Session.HasGrounds)), width)...)
}

// answerLines draws the possible answers with their keys, a mark on the chosen one, and the text that the user wrote.
func answerLines(c api.Conflict, decision api.Resolution, width int) (lines []render.Line) {
	answers := slices.SortedFunc(slices.Values(c.Answers), func(a, b api.ConflictAnswer) int {
		return cmp.Compare(answerKeys[a.Take], answerKeys[b.Take])
	})
	for _, a := range answers {
		key, style := "  "+answerKeys[a.Take]+" ", render.Style{}
		if a.Take == decision.Take {
			key, style = "✓ "+answerKeys[a.Take]+" ", render.Style{Tone: render.Added}
		}
		lines = append(lines, indentWords(key, render.Line{render.NewSpan(style, a.Effect)}, width)...)
		if a.Take != decision.Take {
			continue
		}
		if own, ok := decision.Text.Get(); ok {
			ownText := joinNote(splitParagraphs(own, render.Style{}), 0, render.Line{render.In(render.Dim, "your text:")}, false)
			lines = append(lines, drawParagraphs("  │ ", ownText, width)...)
		}
		if decision.Take == api.TakeBoth && c.Proposed != nil {
			lines = append(lines, drawParagraphs("  │ ", splitParagraphs(c.Readable(*c.Proposed), render.Style{}), width)...)
		}
	}
	return lines
}

// indentWords draws words after a prefix, or nothing for no words. Further lines have the same indentation.
func indentWords(begin string, words render.Line, width int) (lines []render.Line) {
	if len(words) == 0 {
		return nil
	}
	lead := render.Line{render.In(render.Dim, begin)}
	for i, line := range render.Wrap(words, max(width-lead.Width(), 1), nil) {
		if i == 1 && begin != "  │ " {
			lead = render.Line{render.Plain(fmt.Sprintf("%*s", lead.Width(), ""))}
		}
		lines = append(lines, render.Join(lead, line))
	}
	return lines
}
