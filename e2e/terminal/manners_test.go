package terminal

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// shellPrompt is the prompt of the shell in which a screen runs as a job.
const shellPrompt = "shell-ready:"

// openInShell starts a screen as a job of an interactive shell in a new window.
func (p *person) openInShell(window string, args ...string) *screen {
	p.w.Helper()
	s := &screen{person: p, window: window}
	s.command = p.command(args...)[1:] // without exec
	p.w.tmux.run("new-session", "-d", "-x", "120", "-y", "40", "-s", window, "env PS1="+shellPrompt+" bash --norc --noprofile -i")
	s.wantTexts(shellPrompt)
	s.runInShell(strings.Join(s.command, " "))
	return s
}

// runInShell types a command line into the shell of the window.
func (s *screen) runInShell(line string) {
	s.w.Helper()
	s.write(line)
	s.press("Enter")
}

// signalJob sends a signal to the wsctl of the shell in the window.
func (s *screen) signalJob(signal syscall.Signal) {
	s.w.Helper()
	shell := strings.TrimSpace(s.w.tmux.run("display-message", "-p", "-t", s.window, "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", shell).Output() //nolint:noctx // of the test's own, a moment
	must(s.w, err)
	job, err := strconv.Atoi(strings.TrimSpace(string(out)))
	must(s.w, err)
	must(s.w, syscall.Kill(job, signal))
}

// TestSuspend stops the screen while a text is being written, and continues it.
func TestSuspend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	rob := w.reviewer.openInShell("rob", h.arguments()...)
	rob.startComment("Written before the pause")
	rob.press("C-z")
	rob.wantTexts("Stopped", shellPrompt)
	rob.runInShell("stty -a | grep -o ' icanon'; echo in the shell")
	rob.wantTexts(" icanon", "in the shell")
	rob.runInShell("fg")
	rob.wantTexts("comment on the change request", "Written before the pause")
	rob.write(" and after it")
	rob.wantTexts("Written before the pause and after it")
}

// TestSignalsRestoreTerminal ends the screen with signals while a text is being written: the terminal is restored, the
// exit code names the signal, and the text is kept.
func TestSignalsRestoreTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	for signal, code := range map[syscall.Signal]string{syscall.SIGTERM: "143", syscall.SIGHUP: "129", syscall.SIGINT: "130"} {
		rob := w.reviewer.openInShell("rob"+code, h.arguments()...)
		rob.startComment("Text at " + code)
		rob.signalJob(signal)
		rob.wantTexts(shellPrompt)
		rob.runInShell("echo code $?; stty -a | grep -o ' icanon'")
		rob.wantTexts("code "+code, " icanon")
		rob.runInShell(strings.Join(rob.command, " "))
		rob.wantTexts("Text at " + code)
		rob.press("C-x")
		rob.wantTexts("!Text at " + code + "█")
		rob.press("C-c")
		rob.wantTexts(shellPrompt)
	}
}

// TestDumbTerminal checks that in a terminal that cannot draw, wsctl tui uses the linear interface and reports the reason.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	rob := w.reviewer.openInShell("rob", "--help")
	rob.wantTexts("--linear")
	rob.runInShell("clear; TERM=dumb " + strings.Join(append(rob.command[:len(rob.command)-1], h.arguments()...), " "))
	rob.wantTexts("TERM is dumb, so pages are written as lines (--linear)", "Lines: a number goes to that line")
}
