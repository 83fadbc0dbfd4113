package app

import (
	"io"
	"net/http"
	"time"
)

// World is everything outside of the program, so that tests can be one.
type World struct {
	Args []string            // without the name of the program
	Env  func(string) string // as os.Getenv

	In       io.Reader
	Out, Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool

	Width    int // of the terminal in cells; 0 is unknown
	HTTP     *http.Client
	Now      func() time.Time
	Open     func(url string) error // in a browser; nil without a display
	Password func() (string, error) // reads a line from the terminal without showing it
	Keyring  Keyring
}
