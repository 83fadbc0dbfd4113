package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
)

// linked is a page that has an address for browsers.
type linked interface{ Link() string }

// quoting is a page that knows what is said under the cursor.
type quoting interface{ Quote() string }

// link is the address of the page that is shown, "" if it has none.
func (m *Model) link() string {
	if p, ok := m.top().(linked); ok {
		return p.Link()
	}
	return ""
}

func (m *Model) copyLink() tea.Cmd {
	address := m.link()
	if address == "" {
		return components.Toast("this page has no address; its parts do")
	}
	return m.copied(address)
}

// copyQuote copies what stands under the cursor.
func (m *Model) copyQuote() tea.Cmd {
	r, _ := m.top().Base().Selected()
	quote := r.About.Quote
	if p, ok := m.top().(quoting); ok && p.Quote() != "" {
		quote = p.Quote()
	}
	if quote == "" {
		quote = strings.TrimSpace(r.Line.String())
	}
	if quote == "" {
		return components.Toast("there is no text here")
	}
	return m.copied(quote)
}

// copyCommand copies the command that shows the same as the page.
func (m *Model) copyCommand() tea.Cmd {
	if p, ok := m.top().(commanded); ok && p.Command() != "" {
		return m.copied(p.Command())
	}
	return components.Toast("there is no command for this page")
}

// copied writes the clipboard.
func (m *Model) copied(what string) tea.Cmd { return m.o.Copy(what) }

func (m *Model) browse() tea.Cmd {
	address := m.link()
	switch {
	case address == "":
		return components.Toast("this page has no address; its parts do")
	case !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://"):
		return components.Toast("this is no address of the web: %s", address)
	}
	return m.o.Browse(address)
}

// turnMouse has the terminal report the mouse, or leave it alone, so that it selects text.
func (m *Model) turnMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		return tea.Batch(tea.EnableMouseCellMotion, components.Toast("mouse on: the wheel scrolls, a click goes there, another opens"))
	}
	return tea.Batch(tea.DisableMouse, components.Toast("mouse off: the terminal selects text again"))
}

// pointsAgain has the terminal report the mouse again after an editor had it: it leaves the terminal without.
func (m *Model) pointsAgain(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.EditedMsg, page.FileEditedMsg:
		if m.mouse {
			return tea.EnableMouseCellMotion
		}
	}
	return nil
}

// wheel is how many rows a turn of the wheel moves.
const wheel = 3

// pointed moves with the wheel, and goes where a click is; a click on the row of the cursor opens it.
func (m *Model) pointed(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.overlay != nil || m.desk.Writing() || msg.Action != tea.MouseActionPress {
		return nil
	}
	l := &m.top().Base().List
	switch msg.Button {
	case tea.MouseButtonWheelDown:
		l.Move(wheel)
	case tea.MouseButtonWheelUp:
		l.Move(-wheel)
	case tea.MouseButtonLeft:
		x := msg.X - page.Offset(m.top(), m.width)
		if x < 0 || x >= page.OwnWidth(m.top(), m.width) || m.height <= m.chrome() || msg.Y < 2 || msg.Y-2 >= m.height-m.chrome() {
			return nil
		}
		if same, ok := l.Point(msg.Y - 2); ok && same {
			open, _ := components.Find(m.shared(), "enter")
			return m.do(open)
		}
	default:
	}
	return nil
}
