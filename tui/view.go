package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// chromeHeight returns the number of lines around the page: title, rule, hints and, if the height allows, the equivalent
// command.
func (m *Model) chromeHeight() int {
	if m.height >= 16 {
		return 4
	}
	return 3
}

// View implements tea.Model. It draws exactly the size of the window.
func (m *Model) View() string {
	lines := m.lines(m.width, m.height)
	painted := make([]string, len(lines))
	for i, line := range lines {
		line = line.Cut(m.width)
		if m.options.ASCII {
			line = render.ASCII(line, m.width)
		}
		painted[i] = m.theme.Paint(line)
	}
	return strings.Join(painted, "\n")
}

func (m *Model) lines(width, height int) []render.Line {
	if width <= 0 || height <= 0 {
		return nil
	}
	chrome := m.chromeHeight()
	if height <= chrome {
		return fill(m.body(width, height), height)
	}
	body := fill(m.body(width, height-chrome), height-chrome) // lays out the rows that the other lines describe
	lines := append([]render.Line{m.heading(width), {render.In(render.Faint, strings.Repeat("─", width))}}, body...)
	if chrome > 3 {
		lines = append(lines, m.commandLine(width))
	}
	return append(lines, m.footer(width))
}

// fill truncates or extends lines to a height.
func fill(lines []render.Line, height int) []render.Line {
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines[:max(height, 0)]
}

// heading draws the breadcrumb, or the tabs on the root pages of an organization, and the news.
func (m *Model) heading(width int) render.Line {
	state := m.headingStatus(width)
	available := max(width-state.Width()-1, 0)
	if line, ok := m.tabLine(available); ok {
		if who := m.contextLine(); line.Width()+who.Width()+state.Width()+4 <= width {
			state = render.Join(who, render.Line{render.Plain("  ")}, state)
		}
		return render.Columns(line.Cut(available), state, width)
	}
	return render.Columns(m.breadcrumb(available), state, width)
}

// headingStatus draws the changes by others, or the freshness of the page and the cursor position, and the connection state.
func (m *Model) headingStatus(width int) render.Line {
	const show = " · R shows"
	state, sign := m.freshness(), m.connectionSign()
	available := min(width/2, width-m.minPathWidth()-sign.Width()-3) - len([]rune(show))
	if news := m.news(available); news != "" {
		state = append(render.Line{render.In(render.Fresh, news)}.Cut(max(available, 8)), render.In(render.Fresh, show))
	}
	if len(sign) > 0 && len(state) > 0 {
		state = render.Join(state, render.Line{render.Plain("  ")})
	}
	return render.Join(state, sign)
}

// minSubjectWidth is the width reserved for the subject of a change request in the heading.
const minSubjectWidth = 30

// minPathWidth returns the width reserved for the breadcrumb: the page and its change request. Tabs shorten
// themselves.
func (m *Model) minPathWidth() int {
	if isTab(m.top()) {
		return 0
	}
	ellipsis := len([]rune("… › "))
	for i, p := range slices.Backward(m.pages) {
		title := render.Line{render.Plain(p.Title())}.Width()
		if i == len(m.pages)-1 {
			ellipsis += title
		} else if _, is := p.(watcher); is {
			return ellipsis + min(title, minSubjectWidth) + len([]rune(" › "))
		}
	}
	return ellipsis
}

// breadcrumb draws the path to the current page. If it does not fit, leading steps are omitted.
func (m *Model) breadcrumb(width int) render.Line {
	steps := m.steps()
	current := render.Line{render.NewSpan(render.Style{Bold: true}, steps[len(steps)-1])}
	var path render.Line
	for i := len(steps) - 2; i >= 0; i-- {
		step := render.Line{render.In(render.Dim, steps[i]), render.In(render.Dim, " › ")}
		if ellipsis := len("… › "); step.Width()+path.Width()+current.Width()+min(i, 1)*ellipsis > width {
			path = append(shortenStep(step, width-path.Width()-current.Width()), path...)
			break
		}
		path = append(step, path...)
	}
	return render.Join(path, current).Cut(width)
}

// shortenStep returns the first words of a step that fit, or … if none do.
func shortenStep(step render.Line, width int) render.Line {
	const least = 14
	words := strings.TrimSuffix(step.String(), " › ")
	for len(words) > 0 {
		at := strings.LastIndex(words, " ")
		if at < 0 {
			break
		}
		words = words[:at]
		if cut := (render.Line{render.In(render.Dim, strings.TrimRight(words, ":;, ")+"… › ")}); cut.Width() <= width &&
			cut.Width() >= least {
			return cut
		}
	}
	return render.Line{render.In(render.Dim, "… › ")}
}

