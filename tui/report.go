package tui

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// ChangesText says what changed, a page or thing in each line, as the screen does.
func ChangesText(c api.SemanticChanges, width int) []text.Line {
	p := proposedBy(c)
	var lines []text.Line
	for _, page := range p.pages {
		line := text.Line{
			text.Of(text.Style{Tone: page.tone(), Bold: true}, page.sign()+" "), text.Plain(titled(page.page.Title)),
			text.In(text.Dim, "  "+page.page.Path+"  "), text.In(text.Accent, page.what()),
		}
		lines = append(lines, text.Wrap(line, width, text.Line{text.Plain("  ")})...)
	}
	for _, what := range p.rest {
		lines = append(lines, text.Wrap(text.Line{text.Plain(what)}, width, text.Line{text.Plain("  ")})...)
	}
	return lines
}

// DiffText draws a diff as the screen does: what changed, what is around it, and how much is left out.
func DiffText(d api.ContentDiff, width int) []text.Line {
	var lines []text.Line
	for i, document := range d.Documents {
		if i > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, documentLine(document).Cut(width), nil)
		blocks := blockChanges(document)
		near := nearChanges(blocks, func(b blockChange) bool { return b.op != same && b.op != reformatted })
		hidden := 0
		for at, b := range blocks {
			if !near[at] {
				hidden++
				continue
			}
			lines = append(lines, foldLines(hidden)...)
			hidden = 0
			lines = append(append(lines, unifiedLines(b, max(width-2, 1))...), nil)
		}
		lines = append(lines, foldLines(hidden)...)
	}
	return lines
}

// documentLine names a text and says how much changed in it.
func documentLine(d api.DocumentDiff) text.Line {
	sign, tone := "~", text.Accent
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
	return text.Line{text.Of(text.Style{Tone: tone, Bold: true}, sign+" "+titled(title)), text.In(text.Dim, "  "+where+"  "+size)}
}

func foldLines(hidden int) []text.Line {
	if hidden == 0 {
		return nil
	}
	return []text.Line{{text.In(text.Dim, fmt.Sprintf("  ··· %s unchanged", plural(hidden, "block")))}, nil}
}
