package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// tmux is a terminal multiplexer of a test's own: its windows are terminals that a test can type into and look at.
type tmux struct {
	tb              testing.TB
	socket, setting string
}

const tmuxSettings = `set -g remain-on-exit on
set -g status off
set -s escape-time 0
set -g default-terminal tmux-256color
`

func newTmux(tb testing.TB, dir string) tmux {
	tb.Helper()
	m := tmux{tb: tb, socket: filepath.Join(dir, "tmux"), setting: filepath.Join(dir, "tmux.conf")}
	must(tb, os.WriteFile(m.setting, []byte(tmuxSettings), 0o600))
	tb.Cleanup(func() { _, _ = m.try("kill-server") })
	return m
}

func (m tmux) try(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", m.setting}, args...)...).CombinedOutput() //nolint:noctx // of the test's own, a moment each
	return string(out), err
}

func (m tmux) run(args ...string) string {
	m.tb.Helper()
	out, err := m.try(args...)
	if err != nil {
		m.tb.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// screen is `wsctl tui` of a person in a terminal.
type screen struct {
	*person

	window  string
	command []string
	keys    int // pressed since count
}

// open starts a screen; a person may have several.
func (p *person) open(window string, args ...string) *screen {
	p.w.Helper()
	s := &screen{person: p, window: window}
	s.command = append([]string{
		"exec", "env", "HOME=" + p.home, "XDG_CONFIG_HOME=" + p.home, "WSCTL_CONFIG_DIR=" + p.home, "WSCTL_URL=" + p.w.gate.url, "WSCTL_TOKEN=" + p.token,
		"WSCTL_ORG=" + p.w.org, "NO_COLOR=", "EDITOR=" + p.editor(), "VISUAL=", filepath.Join(p.w.bin, "wsctl"), "tui",
	}, args...)
	p.w.tmux.run("new-session", "-d", "-x", "120", "-y", "40", "-s", window, strings.Join(s.command, " "))
	return s
}

// again starts the screen anew in its terminal.
func (s *screen) again(args ...string) {
	s.w.Helper()
	s.w.tmux.run("respawn-pane", "-k", "-t", s.window, strings.Join(append(s.command, args...), " "))
}

// press presses keys, by their names in tmux.
func (s *screen) press(keys ...string) {
	s.w.Helper()
	s.keys += len(keys)
	for _, key := range keys {
		s.w.tmux.run("send-keys", "-t", s.window, key)
	}
}

// write types a text, which counts as no key.
func (s *screen) write(text string) {
	s.w.Helper()
	s.w.tmux.run("send-keys", "-t", s.window, "-l", text)
}

// shown is what the terminal shows.
func (s *screen) shown() string {
	out, _ := s.w.tmux.try("capture-pane", "-p", "-t", s.window)
	return out
}

// sees waits until the screen shows texts, and not those with a leading !.
func (s *screen) sees(texts ...string) {
	s.w.Helper()
	missing := ""
	if !eventually(func() bool { missing = absent(s.shown(), texts); return missing == "" }) {
		s.w.Fatalf("%s does not see %q in\n%s", s.window, missing, s.shown())
	}
}

// absent is the first text that is not as it should be on a screen.
func absent(shown string, texts []string) string {
	for _, text := range texts {
		unwanted, not := strings.CutPrefix(text, "!")
		if strings.Contains(shown, unwanted) == not {
			return text
		}
	}
	return ""
}

// kill ends wsctl as a machine does that loses its power.
func (s *screen) kill() {
	s.w.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.w.tmux.run("display-message", "-p", "-t", s.window, "#{pane_pid}")))
	must(s.w, err)
	must(s.w, syscall.Kill(pid, syscall.SIGKILL))
	s.ended()
}

// ended waits until wsctl has ended.
func (s *screen) ended() {
	s.w.Helper()
	if !eventually(func() bool {
		dead, _ := s.w.tmux.try("display-message", "-p", "-t", s.window, "#{pane_dead}")
		return strings.TrimSpace(dead) == "1"
	}) {
		s.w.Fatalf("%s has not ended:\n%s", s.window, s.shown())
	}
}

// editorScript is an editor that says which file it has, and has it until a line is typed.
const editorScript = `#!/bin/sh
printf '%%s' "$1" > %[1]s/file
echo "the editor has a file"
read -r _
rm %[1]s/file
`

func (p *person) editor() string {
	p.w.Helper()
	path := filepath.Join(p.home, "editor")
	must(p.w, os.WriteFile(path, fmt.Appendf(nil, editorScript, p.home), 0o700))
	return path
}

// edits changes the file that is in the editor.
func (s *screen) edits(change func(string) string) {
	s.w.Helper()
	s.sees("the editor has a file")
	path, err := os.ReadFile(filepath.Join(s.home, "file"))
	must(s.w, err)
	data, err := os.ReadFile(string(path))
	must(s.w, err)
	must(s.w, os.WriteFile(string(path), []byte(change(string(data))), 0o600))
}
