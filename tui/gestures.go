package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// linker is a page with a URL for browsers.
type linker interface{ Link() string }

// quoter is a page that returns the text under the cursor.
type quoter interface{ Quote() string }

// link returns the URL of the current page, or "" if it has none.
func (m *Model) link() string {
	if p, ok := m.top().(linker); ok {
		return p.Link()
	}
	return ""
}

func (m *Model) copyLink() tea.Cmd {
	address := m.link()
	if address == "" {
		return components.Toast("nothing to copy: %s", m.noLinkReason())
	}
	return m.copyText(address)
}

// noLinkReason returns why there is no URL.
func (m *Model) noLinkReason() string {
	if _, ok := m.top().(linker); ok {
		return "what is under the cursor has no address"
	}
	return "this page has no address"
}

// copyQuote copies the text under the cursor.
func (m *Model) copyQuote() tea.Cmd {
	r, _ := m.top().Base().Selected()
	quote := r.About.Quote
	if p, ok := m.top().(quoter); ok && p.Quote() != "" {
		quote = p.Quote()
	}
	if quote == "" {
		quote = strings.TrimSpace(r.Line.String())
	}
	if quote == "" {
		return components.Toast("nothing to copy: there is no text here")
	}
	return m.copyText(quote)
}

// copyCommand copies the wsctl command that shows the same content as the page.
func (m *Model) copyCommand() tea.Cmd {
	if p, ok := m.top().(commander); ok && p.Command() != "" {
		return m.copyText(p.Command())
	}
	return components.Toast("nothing to copy: there is no command for this page")
}

// copyText writes a text to the clipboard.
func (m *Model) copyText(what string) tea.Cmd { return m.options.Copy(what) }

func (m *Model) browse() tea.Cmd {
	address := m.link()
	switch {
	case address == "":
		return components.Toast("nothing to open: %s", m.noLinkReason())
	case !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://"):
		return components.Toast("this is no address of the web: %s", address)
	}
	return m.options.Browse(address)
}

// toggleMouse switches mouse reporting on or off. While it is off, the terminal can select text.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	remember := tea.Cmd(nil)
	if m.options.RememberMouse != nil {
		remember = m.options.RememberMouse(m.mouse)
	}
	if m.mouse {
		return tea.Batch(tea.EnableMouseCellMotion, components.Toast("mouse on: the wheel scrolls, a click goes there, another opens"),
			remember)
	}
	return tea.Batch(tea.DisableMouse, components.Toast("mouse off: the terminal selects text again"), remember)
}

// restoreMouse enables mouse reporting again after an editor or the shell, which leave it disabled.
func (m *Model) restoreMouse(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.EditedMsg, page.FileEditedMsg, tea.ResumeMsg:
		if m.mouse {
			return tea.EnableMouseCellMotion
		}
	}
	return nil
}

// wheelRows is the number of rows per step of the mouse wheel.
const wheelRows = 3

// clicker is a page with targets for clicks.
type clicker interface{ Click(target string) tea.Cmd }

// clickTarget handles a click on a target at a cell of the screen: the hint of a key, a tab, or a target of the page. taken is
// false if there is no target there; handleMouse then moves the cursor to a clicked row of the list.
func (m *Model) clickTarget(x, y int) (cmd tea.Cmd, taken bool) {
	lines := m.lines(m.width, m.height)
	if y < 0 || y >= len(lines) {
		return nil, false
	}
	target := lines[y].TargetAt(x)
	if target == "" {
		return nil, false
	}
	if key, ok := render.TargetKey(target); ok {
		return m.pressKey(key), true
	}
	p, ok := m.top().(clicker)
	if !ok {
		return nil, false
	}
	return p.Click(target), true
}

// pressKey runs the action with a key.
func (m *Model) pressKey(key string) tea.Cmd {
	a, ok := components.Find(m.actions(), key)
	if !ok {
		return nil
	}
	return m.perform(a)
}

// handleMouse scrolls with the wheel, also while a text is written, and moves the cursor to a click. A click on the current
// row or on its preview opens it.
func (m *Model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.overlay != nil || m.editor.Writing() && !tea.MouseEvent(msg).IsWheel() || msg.Action != tea.MouseActionPress {
		return nil
	}
	l := &m.top().Base().List
	if by := sidewaysSteps(msg); by != 0 {
		if r, ok := l.RowAt(msg.Y - 2); ok && r.Pan.End > 0 {
			m.top().Base().Scroll(r, by)
			return nil
		}
		return m.scrollSideways(by)()
	}
	switch msg.Button {
	case tea.MouseButtonWheelDown:
		l.Move(wheelRows)
	case tea.MouseButtonWheelUp:
		l.Move(-wheelRows)
	case tea.MouseButtonLeft:
		if cmd, taken := m.clickTarget(msg.X, msg.Y); taken {
			return cmd
		}
		x := msg.X - page.Offset(m.top(), m.width)
		if x < 0 || m.height <= m.chromeHeight() || msg.Y < 2 || msg.Y-2 >= m.height-m.chromeHeight() {
			return nil
		}
		if x >= page.OwnWidth(m.top(), m.width) {
			return m.pressKey("enter")
		}
		if same, ok := l.Point(msg.Y - 2); ok && same {
			return m.pressKey("enter")
		}
	default:
	}
	return nil
}
