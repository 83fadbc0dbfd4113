package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// session is what all pages share.
type session struct {
	ctx    context.Context // of the program: cancelled when the screen ends
	client Client
	drafts Drafts
	now    func() time.Time
	newKey func() string
	edit   func(text string) tea.Cmd // opens the editor; answers with editedMsg
	me     api.User
	saving int // journals being written
}

// Messages by which pages ask the app for something.
type (
	pushMsg    struct{ page page }
	popMsg     struct{ from page } // when it is the one that is shown
	replaceMsg struct{ page page } // instead of the page that is shown
	toastMsg   struct {
		text string
		tone text.Tone
	}
	failMsg    struct{ err error }
	composeMsg struct{ draft Draft }
	confirmMsg struct {
		question string
		yes      tea.Cmd
	}
	// pickMsg offers a few choices, each with what it does.
	pickMsg struct {
		question string
		choices  []choice
	}
	// changedMsg says that something at a place was written: whoever shows it loads it again.
	changedMsg struct {
		space string
		done  string // for people
	}
)

type choice struct {
	label string
	cmd   tea.Cmd
}

// send returns a command that answers with a message.
func send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

func push(p page) tea.Cmd { return send(pushMsg{p}) }

func toast(format string, args ...any) tea.Cmd { return send(told(fmt.Sprintf(format, args...))) }

// told is the message of what happened or cannot be done.
func told(what string) toastMsg { return toastMsg{what, text.Accent} }

// write returns a command that changes something in a space and says so.
func (s *session) write(space, done string, do func(ctx context.Context, key string) error) tea.Cmd {
	key := s.newKey()
	return func() tea.Msg {
		if err := do(s.ctx, key); err != nil {
			return failMsg{err}
		}
		return changedMsg{space: space, done: done}
	}
}

// ago is how long something is past, for people.
func (s *session) ago(t api.Time) string { return ago(s.now().Sub(t.Time)) }

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
}
