package changes

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// Summary says what changed, a page or thing in each line, as the screen does.
func Summary(c api.SemanticChanges, width int) []text.Line {
	p := ProposedBy(c)
	var lines []text.Line
	for _, page := range p.Pages {
		line := text.Line{
			text.Of(text.Style{Tone: page.Tone(), Bold: true}, page.Sign()+" "), text.Plain(text.Titled(page.Page.Title)),
			text.In(text.Dim, "  "+page.Page.Path+"  "), text.In(text.Accent, page.What()),
		}
		lines = append(lines, text.Wrap(line, width, text.Line{text.Plain("  ")})...)
		lines = append(lines, page.DetailLines(width)...)
	}
	for _, what := range p.Rest {
		lines = append(lines, text.Wrap(text.Line{text.Plain(what.What)}, width, text.Line{text.Plain("  ")})...)
	}
	return lines
}

// Diff draws a diff as the screen does: what changed beside the texts, then in each text what changed, what is around it, and
// how much is left out.
func Diff(d api.ContentDiff, width int, marks Marks) []text.Line {
	lines := Summary(api.SemanticChanges{Changes: d.Changes}, width)
	for _, document := range d.Documents {
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, documentLine(document).Cut(width), nil)
		blocks := Blocks(document)
		near := Near(blocks, BlockChange.Changed)
		hidden := 0
		for at, b := range blocks {
			if !near[at] {
				hidden++
				continue
			}
			lines = append(lines, foldLines(hidden)...)
			hidden = 0
			lines = append(append(lines, b.Unified(width, marks)...), nil)
		}
		lines = append(lines, foldLines(hidden)...)
	}
	return lines
}

// documentLine names a text and says how much changed in it.
func documentLine(d api.DocumentDiff) text.Line {
	sign, tone := "~", text.Warning
	switch d.Change {
	case api.DocumentCreated:
		sign, tone = "+", text.Added
	case api.DocumentDeleted:
		sign, tone = "-", text.Removed
	case api.DocumentSame:
		sign, tone = "=", text.Dim
	case api.DocumentEdited:
	}
	title, where := "", "reusable content"
	switch {
	case d.Page != nil:
		title, where = d.Page.Title, d.Page.Path
	case d.ReusableContent != nil:
		title = d.ReusableContent.Title
	}
	size := fmt.Sprintf("+%d -%d words", d.Words.Added, d.Words.Removed)
	if d.Formatting {
		size = "formatting only"
	}
	return text.Line{text.Of(text.Style{Tone: tone, Bold: true}, sign+" "+text.Titled(title)), text.In(text.Dim, "  "+where+"  "+size)}
}

func foldLines(hidden int) []text.Line {
	if hidden == 0 {
		return nil
	}
	return []text.Line{{text.In(text.Dim, fmt.Sprintf("  ··· %s unchanged", text.Plural(hidden, "block")))}, nil}
}
