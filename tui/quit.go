package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// keyLog records when keys were typed, which shows whether q is meant as a key or is a letter of a text.
type keyLog struct {
	count       int       // number of keys
	lastTyped   time.Time // time of the last key that belongs to typed text
	inText      bool      // the last key was typed shortly after such a key
	quitPending bool      // q was the last key, and quits unless another key follows
}

// record records a key and reports whether it follows a pending q.
func (l *keyLog) record(k tea.KeyMsg, now time.Time) (afterQuit bool) {
	l.inText = !l.lastTyped.IsZero() && now.Sub(l.lastTyped) < typingPause
	if isTyped(k) {
		l.lastTyped = now
	}
	l.count++
	afterQuit, l.quitPending = l.quitPending, false
	return afterQuit
}

// quitMsg quits the screen if no key was typed since the key with the number.
type quitMsg struct{ key int }

// handleQuitKey handles q: it quits after a short delay, or asks if q may be part of a text.
func (m *Model) handleQuitKey() tea.Cmd {
	switch {
	case m.lineMode:
		return m.quit()
	case m.keyLog.inText:
		return m.askToQuit()
	}
	m.keyLog.quitPending = true
	return m.session.AfterDelay(quitMsg{m.keyLog.count})
}

// handleQuit quits unless another key was typed since the q that caused msg.
func (m *Model) handleQuit(msg quitMsg) tea.Cmd {
	if msg.key != m.keyLog.count || !m.keyLog.quitPending {
		return nil
	}
	m.keyLog.quitPending = false
	return m.quit()
}

// ExitMsg quits the screen without a warning, as soon as the texts are journaled.
type ExitMsg struct{}

// askToQuit asks whether to quit, and lists what is unsent.
func (m *Model) askToQuit() tea.Cmd {
	m.message = render.Span{}
	question := strings.Join(append(m.unsentSummary(), "Quit?"), "\n")
	m.overlay = components.NewConfirmation(question, false, components.Send(ExitMsg{}))
	return nil
}

// quit exits the screen. If something is unsent, it warns first.
func (m *Model) quit() tea.Cmd {
	if m.sender.Busy() && !m.quitWarned {
		m.quitWarned = true
		return components.Toast("what you sent is on its way; q again quits, and it is sent again at the next start, once")
	}
	if unsent := m.unsentSummary(); len(unsent) > 0 && !m.quitWarned {
		m.quitWarned = true
		return components.Toast("%s. q again quits", strings.Join(unsent, "; "))
	}
	return m.exit()
}

// unsentSummary lists what the server does not have: drafts and unapplied decisions, on pages of the stack and
// elsewhere.
func (m *Model) unsentSummary() (items []string) {
	if n := len(m.session.UnsentTargets()); n > 0 {
		items = append(items, render.Plural(n, "draft")+" not sent; "+render.Choose(n == 1, "it is kept", "they are kept"))
	}
	elsewhere := len(m.session.Decisions)
	for _, p := range m.pages {
		d, ok := p.(decider)
		if !ok {
			continue
		}
		elsewhere -= m.session.DecisionCount(d.Target())
		if d.Unapplied() != "" {
			items = append(items, d.Unapplied())
		}
	}
	if elsewhere > 0 {
		items = append(items, page.DecisionsText(elsewhere))
	}
	return items
}

// decider is a page with conflict decisions that may be unapplied.
type decider interface {
	Target() remote.Target
	Unapplied() string
}

// suspend stops the process until the shell continues it, as soon as the texts are journaled.
func (m *Model) suspend() tea.Cmd {
	if m.suspending = m.editor.Journaling(); m.suspending {
		return nil
	}
	return tea.Suspend
}

// noSuspendReason returns the reason why the screen cannot suspend itself, or "".
func (m *Model) noSuspendReason() string {
	if m.lineMode {
		return "the terminal does that by itself"
	}
	return ""
}

// exit ends the screen once the journal is written, or immediately if called again.
func (m *Model) exit() tea.Cmd {
	if !m.editor.Journaling() || m.quitting {
		return tea.Quit
	}
	m.quitting = true
	return nil
}
