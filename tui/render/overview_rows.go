package render

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
)

// StatusChip returns a chip with the status of a change request.
func StatusChip(s api.ChangeRequestStatus) Span {
	ground := map[api.ChangeRequestStatus]Ground{api.StatusOpen: ChipGood, api.StatusMerged: ChipAccent}[s]
	if ground == NoGround {
		ground = ChipPlain
	}
	return Chip(ground, string(s))
}

// Subject returns the display name of a change request.
func Subject(r api.ChangeRequest) string {
	if strings.TrimSpace(r.Subject) == "" {
		return "(no subject)"
	}
	return r.Subject
}

// Title draws the status, number and subject of a change request.
func Title(r api.ChangeRequest, width int) []Line {
	title := Line{
		StatusChip(r.Status), Plain(" "), NewSpan(Style{Tone: Accent, Bold: true}, fmt.Sprintf("#%d ", r.Number)),
		NewSpan(Style{Bold: true}, Subject(r)),
	}
	return Wrap(title, width, nil)
}

// Description renders at most most lines of the description of a change request, or none if it is empty.
func Description(r api.ChangeRequest, width, most int) []Line {
	if strings.TrimSpace(r.DescriptionMarkdown) == "" {
		return nil
	}
	lines := Render(r.DescriptionMarkdown, width)
	for i := range lines {
		lines[i] = lines[i].Cut(width) // the marker of a list may fill the width
	}
	if len(lines) <= most {
		return lines
	}
	more := Line{In(Faint, fmt.Sprintf("┄┄ %s more", Plural(len(lines)-most+1, "line")))}
	return append(lines[:most-1:most-1], more.Cut(width))
}

// WordCounts draws the numbers of added and removed words in columns of width cells.
func WordCounts(w api.WordCount, width int) Line {
	column := func(tone Tone, sign string, n int) Span {
		if n == 0 {
			return Plain(strings.Repeat(" ", width))
		}
		return In(tone, fmt.Sprintf("%*s", width, fmt.Sprintf("%s%d", sign, n)))
	}
	return Line{column(Added, "+", w.Added), column(Removed, "−", w.Removed)}
}

// PageFacts holds data about a changed page other than the change itself.
type PageFacts struct {
	Words   *api.WordCount // nil while unknown
	Threads int            // number of open threads
	Read    Line           // sign of the read state
}

// factsWidth is the width of the columns for words and threads.
const factsWidth = 6

// PageRow draws a row for a changed page: title, change, words, threads and read state. If it does not fit, first the
// columns are compacted, then the change is dropped, because other lines show it. The title is cut last.
func PageRow(c PageChange, depth int, f PageFacts, width int) Line {
	title := Line{
		NewSpan(Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), Plain(strings.Repeat("  ", depth) + DisplayTitle(c.Page.Title)),
	}
	withChange := title
	if what := c.Description(); what != "edited" && what != "new" && what != "deleted" {
		withChange = Join(title, Line{In(Dim, " · "+what)})
	}
	for _, variant := range []struct{ left, right Line }{{withChange, f.columns()}, {withChange, f.compact()}, {title, f.columns()}} {
		if variant.left.Width()+1+variant.right.Width() <= width {
			return Columns(variant.left, variant.right, width)
		}
	}
	right := f.compact()
	return Columns(title.Cut(max(width-right.Width()-1, 0)), right, width)
}

// columns draws each fact in its column.
func (f PageFacts) columns() Line {
	right := Line{}
	if f.Words != nil {
		right = WordCounts(*f.Words, factsWidth)
	}
	threads := ""
	if f.Threads > 0 {
		threads = fmt.Sprintf("●%d", f.Threads)
	}
	right = append(right, In(Warning, fmt.Sprintf("%4s", threads)), Plain(" "))
	return append(right, f.Read...)
}

// compact draws the facts without columns, to leave more width for the title.
func (f PageFacts) compact() Line {
	var right Line
	add := func(tone Tone, sign string, n int) {
		if n > 0 {
			right = append(right, In(tone, fmt.Sprintf("%s%d ", sign, n)))
		}
	}
	if f.Words != nil {
		add(Added, "+", f.Words.Added)
		add(Removed, "−", f.Words.Removed)
	}
	add(Warning, "●", f.Threads)
	if len(f.Read) == 0 {
		return right.Trim()
	}
	return append(right, f.Read...)
}
