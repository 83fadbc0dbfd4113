package tui

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
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

func (m *Model) lines(width, height int) []text.Line {
	if width <= 0 || height <= 0 {
		return nil
	}
	chrome := m.chrome()
	if height <= chrome {
		return fill(m.body(width, height), height)
	}
	body := fill(m.body(width, height-chrome), height-chrome) // lays out the rows that the rest speaks of
	lines := append([]text.Line{m.heading(width), {text.In(text.Faint, strings.Repeat("─", width))}}, body...)
	if chrome > 3 {
		lines = append(lines, m.status(width))
	}
	return append(lines, m.footer(width))
}

// fill cuts or extends lines to a height.
func fill(lines []text.Line, height int) []text.Line {
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines[:max(height, 0)]
}

// heading is the way from the top to the page or, on the first pages of an organization, these; and what is new.
func (m *Model) heading(width int) text.Line {
	state := m.state(width)
	room := max(width-state.Width()-1, 0)
	if line, ok := m.tabLine(); ok {
		if who := m.whereabouts(); line.Width()+who.Width()+state.Width()+4 <= width {
			state = text.Join(who, text.Line{text.Plain("  ")}, state)
		}
		return text.Columns(line.Cut(room), state, width)
	}
	return text.Columns(m.way().CutLeft(room), state, width)
}

// state says what others did, or how fresh the page is and where the cursor stands; and whether the server is heard of.
func (m *Model) state(width int) text.Line {
	state := m.freshness()
	if news := m.news(); news != "" {
		const show = " · R shows"
		state = append(text.Line{text.In(text.Fresh, news)}.Cut(max(width/2-len([]rune(show)), 8)), text.In(text.Fresh, show))
	}
	sign := m.sign()
	if len(sign) > 0 && len(state) > 0 {
		state = text.Join(state, text.Line{text.Plain("  ")})
	}
	return text.Join(state, sign)
}

// way is the way from the top to the page.
func (m *Model) way() text.Line {
	var way text.Line
	for i, p := range m.pages {
		if i > 0 {
			way = append(way, text.In(text.Dim, " › "))
		}
		style := text.Style{Tone: text.Dim}
		if name := m.s.Names[p.Space()]; i > 0 && name != "" && m.pages[i-1].Space() != p.Space() && p.Title() != name {
			way = append(way, text.Of(style, name), text.In(text.Dim, " › "))
		}
		if i == len(m.pages)-1 {
			style = text.Style{Bold: true}
		}
		way = append(way, text.Of(style, p.Title()))
	}
	return way
}

// freshness says whether the page is being loaded, or old, and why.
func (m *Model) freshness() text.Line {
	c := m.top().Condition()
	switch {
	case c.Busy:
		return text.Line{text.In(text.Dim, "loading …")}
	case c.Err != nil && c.Loaded && c.At.IsZero():
		return text.Line{text.In(text.Warning, "! "+remote.TroubleOf(c.Err).Label+" · R")}
	case c.Err != nil && c.Loaded:
		age := m.s.Ago(c.At)
		return text.Line{text.In(text.Warning, "! "+remote.TroubleOf(c.Err).Label+", as of "+age+" · R")}
	case c.Err != nil:
		return text.Line{text.In(text.Failure, "! "+remote.TroubleOf(c.Err).Label+" · R")}
	default:
		return m.position()
	}
}

// placed is a page that says itself where the cursor is.
type placed interface{ Where() text.Line }

// position says where in the page the cursor is.
func (m *Model) position() text.Line {
	if p, ok := m.top().(placed); ok {
		if where := p.Where(); where != nil {
			return where
		}
	}
	l := &m.top().Base().List
	at, all := l.Position()
	if word := l.Sought(); word != "" {
		return text.Line{text.In(text.Accent, "/"+word), text.In(text.Dim, fmt.Sprintf(" · %d of %d · esc clears", at, all))}
	}
	if all == 0 {
		return nil
	}
	return text.Line{text.In(text.Dim, fmt.Sprintf("%d of %d", at, all))}
}

// body is the page, or the overlay instead of it or under it.
func (m *Model) body(width, height int) []text.Line {
	var under []text.Line
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

// drafting is a page that knows how many drafts its review would post.
type drafting interface{ Unsent() int }

// status is the command that does what was done last, or shows what is shown; and what is not sent.
func (m *Model) status(width int) text.Line {
	command := m.command
	if p, ok := m.top().(commanded); ok && command == "" {
		command = p.Command()
	}
	var left, right text.Line
	if command != "" {
		left = text.Line{text.In(text.Faint, "= "+command)}
	}
	if n := m.desk.Unsent(); n > 0 {
		says := text.Plural(n, "draft") + " not sent · p"
		if p, ok := m.top().(drafting); ok && p.Unsent() > 0 {
			says = text.Plural(p.Unsent(), "draft") + " not sent · S"
			if n > p.Unsent() {
				says += fmt.Sprintf(" · %d elsewhere · p", n-p.Unsent())
			}
		}
		right = text.Line{text.Of(text.Style{Ground: text.Draft}, " ✎ "+says+" ")}
	}
	return text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// footer is what happened last, or else the keys that matter here.
func (m *Model) footer(width int) text.Line {
	switch {
	case m.overlay != nil && m.message.Text() != "":
		return text.Line{m.message}
	case m.overlay != nil:
		return components.OverlayHints(m.overlay)
	case m.message.Text() != "":
		right := components.Hint("?", "keys")
		if m.nothingToUndo() == "" {
			right = text.Join(components.Hint("u", "undo"), right)
		}
		return text.Columns(text.Line{m.message}, right.Trim(), width)
	case m.desk.Writing():
		return components.Hints(m.desk.Actions(), width)
	default:
		right := text.Join(components.Hint(":", "go"), components.Hint("?", "keys"), components.Hint("q", "quit")).Trim()
		if _, ok := m.top().(typing); ok { // these are letters there
			right = components.Hint("esc", "back").Trim()
		}
		return text.Columns(components.Hints(m.actions(), width-right.Width()-1), right, width)
	}
}
