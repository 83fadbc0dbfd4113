package tui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

// TestImportWritesNothingToTerminal checks that a program that imports this package without showing the screen writes nothing
// to the terminal. A query would block for seconds on terminals that do not respond, and the response would reach the shell;
// see tui/term.
func TestImportWritesNothingToTerminal(t *testing.T) {
	t.Parallel()
	control, terminal := tuitest.OpenTerminal(t)
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$") // this binary without tests
	program.Env = append(os.Environ(), "TERM=xterm-256color", "COLORFGBG=", "CI=", "GOCOVERDIR="+t.TempDir())
	program.Stdin, program.Stdout, program.Stderr = terminal, terminal, terminal
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close() // inherited by the child
	written, err := io.ReadAll(control)
	if err != nil && !errors.Is(err, syscall.EIO) { // EIO: the child has exited
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("%v: %s", err, written)
	}
	if strings.Contains(string(written), "\x1b") {
		t.Errorf("it wrote %q", written)
	}
}
