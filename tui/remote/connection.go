package remote

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// Connection is the server connection shared by all pages of the screen, with the signed-in user.
type Connection struct {
	Ctx    context.Context // canceled when the screen exits
	Client Client
	Now    func() time.Time
	NewKey func() string // returns a new idempotency key
	Me     api.User      // zero until loaded
	Heads  Heads         // of change requests
	Waits  Waits         // reads without an answer

	Organization string            // id of the current organization, if known
	Names        map[string]string // names of known spaces by id
}

// ErrorMsg reports an error for display.
type ErrorMsg struct{ Err error }

// ChangedMsg reports a write in a space. Pages that show the changed objects reload them.
type ChangedMsg struct {
	Space   string
	Done    string  // description for display
	Command string  // equivalent wsctl command, if any
	Warning string  // why the write has less effect than expected, if it has
	Row     string  // key of the rows to select, if any
	Undo    tea.Cmd // reverts the write, if possible
}

// Write returns a command that performs a write and returns done. The idempotency key is created once, so running the
// command several times is a single write.
func (c *Connection) Write(done ChangedMsg, do func(ctx context.Context, key string) error) tea.Cmd {
	key := c.NewKey()
	return func() tea.Msg {
		if err := do(c.Ctx, key); err != nil {
			return ErrorMsg{err}
		}
		return done
	}
}

// Ago returns the time since t for display, such as "3 minutes ago".
func (c *Connection) Ago(t time.Time) string {
	if age := c.Age(t); age != "now" {
		return age + " ago"
	}
	return "just now"
}

// Date returns the local date of a time.
func (c *Connection) Date(t time.Time) string {
	return t.In(c.Now().Location()).Format("2 Jan 2006")
}

// Age returns the time since t in a short form for columns, with the same number as Ago. From one day on it counts
// dates, so that times of the same date have the same age.
func (c *Connection) Age(t time.Time) string {
	switch d := c.Now().Sub(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", c.days(t))
	}
}

// days returns the number of local dates between a time and now.
func (c *Connection) days(t time.Time) int {
	now := c.Now()
	midnight := func(t time.Time) time.Time {
		year, month, day := t.In(now.Location()).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(midnight(now).Sub(midnight(t)) / (24 * time.Hour))
}
