package overview

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/text"
)

// StatusChip is the state of a change request.
func StatusChip(s api.ChangeRequestStatus) text.Span {
	ground := map[api.ChangeRequestStatus]text.Ground{api.StatusOpen: text.ChipGood, api.StatusMerged: text.ChipAccent}[s]
	if ground == text.NoGround {
		ground = text.ChipPlain
	}
	return text.Chip(ground, string(s))
}

// Subject is what a change request is called.
func Subject(r api.ChangeRequest) string {
	if strings.TrimSpace(r.Subject) == "" {
		return "(no subject)"
	}
	return r.Subject
}

// Title is the state, the number and the subject of a change request.
func Title(r api.ChangeRequest, width int) []text.Line {
	title := text.Line{StatusChip(r.Status), text.Plain(" "), text.Of(text.Style{Tone: text.Accent, Bold: true}, fmt.Sprintf("#%d ", r.Number)), text.Of(text.Style{Bold: true}, Subject(r))}
	return text.Wrap(title, width, nil)
}

// Description is what a change request is for, at most so many lines of it; nothing where nothing is said.
func Description(r api.ChangeRequest, width, most int) []text.Line {
	if strings.TrimSpace(r.DescriptionMarkdown) == "" {
		return nil
	}
	lines := markdown.Render(r.DescriptionMarkdown, width)
	for i := range lines {
		lines[i] = lines[i].Cut(width) // the sign of a list may be all that there is room for
	}
	if len(lines) <= most {
		return lines
	}
	more := text.Line{text.In(text.Faint, fmt.Sprintf("┄┄ %s more", text.Plural(len(lines)-most+1, "line")))}
	return append(lines[:most-1:most-1], more.Cut(width))
}

// Words are counts of words that came and went, each in a column so wide.
func Words(w api.WordCount, width int) text.Line {
	column := func(tone text.Tone, sign string, n int) text.Span {
		if n == 0 {
			return text.Plain(strings.Repeat(" ", width))
		}
		return text.In(tone, fmt.Sprintf("%*s", width, fmt.Sprintf("%s%d", sign, n)))
	}
	return text.Line{column(text.Added, "+", w.Added), column(text.Removed, "−", w.Removed)}
}

// PageFacts are what is known of a page that a change request changes, beside what was done to it.
type PageFacts struct {
	Words   *api.WordCount // nil while it is not known
	Threads int            // open ones
	Read    text.Line      // the sign of what was read
}

// factsWidth is the width of the columns of facts: words, threads.
const factsWidth = 6

// Page is a page that a change request changes: what was done to it, words, threads, and whether it was read. Its name is cut
// last: first the facts leave their columns, then goes what was done, which lines of their own say.
func Page(c changes.PageChange, depth int, f PageFacts, width int) text.Line {
	left := text.Line{
		text.Of(text.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), text.Plain(strings.Repeat("  ", depth) + text.Titled(c.Page.Title)),
	}
	said := left
	if what := c.What(); what != "edited" && what != "new" && what != "deleted" {
		said = text.Join(left, text.Line{text.In(text.Dim, " · "+what)})
	}
	for _, try := range []struct{ left, right text.Line }{{said, f.columns()}, {said, f.close()}, {left, f.columns()}} {
		if try.left.Width()+1+try.right.Width() <= width {
			return text.Columns(try.left, try.right, width)
		}
	}
	right := f.close()
	return text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// columns are the facts, each in its column.
func (f PageFacts) columns() text.Line {
	right := text.Line{}
	if f.Words != nil {
		right = Words(*f.Words, factsWidth)
	}
	threads := ""
	if f.Threads > 0 {
		threads = fmt.Sprintf("●%d", f.Threads)
	}
	right = append(right, text.In(text.Warning, fmt.Sprintf("%4s", threads)), text.Plain(" "))
	return append(right, f.Read...)
}

// close are the facts without columns, for a page whose name needs the room.
func (f PageFacts) close() text.Line {
	var right text.Line
	add := func(tone text.Tone, sign string, n int) {
		if n > 0 {
			right = append(right, text.In(tone, fmt.Sprintf("%s%d ", sign, n)))
		}
	}
	if f.Words != nil {
		add(text.Added, "+", f.Words.Added)
		add(text.Removed, "−", f.Words.Removed)
	}
	add(text.Warning, "●", f.Threads)
	if len(f.Read) == 0 {
		return right.Trim()
	}
	return append(right, f.Read...)
}
