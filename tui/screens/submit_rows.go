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
	verdictKey = "verdict"
	textKey    = "text"
	draftKey   = "draft/"
	unreadKey  = "unread/"
	movedKey   = "moved"
)

// maxBriefRows is how many lines of a draft are shown.
const maxBriefRows = 4

// Rows implements page.Page.
func (p *Review) Rows(width int) []components.Row {
	width = render.Measure(width)
	rows := p.head(width)
	rows = append(rows, p.movedRows(width)...)
	rows = append(rows, p.draftRows(width)...)
	rows = append(rows, p.unreadRows(width)...)
	if !page.HasPane(p.Window) {
		rows = append(rows, p.effects.Rows(width)...)
	}
	return rows
}

func blank(key string) components.Row { return components.Row{Key: key} }

func heading(title, more string, width int) components.Row {
	return components.Row{Key: "head", Skip: true, Line: append(render.Section(title), render.In(render.Dim, "  "+more)).Cut(width)}
}

// head is the verdict and the text.
func (p *Review) head(width int) []components.Row {
	f, frozen := p.frozen()
	own := p.own()
	said := "as you read it"
	if frozen {
		said = "on its way since " + p.Session.Ago(f.At)
		if f.Review != nil {
			own = *f.Review
		}
	}
	title := fmt.Sprintf("Your review of #%d", p.of.Number)
	if !p.judges() {
		title = fmt.Sprintf("Your comments and replies on #%d", p.of.Number)
	}
	rows := []components.Row{heading(title, said, width)}
	if p.open != nil {
		line := render.Line{render.In(render.Warning, "! no answer came: it is sent again automatically; ctrl+s tries now")}
		rows = append(rows, components.Row{Key: "head", Skip: true, Line: line.Cut(width)})
	}
	verdict := render.Line{}
	for _, v := range verdictNames {
		sign, style := "( ) ", render.Style{Tone: render.Dim}
		if v.status == own.Verdict {
			sign, style = "(•) ", render.Style{Tone: render.Accent, Bold: true}
		}
		verdict = append(verdict, render.Of(style, sign+v.name), render.Plain("   "))
	}
	switch {
	case p.mine():
		verdict = render.Line{render.In(render.Dim, "Your own change request: you send comments and replies; others approve it.")}
	case p.finished():
		verdict = render.Line{render.In(render.Dim, "It is closed: you send comments and replies; there is no verdict any more.")}
	}
	rows = append(rows, components.Row{Key: verdictKey, Line: verdict.Cut(width), Begin: true}, blank(verdictKey))
	if own.Text == "" {
		what := "Summary"
		if !p.judges() {
			what = "A comment on all of it"
		}
		line := render.Line{render.In(render.Dim, what+" (optional): ⏎ to write")}
		return append(rows, components.Row{Key: textKey, Line: line.Fill(render.Draft, width)}, blank(textKey))
	}
	for _, line := range render.Render(own.Text, width) {
		rows = append(rows, components.Row{Key: textKey, Line: line.Fill(render.Draft, width)})
	}
	return append(rows, blank(textKey))
}

// movedRows say that the request is another one by now.
func (p *Review) movedRows(width int) []components.Row {
	if !p.hasMoved() {
		return nil
	}
	left := render.Line{render.Of(render.Style{Tone: render.Warning, Bold: true}, "! The request changed while you read"), render.In(render.Dim, " · "+p.Session.Ago(p.now.Latest.UpdatedAt.Time))}
	return []components.Row{{Key: movedKey, Line: render.Columns(left, render.Line{render.In(render.Dim, "⏎ shows what changed")}, width)}, blank(movedKey)}
}

// draftRows list what would be sent, and what is held back.
func (p *Review) draftRows(width int) []components.Row {
	s := p.built()
	pending := p.Session.Pending(p.at)
	if f, frozen := p.frozen(); frozen {
		pending = f.Drafts
	}
	rows := []components.Row{heading("Drafts", p.counts(s.Body, len(pending)), width)}
	if len(pending) == 0 {
		return append(rows, blank("head"))
	}
	if why := tooMuch(s.Body); why != "" {
		rows = append(rows, components.Row{Key: "head", Skip: true, Line: render.Line{render.In(render.Failure, "! "+why)}.Cut(width)})
	}
	for _, d := range pending {
		rows = append(rows, p.draft(d, width)...)
	}
	return rows
}

