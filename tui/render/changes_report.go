package render

import (
	"fmt"

	"docspace.dev/wsd/client/api"
)

// Summary describes what changed, one page or other object per line. The screen uses the same lines.
func Summary(c api.SemanticChanges, width int) []Line {
	p := NewProposedChanges(c)
	var lines []Line
	for _, page := range p.Pages {
		line := Line{
			NewSpan(Style{Tone: page.Tone(), Bold: true}, page.Sign()+" "), Plain(DisplayTitle(page.Page.Title)),
			In(Dim, "  "+page.Page.Path+"  "), In(Accent, page.Description()),
		}
		lines = append(lines, Wrap(line, width, Line{Plain("  ")})...)
		lines = append(lines, page.DetailLines(width)...)
	}
	for _, what := range p.Rest {
		lines = append(lines, Wrap(Line{Plain(what.Text)}, width, Line{Plain("  ")})...)
	}
	return lines
}

// Diff draws a content diff: first the changes outside of texts, then for each text the changed blocks with their
// context and the number of omitted ones.
func Diff(d api.ContentDiff, width int, marks Marks) []Line {
	lines := Summary(api.SemanticChanges{Changes: d.Changes}, width)
	for _, document := range d.Documents {
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, documentLine(document).Cut(width), nil)
		blocks := Blocks(document)
		near := WithContext(blocks, BlockChange.Changed)
		hidden := 0
		for at, b := range blocks {
			if !near[at] {
				hidden++
				continue
			}
			lines = append(lines, foldLines(hidden)...)
			hidden = 0
			lines = append(append(lines, b.Draw(View{Width: width, Marks: marks, At: Fit}).Lines...), nil)
		}
		lines = append(lines, foldLines(hidden)...)
	}
	return lines
}

// documentLine names a text and counts its changes.
func documentLine(d api.DocumentDiff) Line {
	sign, tone := "~", Warning
	switch d.Change {
	case api.DocumentCreated:
		sign, tone = "+", Added
	case api.DocumentDeleted:
		sign, tone = "-", Removed
	case api.DocumentSame:
		sign, tone = "=", Dim
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
	return Line{NewSpan(Style{Tone: tone, Bold: true}, sign+" "+DisplayTitle(title)), In(Dim, "  "+where+"  "+size)}
}

func foldLines(hidden int) []Line {
	if hidden == 0 {
		return nil
	}
	return []Line{{In(Dim, fmt.Sprintf("  ··· %s unchanged", Plural(hidden, "block")))}, nil}
}
