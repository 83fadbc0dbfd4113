package tui

import (
	"strings"

	"docspace.dev/wsd/tui/text"
)

// chrome is the number of lines that are not the page's: title, rule, hints.
const chrome = 3

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
	if height <= chrome {
		return fill(m.body(width, height), height)
	}
	lines := []text.Line{m.heading(width), {text.In(text.Dim, strings.Repeat("─", width))}}
	lines = append(lines, fill(m.body(width, height-chrome), height-chrome)...)
	return append(lines, m.footer(width))
}

// fill cuts or extends lines to a height.
func fill(lines []text.Line, height int) []text.Line {
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines[:max(height, 0)]
}

// heading is the way from the top to the page, and how fresh the page is.
func (m *Model) heading(width int) text.Line {
	var way text.Line
	for i, p := range m.pages {
		if i > 0 {
			way = append(way, text.In(text.Dim, " › "))
		}
		style := text.Style{Tone: text.Dim}
		if i == len(m.pages)-1 {
			style = text.Style{Bold: true}
		}
		way = append(way, text.Of(style, p.title()))
	}
	state := m.freshness()
	room := max(width-state.Width()-1, 0)
	return text.Columns(text.Line(way).CutLeft(room), state, width)
}

// freshness says whether the page is being loaded, or old, and why.
func (m *Model) freshness() text.Line {
	c := m.top().condition()
	switch {
	case c.busy:
		return text.Line{text.In(text.Dim, "loading …")}
	case c.err != nil && c.loaded:
		age := ago(m.s.now().Sub(c.at))
		return text.Line{text.In(text.Warning, "! "+trouble(c.err)+", as of "+age+" · R")}
	case c.err != nil:
		return text.Line{text.In(text.Failure, "! "+trouble(c.err)+" · R")}
	default:
		return nil
	}
}

// body is the page, or the overlay instead of it or under it.
func (m *Model) body(width, height int) []text.Line {
	var under []text.Line
	switch {
	case m.overlay != nil:
		lines, full := m.overlay.view(width, height)
		if full {
			return lines
		}
		under = lines
	case m.compose != nil:
		under = m.compose.view(width, min(max(height/2, 6), height))
	}
	room := height - len(under)
	if room <= 0 {
		return under
	}
	return append(fill(view(m.top(), width, room), room), under...)
}

// footer is what happened last, or else the keys that matter here.
func (m *Model) footer(width int) text.Line {
	switch {
	case m.overlay != nil:
		return overlayHints(m.overlay)
	case m.message.Text() != "":
		return text.Columns(text.Line{m.message}, text.Line{text.In(text.Dim, "? keys")}, width)
	case m.compose != nil:
		return hints(m.composing(), width)
	default:
		return text.Columns(hints(m.top().actions(), width-15), text.Line{text.In(text.Dim, "? keys  q quit")}, width)
	}
}

// hints names the keys of the actions that have a hint, as many as there is room for.
func hints(all []action, width int) text.Line {
	var line text.Line
	for _, a := range all {
		more := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, keyName(a.keys[0])), text.In(text.Dim, " "+a.hint+"  ")}
		if a.hint == "" || line.Width()+more.Width() > width {
			continue
		}
		line = append(line, more...)
	}
	return line
}
