package tui

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// chrome is the number of lines that are not the page's: title, rule, hints and, where there is room, the command that
// shows the same.
func (m *Model) chrome() int {
	if m.height >= 16 {
		return 4
	}
	return 3
}

// View implements tea.Model. It draws exactly the window, whatever its size: no line is wider, none too many.
func (m *Model) View() string {
	lines := m.lines(m.width, m.height)
	painted := make([]string, len(lines))
	for i, line := range lines {
		painted[i] = m.theme.Paint(line.Cut(m.width))
	}
	return strings.Join(painted, "\n")
}

func (m *Model) lines(width, height int) []render.Line {
	if width <= 0 || height <= 0 {
		return nil
	}
	chrome := m.chrome()
	if height <= chrome {
		return fill(m.body(width, height), height)
	}
	body := fill(m.body(width, height-chrome), height-chrome) // lays out the rows that the rest speaks of
	lines := append([]render.Line{m.heading(width), {render.In(render.Faint, strings.Repeat("─", width))}}, body...)
	if chrome > 3 {
		lines = append(lines, m.status(width))
	}
	return append(lines, m.footer(width))
}

// fill cuts or extends lines to a height.
func fill(lines []render.Line, height int) []render.Line {
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines[:max(height, 0)]
}

// heading is the way from the top to the page or, on the first pages of an organization, these; and what is new.
func (m *Model) heading(width int) render.Line {
	state := m.state(width)
	room := max(width-state.Width()-1, 0)
	if line, ok := m.tabLine(room); ok {
		if who := m.whereabouts(); line.Width()+who.Width()+state.Width()+4 <= width {
			state = render.Join(who, render.Line{render.Plain("  ")}, state)
		}
		return render.Columns(line.Cut(room), state, width)
	}
	return render.Columns(m.way(room), state, width)
}

// state says what others did, or how fresh the page is and where the cursor stands; and whether the server is heard of.
func (m *Model) state(width int) render.Line {
	const show = " · R shows"
	state, sign := m.freshness(), m.sign()
	room := min(width/2, width-m.leastWay()-sign.Width()-3) - len([]rune(show))
	if news := m.news(room); news != "" {
		state = append(render.Line{render.In(render.Fresh, news)}.Cut(max(room, 8)), render.In(render.Fresh, show))
	}
	if len(sign) > 0 && len(state) > 0 {
		state = render.Join(state, render.Line{render.Plain("  ")})
	}
	return render.Join(state, sign)
}

// leastOfRequest is how much of the subject of a change request stands in the first line, whatever the news.
const leastOfRequest = 30

// leastWay is the width that the news leaves to the way: the page, and the change request that it is of. Tabs find room
// themselves.
func (m *Model) leastWay() int {
	if isTab(m.top()) {
		return 0
	}
	left := len([]rune("… › "))
	for i, p := range slices.Backward(m.pages) {
		title := render.Line{render.Plain(p.Title())}.Width()
		if i == len(m.pages)-1 {
			left += title
		} else if _, is := p.(watching); is {
			return left + min(title, leastOfRequest) + len([]rune(" › "))
		}
	}
	return left
}

// way is the way from the top to the page. Where there is no room for all of it, its first steps are left out, whole ones.
func (m *Model) way(room int) render.Line {
	steps := m.steps()
	here := render.Line{render.Of(render.Style{Bold: true}, steps[len(steps)-1])}
	var way render.Line
	for i := len(steps) - 2; i >= 0; i-- {
		step := render.Line{render.In(render.Dim, steps[i]), render.In(render.Dim, " › ")}
		if left := len("… › "); step.Width()+way.Width()+here.Width()+min(i, 1)*left > room {
			way = append(shortened(step, room-way.Width()-here.Width()), way...)
			break
		}
		way = append(step, way...)
	}
	return render.Join(way, here).Cut(room)
}

// shortened is a step for which there is too little room: its first words, or … where there is no room for some.
func shortened(step render.Line, room int) render.Line {
	const least = 14
	words := strings.TrimSuffix(step.String(), " › ")
	for len(words) > 0 {
		at := strings.LastIndex(words, " ")
		if at < 0 {
			break
		}
		words = words[:at]
		if cut := (render.Line{render.In(render.Dim, strings.TrimRight(words, ":;, ")+"… › ")}); cut.Width() <= room && cut.Width() >= least {
			return cut
		}
	}
	return render.Line{render.In(render.Dim, "… › ")}
}

