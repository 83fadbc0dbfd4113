package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"docspace.dev/wsd/cmd/wsctl/config"
)

// world is everything outside of the program, so that tests can be one.
type world struct {
	args []string
	env  func(string) string

	in       io.Reader
	out, err io.Writer

	inTerminal, outTerminal, errTerminal bool

	width    int // of the terminal in cells; 0 is unknown
	http     *http.Client
	now      func() time.Time
	open     func(url string) error // nil without a display
	password func() (string, error) // reads a line from the terminal without showing it
	keyring  config.Keyring
}

// run is the program: it returns the exit code.
func run(ctx context.Context, w world) int {
	a := newApp(w)
	root := newRoot(a) //nolint:contextcheck // the commands get theirs from ExecuteContext
	root.SetArgs(w.args)
	root.SetIn(w.in)
	root.SetOut(w.out)
	root.SetErr(w.err)
	return a.report(root.ExecuteContext(ctx))
}
