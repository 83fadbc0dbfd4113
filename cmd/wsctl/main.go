// Command wsctl manages a wsd from the terminal. It has a command per operation of the API, a full-screen interface,
// and commands for its own configuration.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/cli/browser"
	"github.com/zalando/go-keyring"
	"golang.org/x/term"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/app"
)

func main() {
	// Writing to a closed pipe should fail with an error instead of killing the process.
	signal.Ignore(syscall.SIGPIPE)
	ctx := cancelOnSignal()
	w, restore := processEnvironment()
	code := run(ctx, w)
	restore()
	if ended, ok := errors.AsType[*signalError](context.Cause(ctx)); ok && code == app.ExitInterrupted {
		code = ended.exitCode()
	}
	os.Exit(code)
}

// signalError is the error of a command that a signal ended.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return e.signal.String() }

// exitCode returns the exit code that shells use for a process ended by the signal.
func (e *signalError) exitCode() int { return 128 + int(e.signal) }

// cancelOnSignal returns a context that is canceled, with a signalError as its cause, when the process is interrupted,
// terminated or loses its terminal. A second signal kills the process. Signals that the parent process ignores stay
// ignored.
func cancelOnSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as with nohup
			signal.Notify(signals, s)
		}
	}
	go func() {
		received, _ := (<-signals).(syscall.Signal)
		signal.Stop(signals)
		cancel(&signalError{received})
	}()
	return ctx
}

// run executes wsctl and returns its exit code.
func run(ctx context.Context, w app.Environment) int {
	a := app.New(w)
	root := newRoot(a) //nolint:contextcheck // the commands get theirs from ExecuteContext
	return a.Run(ctx, root)
}

// processEnvironment returns the environment of the process. restore resets the terminal, also if a password prompt was
// interrupted.
func processEnvironment() (w app.Environment, restore func()) {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	in := int(os.Stdin.Fd())
	shown, err := term.GetState(in)
	restore = func() {
		if err == nil {
			_ = term.Restore(in, shown) // the process ends
		}
	}
	w = app.Environment{
		Args: os.Args[1:], Getenv: os.Getenv,
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		HTTP: client.NewHTTPClient(), Now: time.Now, Keyring: systemKeyring{}, Hostname: os.Hostname,
		ReadPassword: func() (string, error) {
			text, err := term.ReadPassword(in)
			return string(text), err
		},
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		w.Width = width
	}
	if hasDisplay() {
		w.OpenURL = browser.OpenURL
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

// systemKeyring is the keyring of the desktop session.
type systemKeyring struct{}

func (systemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemKeyring) Set(service, user, secret string) error {
	return keyring.Set(service, user, secret)
}

func (systemKeyring) Delete(service, user string) error {
	if err := keyring.Delete(service, user); !errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	return nil
}