// steps are the titles from the top to the page, each space before its first page. The inbox, which stands below the other
// first pages of an organization, is no step on the way to them.
func (m *Model) steps() []string {
	var steps []string
	for i, p := range m.pages {
		if i+1 < len(m.pages) && p.Kind() == tabs[0].kind && isTab(m.pages[i+1]) {
			continue
		}
		if name := m.s.Names[p.Space()]; i > 0 && name != "" && m.pages[i-1].Space() != p.Space() && p.Title() != name {
			steps = append(steps, name)
		}
		steps = append(steps, p.Title())
	}
	return steps
}

// freshness says whether the page is being loaded, or old, and why.
func (m *Model) freshness() render.Line {
	c := m.top().Condition()
	switch {
	case c.Busy:
		return render.Line{render.In(render.Dim, "loading …")}
	case c.Err != nil && c.Loaded && c.At.IsZero():
		return render.Line{render.In(render.Warning, "! "+remote.TroubleOf(c.Err).Label+" · R")}
	case c.Err != nil && c.Loaded:
		age := m.s.Ago(c.At)
		return render.Line{render.In(render.Warning, "! "+remote.TroubleOf(c.Err).Label+", as of "+age+" · R")}
	case c.Err != nil:
		return render.Line{render.In(render.Failure, "! "+remote.TroubleOf(c.Err).Label+" · R")}
	default:
		return m.position()
	}
}

// locator is a page that says itself where the cursor is.
type locator interface{ Where() render.Line }

// position says where in the page the cursor is.
func (m *Model) position() render.Line {
	if p, ok := m.top().(locator); ok {
		if where := p.Where(); where != nil {
			return where
		}
	}
	l := &m.top().Base().List
	if word := l.Sought(); word != "" {
		found := "no hits"
		if at, all := l.Count(l.Found); all > 0 {
			found = fmt.Sprintf("hit %d of %d", max(at, 1), all)
		}
		return render.Line{render.In(render.Accent, "/"+word), render.In(render.Dim, " · "+found+" · esc clears")}
	}
	if r, ok := l.Selected(); !ok || page.IsNotice(r) {
		return nil
	}
	return page.RowOf(l.Position())
}

// body is the page, or the overlay instead of it or under it.
func (m *Model) body(width, height int) []render.Line {
	var under []render.Line
	switch {
	case m.overlay != nil:
		lines, full := m.overlay.View(width, height)
		if full {
			return lines
		}
		under = lines
	case m.desk.Writing():
		under = m.desk.View(width, min(max(height/2, 6), height))
	}
	room := height - len(under)
	if room <= 0 {
		return under
	}
	return append(fill(page.View(m.top(), width, room), room), under...)
}

// commanded is a page that a wsctl command shows, too.
type commanded interface{ Command() string }

// located is a page of a change request, or of what stands outside of one.
type located interface{ At() remote.Target }

// at is the change request that the page belongs to: its own, or that of the page that it was opened from.
func (m *Model) at() remote.Target {
	for _, p := range slices.Backward(m.pages) {
		if l, ok := p.(located); ok {
			return l.At()
		}
	}
	return remote.Target{}
}

// sends is the key that sends drafts from the page that is shown: none where there is no way to the submit screen.
func (m *Model) sends() string {
	if _, form := m.top().(passing); form {
		return "ctrl+s"
	}
	if a, ok := components.Find(m.top().Actions(), "S"); ok && a.Name == "submit" {
		return "S"
	}
	return ""
}

// status is the command that does what was done last, or shows what is shown; and what is not sent.
func (m *Model) status(width int) render.Line {
	command := m.command
	if p, ok := m.top().(commanded); ok && command == "" {
		command = p.Command()
	}
	var left, right render.Line
	if command != "" {
		left = render.Line{render.In(render.Faint, "same as: "+command)}
	}
	if says := m.s.SaysWaiting(m.at(), m.sends()); says != "" {
		right = render.Line{render.Of(render.Style{Ground: render.Draft}, " ✎ "+says+" ")}
	}
	return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// footer is what happened last, or else the keys that matter here.
func (m *Model) footer(width int) render.Line {
	switch {
	case m.overlay != nil && m.message.Text() != "":
		return render.Line{m.message}
	case m.overlay != nil:
		return components.OverlayHints(m.overlay)
	case m.message.Text() != "":
		right := components.Hint("?", "more")
		if m.undoes() && m.message == m.undo.said {
			right = render.Join(components.Hint("u", "undo"), right)
		}
		return render.Columns(render.Line{m.message}, right.Trim(), width)
	case m.desk.Writing():
		return components.Hints(m.desk.Actions(), width)
	default:
		right := render.Join(components.Hint(":", "go"), components.Hint("?", "more"), components.Hint("q", "quit")).Trim()
		if _, ok := m.top().(typing); ok { // these are letters there
			right = components.Hint("esc", "back").Trim()
		}
		return render.Columns(components.Hints(m.actions(), width-right.Width()-1), right, width)
	}
}