// steps returns the titles of the pages in the stack, with each space before its first page. The inbox below another
// root page is omitted.
func (m *Model) steps() []string {
	var steps []string
	for i, p := range m.pages {
		if i+1 < len(m.pages) && p.Kind() == tabs[0].kind && isTab(m.pages[i+1]) {
			continue
		}
		if name := m.session.Names[p.Space()]; i > 0 && name != "" && m.pages[i-1].Space() != p.Space() && p.Title() != name {
			steps = append(steps, name)
		}
		steps = append(steps, p.Title())
	}
	return steps
}

// freshness draws whether the page is loading or outdated, and why.
func (m *Model) freshness() render.Line {
	c := m.top().LoadState()
	switch {
	case c.Busy:
		text := page.WaitingText(m.session.Now().Sub(c.StartedAt))
		return render.Line{render.In(render.Dim, cmp.Or(text, "loading …"))}
	case c.Err != nil && c.Loaded && c.LoadedAt.IsZero():
		return render.Line{render.In(render.Warning, "! "+remote.DescribeError(c.Err).Label+" · R")}
	case c.Err != nil && c.Loaded:
		age := m.session.Ago(c.LoadedAt)
		return render.Line{render.In(render.Warning, "! "+remote.DescribeError(c.Err).Label+", as of "+age+" · R")}
	case c.Err != nil:
		return render.Line{render.In(render.Failure, "! "+remote.DescribeError(c.Err).Label+" · R")}
	default:
		return m.position()
	}
}

// locator is a page with its own description of the cursor position.
type locator interface{ CursorPosition() render.Line }

// position draws the position of the cursor on the page.
func (m *Model) position() render.Line {
	if p, ok := m.top().(locator); ok {
		if where := p.CursorPosition(); where != nil {
			return where
		}
	}
	l := &m.top().Base().List
	if word := l.SearchTerm(); word != "" {
		found := "no hits"
		if at, all := l.Count(l.IsMatch); all > 0 {
			found = fmt.Sprintf("hit %d of %d", max(at, 1), all)
		}
		return render.Line{render.In(render.Accent, "/"+word), render.In(render.Dim, " · "+found+" · esc clears")}
	}
	if r, ok := l.Selected(); !ok || page.IsNotice(r) {
		return nil
	}
	return page.RowPosition(l.Position())
}

// body draws the page, or the overlay above or instead of it.
func (m *Model) body(width, height int) []render.Line {
	var under []render.Line
	switch {
	case m.overlay != nil:
		lines, full := m.overlay.View(width, height)
		if full {
			return lines
		}
		under = lines
	case m.editor.Writing():
		under = m.editor.View(width, min(max(height/2, 6), height))
	}
	available := height - len(under)
	if available <= 0 {
		return under
	}
	return append(fill(page.View(m.top(), width, available), available), under...)
}

// commander is a page with an equivalent wsctl command.
type commander interface{ Command() string }

// targeter is a page of a change request or of the published content.
type targeter interface{ Target() remote.Target }

// target returns the target of the topmost page of the stack that has one, or the zero Target.
func (m *Model) target() remote.Target {
	for _, p := range slices.Backward(m.pages) {
		if l, ok := p.(targeter); ok {
			return l.Target()
		}
	}
	return remote.Target{}
}

// submitKey returns the key that submits drafts from the current page, or "" if it has no path to the submit page.
func (m *Model) submitKey() string {
	if _, form := m.top().(finisher); form {
		return "ctrl+s"
	}
	if a, ok := components.Find(m.top().Actions(), "S"); ok && a.Name == "submit" {
		return "S"
	}
	return ""
}

// commandLine draws the command equivalent to the last action or to the page, and the number of unsent items.
func (m *Model) commandLine(width int) render.Line {
	command := m.command
	if p, ok := m.top().(commander); ok && command == "" {
		command = p.Command()
	}
	var left, right render.Line
	if command != "" {
		left = render.Line{render.In(render.Faint, "same as: "+command)}
	}
	if says := m.session.UnsentText(m.target(), m.submitKey()); says != "" {
		right = render.Line{render.NewSpan(render.Style{Ground: render.Draft}, " ✎ "+says+" ")}
	}
	return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
}

// footer draws the last message, or the most important keys.
func (m *Model) footer(width int) render.Line {
	switch {
	case m.overlay != nil && m.message.Text() != "":
		return render.Line{m.message}
	case m.overlay != nil:
		return components.OverlayHints(m.overlay)
	case m.message.Text() != "":
		right := components.Hint("?", "more")
		if m.canUndo() && m.message == m.undo.message {
			right = render.Join(components.Hint("u", "undo"), right)
		}
		return render.Columns(render.Line{m.message}, right.Trim(), width)
	case m.editor.Writing():
		return components.Hints(m.editor.Actions(), width)
	default:
		right := render.Join(components.Hint(":", "go"), components.Hint("?", "more"), components.Hint("q", "quit")).Trim()
		if _, ok := m.top().(keyReceiver); ok { // keys are typed text on this page
			right = components.Hint("esc", "back").Trim()
		}
		return render.Columns(components.Hints(m.actions(), width-right.Width()-1), right, width)
	}
}
