package app

import (
	"io"
	"net/http"
	"time"

	"docspace.dev/wsd/client"
)

// Environment holds everything that a run takes from its process, so that tests can replace it.
type Environment struct {
	Args   []string            // without the program name
	Getenv func(string) string // like os.Getenv

	In       io.Reader
	Out, Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool

	Width        int // width of the terminal in cells; 0 if unknown
	HTTP         *http.Client
	Now          func() time.Time       // in the location of dates that are given without one
	OpenURL      func(url string) error // opens a URL in a browser; nil without a display
	ReadPassword func() (string, error) // reads a line from the terminal without echo
	Keyring      Keyring
	Hostname     func() (string, error) // like os.Hostname

	// AfterFunc replaces time.AfterFunc in the client; nil does not.
	AfterFunc func(time.Duration, func()) client.Timer
}
