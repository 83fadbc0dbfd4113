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

// PageFacts holds data about a changed page other than the change itself.
type PageFacts struct {
	Words   *api.WordCount // nil while unknown
	Threads int            // number of open threads
	Read    Line           // sign of the read state, before the title
}

// The widths of the columns of a list of changed pages. Those of words are left out of narrow lists.
const (
	addedWidth       = 5
	removedWidth     = 6
	threadsWidth     = 8
	minWidthForWords = 36
)

// PagesHead draws the title of a list of changed pages, the reading progress in one of several lengths, and the heads of the
// columns, whose positions are fixed. What does not fit is shortened: the progress, then the heads, then the title.
func PagesHead(title Line, long, short string, width int) Line {
	threads := Line{In(Dim, "threads")}
	heads := Join(AlignRight(Line{In(Dim, "words")}, addedWidth+removedWidth), AlignRight(threads, threadsWidth))
	if width < minWidthForWords {
		heads = threads
	}
	for _, v := range []struct {
		progress string
		heads    Line
	}{{long, heads}, {short, heads}, {"", heads}, {short, threads}} {
		line := Join(title, Line{In(Dim, "  "+v.progress)}).Trim()
		if line.Width()+1+v.heads.Width() <= width {
			return Columns(line, v.heads, width)
		}
	}
	return Columns(title.Cut(max(width-threads.Width()-1, 0)), threads, width)
}

// PageRow draws a row for a changed page: its read state, title and change, and in columns its words and threads. If it does
// not fit, the change is dropped, because other lines show it, and the title is cut.
func PageRow(c PageChange, depth int, f PageFacts, width int) Line {
	title := Join(f.Read, Line{
		NewSpan(Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), Plain(strings.Repeat("  ", depth) + DisplayTitle(c.Page.Title)),
	})
	withChange := title
	if what := c.Description(); what != "edited" && what != "new" && what != "deleted" {
		withChange = Join(title, Line{In(Dim, " · "+what)})
	}
	var words api.WordCount
	if f.Words != nil {
		words = *f.Words
	}
	var right Line
	if width >= minWidthForWords {
		right = Line{countSpan(Added, "+", words.Added, addedWidth), countSpan(Removed, "−", words.Removed, removedWidth)}
	}
	right = append(right, countSpan(Warning, "●", f.Threads, threadsWidth))
	if withChange.Width()+1+right.Width() <= width {
		return Columns(withChange, right, width)
	}
	return Columns(title.Cut(max(width-right.Width()-1, 0)), right, width)
}

// countSpan draws a number with a sign at the right of a column; 0 is left out, and thousands are abbreviated.
func countSpan(tone Tone, sign string, n, width int) Span {
	switch {
	case n == 0:
		return Plain(strings.Repeat(" ", width))
	case n >= 10_000:
		return In(tone, fmt.Sprintf("%*s", width, fmt.Sprintf("%s%dk", sign, n/1000)))
	default:
		return In(tone, fmt.Sprintf("%*s", width, fmt.Sprintf("%s%d", sign, n)))
	}
}
