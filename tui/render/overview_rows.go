package render

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
)

// StatusChip is the state of a change request.
func StatusChip(s api.ChangeRequestStatus) Span {
	ground := map[api.ChangeRequestStatus]Ground{api.StatusOpen: ChipGood, api.StatusMerged: ChipAccent}[s]
	if ground == NoGround {
		ground = ChipPlain
	}
	return Chip(ground, string(s))
}

// Subject is what a change request is called.
func Subject(r api.ChangeRequest) string {
	if strings.TrimSpace(r.Subject) == "" {
		return "(no subject)"
	}
	return r.Subject
}

// Title is the state, the number and the subject of a change request.
func Title(r api.ChangeRequest, width int) []Line {
	title := Line{StatusChip(r.Status), Plain(" "), Of(Style{Tone: Accent, Bold: true}, fmt.Sprintf("#%d ", r.Number)), Of(Style{Bold: true}, Subject(r))}
	return Wrap(title, width, nil)
}

// Description is what a change request is for, at most so many lines of it; nothing where nothing is said.
func Description(r api.ChangeRequest, width, most int) []Line {
	if strings.TrimSpace(r.DescriptionMarkdown) == "" {
		return nil
	}
	lines := Render(r.DescriptionMarkdown, width)
	for i := range lines {
		lines[i] = lines[i].Cut(width) // the sign of a list may be all that there is room for
	}
	if len(lines) <= most {
		return lines
	}
	more := Line{In(Faint, fmt.Sprintf("┄┄ %s more", Plural(len(lines)-most+1, "line")))}
	return append(lines[:most-1:most-1], more.Cut(width))
}

// Words are counts of words that came and went, each in a column so wide.
func Words(w api.WordCount, width int) Line {
	column := func(tone Tone, sign string, n int) Span {
		if n == 0 {
			return Plain(strings.Repeat(" ", width))
		}
		return In(tone, fmt.Sprintf("%*s", width, fmt.Sprintf("%s%d", sign, n)))
	}
	return Line{column(Added, "+", w.Added), column(Removed, "−", w.Removed)}
}

// PageFacts are what is known of a page that a change request changes, beside what was done to it.
type PageFacts struct {
	Words   *api.WordCount // nil while it is not known
	Threads int            // open ones
	Read    Line           // the sign of what was read
}

// factsWidth is the width of the columns of facts: words, threads.
const factsWidth = 6

// Page is a page that a change request changes: what was done to it, words, threads, and whether it was read. Its name is cut
// last: first the facts leave their columns, then goes what was done, which lines of their own say.
func Page(c PageChange, depth int, f PageFacts, width int) Line {
	left := Line{
		Of(Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), Plain(strings.Repeat("  ", depth) + Titled(c.Page.Title)),
	}
	said := left
	if what := c.What(); what != "edited" && what != "new" && what != "deleted" {
		said = Join(left, Line{In(Dim, " · "+what)})
	}
	for _, try := range []struct{ left, right Line }{{said, f.columns()}, {said, f.close()}, {left, f.columns()}} {
		if try.left.Width()+1+try.right.Width() <= width {
			return Columns(try.left, try.right, width)
		}
	}
	right := f.close()
	return Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// columns are the facts, each in its column.
func (f PageFacts) columns() Line {
	right := Line{}
	if f.Words != nil {
		right = Words(*f.Words, factsWidth)
	}
	threads := ""
	if f.Threads > 0 {
		threads = fmt.Sprintf("●%d", f.Threads)
	}
	right = append(right, In(Warning, fmt.Sprintf("%4s", threads)), Plain(" "))
	return append(right, f.Read...)
}

// close are the facts without columns, for a page whose name needs the room.
func (f PageFacts) close() Line {
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
