package overview

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/markdown"
	"docspace.dev/wsd/tui/text"
)

// Chip is the state of a change request.
func Chip(s api.ChangeRequestStatus) text.Span {
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
	title := text.Line{Chip(r.Status), text.Plain(" "), text.Of(text.Style{Tone: text.Accent, Bold: true}, fmt.Sprintf("#%d ", r.Number)), text.Of(text.Style{Bold: true}, Subject(r))}
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

// Stands says what stands in the way of a merge, by a rule first and then as somebody asks for changes, and what is other
// advice.
func Stands(m api.Mergeability) (stops, advice []api.MergeGate) {
	for _, g := range m.Rules {
		switch {
		case g.State == api.GatePassed:
		case g.State == api.GateFailed, g.Rule == api.GateChangesRequested, g.Rule == api.GateConflicts:
			stops = append(stops, g)
		default:
			advice = append(advice, g)
		}
	}
	slices.SortStableFunc(stops, func(a, b api.MergeGate) int { return rank(a) - rank(b) })
	return stops, advice
}

// rank is small for what a rule stops a merge by.
func rank(g api.MergeGate) int {
	if g.State == api.GateFailed {
		return 0
	}
	return 1
}

// Merge is the heading of the checks: not yet is what it says as well where nothing forbids a merge and somebody asks for
// changes.
func Merge(m api.Mergeability) text.Line {
	stops, advice := Stands(m)
	line := text.Section("Merge ")
	switch {
	case !m.Mergeable || len(stops) > 0:
		line = append(line, text.Chip(text.ChipWarning, "not yet"))
	default:
		line = append(line, text.Chip(text.ChipGood, "can be merged"))
	}
	if said := standing(stops, advice); said != "" {
		line = append(line, text.In(text.Dim, "  "+said))
	}
	return line
}

// standing says how many checks stop a merge, that changes are asked for, and how many are advice.
func standing(stops, advice []api.MergeGate) string {
	failed := 0
	for _, g := range stops {
		if g.State == api.GateFailed {
			failed++
		}
	}
	var parts []string
	switch {
	case failed == 1:
		parts = append(parts, "1 stops it")
	case failed > 1:
		parts = append(parts, fmt.Sprintf("%d stop it", failed))
	}
	if failed == 0 && len(stops) > 0 {
		parts = append(parts, "changes are asked for")
	}
	if len(advice) > 0 {
		parts = append(parts, fmt.Sprintf("%d as advice", len(advice)))
	}
	return strings.Join(parts, ", ")
}

// Check is one thing that a merge depends on: its sign, why, who can clear it, and what of it is only advice.
func Check(g api.MergeGate, me string) text.Line {
	sign, tone := "! ", text.Warning
	switch g.State {
	case api.GateFailed:
		sign, tone = "✗ ", text.Failure
	case api.GatePassed:
		sign, tone = "✓ ", text.Added
	case api.GateAdvice, api.GateBypassed:
	}
	line := text.Line{text.Of(text.Style{Tone: tone, Bold: true}, sign), text.Plain(g.Message)}
	switch g.State {
	case api.GateBypassed:
		line = append(line, text.In(text.Dim, " (you may merge all the same)"))
	case api.GateAdvice:
		line = append(line, text.In(text.Dim, " (advice)"))
	case api.GateFailed, api.GatePassed:
	}
	if who := clearers(g, me); who != "" {
		line = append(line, text.In(text.Dim, " · "+who))
	}
	return line
}

// clearers are those who can clear a check.
func clearers(g api.MergeGate, me string) string {
	if g.ClearedBy == nil {
		return ""
	}
	var who []string
	for _, u := range g.ClearedBy.Users {
		if name := Name(u, me); !strings.Contains(g.Message, name) { // it says so already
			who = append(who, name)
		}
	}
	if g.ClearedBy.Role != "" {
		who = append(who, whoHas(g.ClearedBy.Role))
	}
	return strings.Join(who, ", ")
}

// whoHas names those who have a role, or more.
func whoHas(r api.Role) string {
	names := map[api.Role]string{
		api.RoleRead: "readers", api.RoleComment: "commenters", api.RoleEdit: "editors", api.RoleReview: "reviewers",
		api.RoleCreate: "creators", api.RoleAdmin: "admins",
	}
	if name, ok := names[r]; ok {
		return name
	}
	return string(r)
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

// Page is a page that a change request changes: what was done to it, words, threads, and whether it was read.
func Page(c changes.PageChange, depth int, f PageFacts, width int) text.Line {
	left := text.Line{
		text.Of(text.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "), text.Plain(strings.Repeat("  ", depth) + text.Titled(c.Page.Title)),
	}
	if what := c.What(); what != "edited" && what != "new" && what != "deleted" {
		left = append(left, text.In(text.Dim, " · "+what))
	}
	right := text.Line{}
	if f.Words != nil {
		right = Words(*f.Words, factsWidth)
	}
	threads := ""
	if f.Threads > 0 {
		threads = fmt.Sprintf("●%d", f.Threads)
	}
	right = append(right, text.In(text.Warning, fmt.Sprintf("%4s", threads)), text.Plain(" "))
	right = append(right, f.Read...)
	return text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}
