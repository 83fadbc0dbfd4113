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
	code := run(ctx, realWorld())
	stop()
	os.Exit(code)
}

// run is the program: it returns the exit code.
func run(ctx context.Context, w app.World) int {
	a := app.New(w)
	root := newRoot(a) //nolint:contextcheck // the commands get theirs from ExecuteContext
	return a.Run(ctx, root)
}

// realWorld is the world of a process: its streams, its environment, the network.
func realWorld() app.World {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	w := app.World{
		Args: os.Args[1:], Env: os.Getenv,
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		HTTP: &http.Client{}, Now: time.Now, Keyring: systemKeyring{},
		Password: func() (string, error) {
			text, err := term.ReadPassword(int(os.Stdin.Fd()))
			return string(text), err
		},
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		w.Width = width
	}
	if hasDisplay() {
		w.Open = browser.OpenURL
	}
	return w
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
