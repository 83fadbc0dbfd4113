package components

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// ToastMsg asks the app to say something in the last line of the screen.
type ToastMsg struct {
	Text string
	Tone render.Tone
}

// Send returns a command that answers with a message.
func Send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

// Toast returns a command that says what happened or cannot be done.
func Toast(format string, args ...any) tea.Cmd { return Send(Told(fmt.Sprintf(format, args...))) }

// Told is the message of what happened or cannot be done.
func Told(what string) ToastMsg { return ToastMsg{what, render.Accent} }
