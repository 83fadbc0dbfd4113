package remote

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// Connection is the server as the whole screen shares it, and who is signed in there.
type Connection struct {
	Ctx    context.Context // of the program: cancelled when the screen ends
	Client Client
	Now    func() time.Time
	NewKey func() string // makes idempotency keys
	Me     api.User      // zero until the server has said it

	Organization string            // where one is, as far as is known
	Names        map[string]string // of the spaces that were seen, by their ids
}

// FailMsg says that something could not be done. The app shows it.
type FailMsg struct{ Err error }

// ChangedMsg says that something in a space was written: whoever shows it loads it again.
type ChangedMsg struct {
	Space   string
	Done    string  // for people
	Command string  // the wsctl command that does the same, if there is one
	Row     string  // the key of the rows that show it; empty when none is to be gone to
	Undo    tea.Cmd // takes it back, if that can be done
}

// Write returns a command that changes something and answers with done. The idempotency key is made now: the command is
// one write, however often it is sent.
func (c *Connection) Write(done ChangedMsg, do func(ctx context.Context, key string) error) tea.Cmd {
	key := c.NewKey()
	return func() tea.Msg {
		if err := do(c.Ctx, key); err != nil {
			return FailMsg{err}
		}
		return done
	}
}

// Ago is how long something is past, for people.
func (c *Connection) Ago(t time.Time) string {
	if age := c.Age(t); age != "now" {
		return age + " ago"
	}
	return "just now"
}

// Date is the day of a time, where the clock of the screen stands.
func (c *Connection) Date(t time.Time) string {
	return t.In(c.Now().Location()).Format("2 Jan 2006")
}

// Age is how long something is past, in a word for narrow columns: the same number as Ago has. From a day on it counts the
// dates between, so that things of one date are equally old wherever they stand.
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

// days is how many dates lie between a time and now, where the clock of the screen stands.
func (c *Connection) days(t time.Time) int {
	now := c.Now()
	midnight := func(t time.Time) time.Time {
		year, month, day := t.In(now.Location()).Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(midnight(now).Sub(midnight(t)) / (24 * time.Hour))
}
