package components

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// ToastMsg makes the app show a message in the last line of the screen.
type ToastMsg struct {
	Text string
	Tone render.Tone
}

// Send returns a command that sends a message.
func Send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

// Toast returns a command that shows a formatted message.
func Toast(format string, args ...any) tea.Cmd { return Send(NewToast(fmt.Sprintf(format, args...))) }

// NewToast returns the message that shows text in the accent tone.
func NewToast(text string) ToastMsg { return ToastMsg{text, render.Accent} }
