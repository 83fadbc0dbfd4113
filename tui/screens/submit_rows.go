package screens

import (
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// The keys of the rows.
const (
	verdictKey      = "verdict"
	textKey         = "text"
	draftKeyPrefix  = "draft/"
	unreadKeyPrefix = "unread/"
	movedKey        = "moved"
)

// maxBriefRows is the maximum number of lines of a draft.
const maxBriefRows = 4

// Rows implements page.Page.
func (p *reviewPage) Rows(width int) []components.Row {
	width = render.ProseWidth(width)
	rows := p.headRows(width)
	rows = append(rows, p.movedRows(width)...)
	rows = append(rows, p.draftRows(width)...)
	rows = append(rows, p.unreadRows(width)...)
	if !page.HasPane(p.Window) {
		rows = append(rows, p.effects.Rows(width)...)
	}
	return rows
}

func blankRow(key string) components.Row { return components.Row{Key: key} }

func heading(title, more string, width int) components.Row {
	return components.Row{Key: "head", Skip: true, Line: append(render.Section(title), render.In(render.Dim, "  "+more)).Cut(width)}
}

// headRows draws the verdict and the text of the review.
func (p *reviewPage) headRows(width int) []components.Row {
	f, frozen := p.frozenSubmission()
	own := p.ownDraft()
	state := "about what you were shown"
	if frozen {
		state = "sent, not answered yet, " + p.Session.Ago(f.SubmittedAt)
		if f.Review != nil {
			own = *f.Review
		}
	}
	title := fmt.Sprintf("Your review of #%d", p.request.Number)
	if !p.canDecide() {
		title = fmt.Sprintf("Your comments and replies on #%d", p.request.Number)
	}
	rows := []components.Row{heading(title, state, width)}
	if p.unknownOutcome != nil {
		line := render.Line{render.In(render.Warning, "! no answer came: it is sent again automatically; ctrl+s tries now")}
		rows = append(rows, components.Row{Key: "head", Skip: true, Line: line.Cut(width)})
	}
	verdict := render.Line{}
	for _, v := range verdictNames {
		sign, style := "( ) ", render.Style{Tone: render.Dim}
		if v.status == own.Verdict {
			sign, style = "(•) ", render.Style{Tone: render.Accent, Bold: true}
		}
		verdict = append(verdict, render.NewSpan(style, sign+v.name), render.Plain("   "))
	}
	switch {
	case p.isAuthor():
		verdict = render.Line{render.In(render.Dim, "Your own change request: you send comments and replies; others approve it.")}
	case p.isClosed():
		verdict = render.Line{render.In(render.Dim, "It is closed: you send comments and replies; there is no verdict any more.")}
	}
	rows = append(rows, components.Row{Key: verdictKey, Line: verdict.Cut(width), Begin: true}, blankRow(verdictKey))
	if own.Text == "" {
		label := "Summary"
		if !p.canDecide() {
			label = "A comment on all of it"
		}
		line := render.Line{render.In(render.Dim, label+" (optional): ⏎ to write")}
		return append(rows, components.Row{Key: textKey, Line: line.Fill(render.Draft, width)}, blankRow(textKey))
	}
	for _, line := range render.Render(own.Text, width) {
		rows = append(rows, components.Row{Key: textKey, Line: line.Fill(render.Draft, width)})
	}
	return append(rows, blankRow(textKey))
}

// draftRows lists the drafts that would be sent, and those that are held back.
func (p *reviewPage) draftRows(width int) []components.Row {
	s := p.plannedSubmission()
	pending := p.Session.Pending(p.target)
	if f, frozen := p.frozenSubmission(); frozen {
		pending = f.Drafts
	}
	rows := []components.Row{heading("Drafts", p.draftCounts(s.Body, len(pending)), width)}
	if len(pending) == 0 {
		return append(rows, blankRow("head"))
	}
	if reason := tooLargeReason(s.Body); reason != "" {
		rows = append(rows, components.Row{Key: "head", Skip: true, Line: render.Line{render.In(render.Failure, "! "+reason)}.Cut(width)})
	}
	for _, d := range pending {
		rows = append(rows, p.draftItemRows(d, width)...)
	}
	return rows
}

// draftCounts returns the number of drafts and of those that are sent, in agreement with the last line of the screen:
// the text of a verdict counts as one.
func (p *reviewPage) draftCounts(body api.ReviewSubmit, listed int) string {
	const none = "c comments where you read, r replies"
	all, posted, summary := listed, len(body.Drafts), ""
	if body.Comment != nil {
		all, posted, summary = all+1, posted+1, ", the text above among them"
	}
	switch {
	case all == 0:
		return "none; " + none
	case listed == 0:
		return "1 not sent, the text above; " + none
	}
	count := fmt.Sprintf("%d not sent%s", all, summary)
	switch held := all - posted; {
	case held > 0:
		count += fmt.Sprintf(" · %d held back", held)
	case all > 1:
		count += " · all are sent together"
	}
	if len(body.Drafts) > maxDrafts/2 {
		count += fmt.Sprintf(" · %d of at most %d", len(body.Drafts), maxDrafts)
	}
	if n := textSize(body); n > maxBytes/2 { // the limit is shown only when it comes near
		count += fmt.Sprintf(" · %s of at most %s", formatBytes(n), formatBytes(maxBytes))
	}
	if more := p.Session.UnsentCount(p.target) - all; more > 0 {
		count += fmt.Sprintf(" · %d more that no review sends: p", more)
	}
	return count
}

// draftItemRows draws a draft: its location and its text.
func (p *reviewPage) draftItemRows(d drafts.Draft, width int) []components.Row {
	sign, style := "[x] ", render.Style{Bold: true}
	if d.Held {
		sign, style = "[ ] ", render.Style{Tone: render.Dim}
	}
	right := draftFacts(d)
	id := d.ID()
	about := components.Subject{Draft: id, Quote: d.Text}
	row := func(line render.Line) components.Row {
		return components.Row{Key: draftKeyPrefix + id, About: about, Line: line.Cut(width)}
	}
	left := render.Line{render.In(render.Accent, sign), render.NewSpan(style, draftLocation(d))}
	rows := []components.Row{row(render.Columns(left.Cut(max(width-right.Width()-1, width/2)), right.Trim(), width))}
	if reason := d.TooLongReason(); reason != "" {
		rows = append(rows, row(render.Line{render.In(render.Failure, "    ✗ "+reason+" (e shortens it, space holds it back)")}))
	}
	if reason := p.refusals[id]; reason != "" {
		rows = append(rows, row(render.Line{render.In(render.Failure, "    ✗ refused: "+reason+" (space holds it back)")}))
	}
	for _, line := range p.draftTextLines(d, max(width-4, 1)) {
		rows = append(rows, row(render.Join(render.Line{render.Plain("    ")}, line)))
	}
	return append(rows, components.Row{Key: draftKeyPrefix + id, About: about})
}

// draftFacts returns the right column of a draft: its weight, and whether it is a suggestion or held back.
func draftFacts(d drafts.Draft) render.Line {
	var line render.Line
	if d.Weight != "" {
		line = append(line, page.WeightSpan(d.Weight), render.Plain("  "))
	}
	if d.Suggestion != nil {
		line = append(line, render.In(render.Dim, "suggestion  "))
	}
	if d.Held {
		line = append(line, render.In(render.Dim, "held back"))
	}
	return line
}

// draftTextLines draws the beginning of the text and the suggestion of a draft.
func (p *reviewPage) draftTextLines(d drafts.Draft, width int) []render.Line {
	lines := render.Render(d.Text, width)
	if len(lines) > maxBriefRows {
		lines = append(lines[:maxBriefRows-1:maxBriefRows-1], render.Line{render.In(render.Dim, "…")})
	}
	if d.Suggestion == nil {
		return lines
	}
	marks := render.Brackets
	if p.Session.HasGrounds {
		marks = render.Grounds
	}
	suggested := render.SuggestionDiff(d.Original, *d.Suggestion, width, marks)
	return append(lines, suggested[:min(len(suggested), maxBriefRows)]...)
}

// unreadRows lists the unread items.
func (p *reviewPage) unreadRows(width int) []components.Row {
	now, known := p.Session.Read.State(p.target)
	unread := p.Session.Read.Unread(p.target)
	switch {
	case p.isAuthor(): // authors have no reading progress
		return nil
	case !known && p.Session.Read.LoadState(p.target).Err != nil:
		return []components.Row{heading("Read", "not known: the server does not answer", width), blankRow("head")}
	case !known:
		return nil
	case len(unread) == 0:
		return []components.Row{heading("Read", "✓ everything that it changes", width), blankRow("head")}
	}
	rows := []components.Row{heading("Not read yet", fmt.Sprintf("%d of %s", len(unread), render.Plural(now.Total, "change")), width)}
	for _, item := range unread {
		left := render.Line{
			render.In(render.Warning, "◌ "), render.Plain(render.DisplayTitle(item.Title)), render.In(render.Dim, " · "+readingNote(item)),
		}
		rows = append(rows, components.Row{
			Key: unreadKeyPrefix + item.ID, Line: render.Columns(left, render.Line{render.In(render.Dim, "⏎ to read it")}, width),
		})
	}
	return append(rows, blankRow("head"))
}

// readingNote describes the size of an unread item, or states that it has changed since it was read.
func readingNote(item api.ReadingItem) string {
	if !item.MarkedAt.IsZero() {
		return "changed since you read it"
	}
	switch item.Reason {
	case api.UnseenCreated:
		return "new"
	case api.UnseenPlace:
		return "moved"
	default:
		return string(item.Reason)
	}
}