// counts says how many drafts there are and what of them is sent, as the last line of the screen counts them: what is said with
// the verdict is one.
func (p *Review) counts(body api.ReviewSubmit, listed int) string {
	const none = "c comments where you read, r replies"
	all, goes, summary := listed, len(body.Drafts), ""
	if body.Comment != nil {
		all, goes, summary = all+1, goes+1, ", the text above among them"
	}
	switch {
	case all == 0:
		return "none; " + none
	case listed == 0:
		return "1 not sent, the text above; " + none
	}
	count := fmt.Sprintf("%d not sent%s", all, summary)
	switch held := all - goes; {
	case held > 0:
		count += fmt.Sprintf(" · %d held back", held)
	case all > 1:
		count += " · all are sent together"
	}
	if len(body.Drafts) > mostDrafts/2 {
		count += fmt.Sprintf(" · %d of at most %d", len(body.Drafts), mostDrafts)
	}
	if n := size(body); n > mostBytes/2 { // nobody else need know that there is a limit
		count += fmt.Sprintf(" · %s of at most %s", bytesOf(n), bytesOf(mostBytes))
	}
	if more := p.Session.WaitingAt(p.at) - all; more > 0 {
		count += fmt.Sprintf(" · %d more that no review sends: p", more)
	}
	return count
}

// draft draws a draft: where it stands, and what it says.
func (p *Review) draft(d drafts.Draft, width int) []components.Row {
	sign, style := "[x] ", render.Style{Bold: true}
	if d.Held {
		sign, style = "[ ] ", render.Style{Tone: render.Dim}
	}
	right := facts(d)
	id := d.ID()
	about := components.Subject{Draft: id, Quote: d.Text}
	row := func(line render.Line) components.Row {
		return components.Row{Key: draftKey + id, About: about, Line: line.Cut(width)}
	}
	left := render.Line{render.In(render.Accent, sign), render.Of(style, place(d))}
	rows := []components.Row{row(render.Columns(left.Cut(max(width-right.Width()-1, width/2)), right.Trim(), width))}
	if why := p.refused[id]; why != "" {
		rows = append(rows, row(render.Line{render.In(render.Failure, "    ✗ refused: "+why+" (space holds it back)")}))
	}
	for _, line := range p.says(d, max(width-4, 1)) {
		rows = append(rows, row(render.Join(render.Line{render.Plain("    ")}, line)))
	}
	return append(rows, components.Row{Key: draftKey + id, About: about})
}

// facts are what stands at the right of a draft: its weight, that it suggests something, that it is held back.
func facts(d drafts.Draft) render.Line {
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

// says is the beginning of what a draft says and suggests.
func (p *Review) says(d drafts.Draft, width int) []render.Line {
	lines := render.Render(d.Text, width)
	if len(lines) > maxBriefRows {
		lines = append(lines[:maxBriefRows-1:maxBriefRows-1], render.Line{render.In(render.Dim, "…")})
	}
	if d.Suggestion == nil {
		return lines
	}
	marks := render.Brackets
	if p.Session.Grounded {
		marks = render.Grounds
	}
	suggested := render.Suggested(d.Original, *d.Suggestion, width, marks)
	return append(lines, suggested[:min(len(suggested), maxBriefRows)]...)
}

// unreadRows list what was not read.
func (p *Review) unreadRows(width int) []components.Row {
	now, known := p.Session.Read.Of(p.at)
	unread := p.Session.Read.Unread(p.at)
	switch {
	case p.mine(): // an author has no reading to do
		return nil
	case !known && p.Session.Read.Condition(p.at).Err != nil:
		return []components.Row{heading("Read", "not known: the server does not answer", width), blank("head")}
	case !known:
		return nil
	case len(unread) == 0:
		return []components.Row{heading("Read", "✓ everything that it changes", width), blank("head")}
	}
	rows := []components.Row{heading("Not read yet", fmt.Sprintf("%d of %s", len(unread), render.Plural(now.Total, "change")), width)}
	for _, item := range unread {
		left := render.Line{render.In(render.Warning, "◌ "), render.Plain(render.Titled(item.Title)), render.In(render.Dim, " · "+why(item))}
		rows = append(rows, components.Row{Key: unreadKey + item.ID, Line: render.Columns(left, render.Line{render.In(render.Dim, "⏎ to read it")}, width)})
	}
	return append(rows, blank("head"))
}

// why says what is to be read of something, or that it was read and is another one now.
func why(item api.ReadingItem) string {
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
