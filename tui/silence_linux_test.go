package tui_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal that never responds.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = control.Close() })
	fd := int(control.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return control, terminal
}

// A program that imports this package without showing the screen writes nothing to the terminal. A query would block
// for seconds on terminals that do not respond, and the response would reach the shell; see tui/term.
func TestImportWritesNothingToTerminal(t *testing.T) {
	t.Parallel()
	control, terminal := openTerminal(t)
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
