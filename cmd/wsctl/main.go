// Command wsctl manages a wsd from the terminal: one command per row of the contract, and a few written by hand.
//
// It puts what its rooms have below one root command, and makes the real world that they run in. It imports its own rooms
// alone: those that make commands, and app.
package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/cli/browser"
	"github.com/zalando/go-keyring"
	"golang.org/x/term"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func main() {
	// Writing to a closed pipe shall be an error that ends the command quietly, not a signal that kills it.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen
	w, restore := realWorld()
	code := run(ctx, w)
	restore()
	os.Exit(code)
}

// run is the program: it returns the exit code.
func run(ctx context.Context, w app.World) int {
	a := app.New(w)
	root := newRoot(a) //nolint:contextcheck // the commands get theirs from ExecuteContext
	return a.Run(ctx, root)
}

// realWorld is the world of a process: its streams, its environment, the network. restore gives the terminal back as it
// was, also from a question for a secret that nobody answered.
func realWorld() (w app.World, restore func()) {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	in := int(os.Stdin.Fd())
	shown, err := term.GetState(in)
	restore = func() {
		if err == nil {
			_ = term.Restore(in, shown)
		}
	}
	w = app.World{
		Args: os.Args[1:], Env: os.Getenv,
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		HTTP: &http.Client{}, Now: time.Now, Keyring: systemKeyring{},
		Password: func() (string, error) {
			text, err := term.ReadPassword(in)
			return string(text), err
		},
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		w.Width = width
	}
	if hasDisplay() {
		w.Open = browser.OpenURL
	}
	return w, restore
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func hasDisplay() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// systemKeyring is the keyring of the desktop.
type systemKeyring struct{}

func (systemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemKeyring) Set(service, user, secret string) error {
	return keyring.Set(service, user, secret)
}

func (systemKeyring) Delete(service, user string) error { return keyring.Delete(service, user) }
