// Command wsctl manages a wsd from the terminal: one command per row of the contract, and a few written by hand.
//
// It imports client, client/api and its own packages config and output, never the server.
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
)

func main() {
	// Writing to a closed pipe shall be an error that ends the command quietly, not a signal that kills it.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, realWorld())
	stop()
	os.Exit(code)
}

// realWorld is the world of a process: its streams, its environment, the network.
func realWorld() world {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	w := world{
		args: os.Args[1:], env: os.Getenv,
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTerminal: isTerminal(os.Stdin), outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
		http: &http.Client{}, now: time.Now, keyring: systemKeyring{},
		password: func() (string, error) {
			text, err := term.ReadPassword(int(os.Stdin.Fd()))
			return string(text), err
		},
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		w.width = width
	}
	if hasDisplay() {
		w.open = browser.OpenURL
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
