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

// tmux runs a tmux server whose windows are terminals that a test can type into and read.
type tmux struct {
	tb             testing.TB
	socket, config string
}

const tmuxSettings = `set -g remain-on-exit on
set -g status off
set -s escape-time 0
set -g default-terminal tmux-256color
`

func newTmux(tb testing.TB, dir string) tmux {
	tb.Helper()
	m := tmux{tb: tb, socket: filepath.Join(dir, "tmux"), config: filepath.Join(dir, "tmux.conf")}
	must(tb, os.WriteFile(m.config, []byte(tmuxSettings), 0o600))
	tb.Cleanup(func() { _, _ = m.try("kill-server") })
	return m
}

func (m tmux) try(args ...string) (string, error) {
	args = append([]string{"-S", m.socket, "-f", m.config}, args...)
	out, err := exec.Command("tmux", args...).CombinedOutput() //nolint:noctx // of the test's own, a moment each
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

// screen is a `wsctl tui` in a tmux window.
type screen struct {
	*person

	window  string
	command []string
	keys    int // number of keys pressed
}

// command returns the command line that starts `wsctl tui` for the person, with the given arguments.
func (p *person) command(args ...string) []string {
	p.w.Helper()
	return append([]string{
		"exec", "env", "HOME=" + p.home, "XDG_CONFIG_HOME=" + p.home, "WSCTL_CONFIG_DIR=" + p.home, "WSCTL_URL=" +
			p.w.proxy.url, "WSCTL_TOKEN=" + p.token,
		"WSCTL_ORG=" + p.w.org, "NO_COLOR=", "EDITOR=" + p.writeEditor(), "VISUAL=", filepath.Join(p.w.bin, "wsctl"), "tui",
	}, args...)
}

// open starts a screen in a new window.
func (p *person) open(window string, args ...string) *screen {
	p.w.Helper()
	s := &screen{person: p, window: window, command: p.command(args...)}
	p.w.tmux.run("new-session", "-d", "-x", "120", "-y", "40", "-s", window, strings.Join(s.command, " "))
	return s
}

// restart starts wsctl again in its window.
func (s *screen) restart(args ...string) {
	s.w.Helper()
	s.w.tmux.run("respawn-pane", "-k", "-t", s.window, strings.Join(append(s.command, args...), " "))
}

// press sends keys, given by their tmux names.
func (s *screen) press(keys ...string) {
	s.w.Helper()
	s.keys += len(keys)
	for _, key := range keys {
		s.w.tmux.run("send-keys", "-t", s.window, key)
	}
}

// write types text, without counting keys.
func (s *screen) write(text string) {
	s.w.Helper()
	s.w.tmux.run("send-keys", "-t", s.window, "-l", text)
}

// content returns the text that the terminal displays.
func (s *screen) content() string {
	out, _ := s.w.tmux.try("capture-pane", "-p", "-t", s.window)
	return out
}

// wantTexts waits until the screen displays the texts, and none of those with a leading "!".
func (s *screen) wantTexts(texts ...string) {
	s.w.Helper()
	missing := ""
	if !eventually(func() bool { missing = firstMismatch(s.content(), texts); return missing == "" }) {
		s.w.Fatalf("%s does not see %q in\n%s", s.window, missing, s.content())
	}
}

// firstMismatch returns the first text that content lacks or, if the text begins with "!", contains without the "!". It returns
// "" if there is none.
func firstMismatch(content string, texts []string) string {
	for _, text := range texts {
		unwanted, not := strings.CutPrefix(text, "!")
		if strings.Contains(content, unwanted) == not {
			return text
		}
	}
	return ""
}

// kill ends wsctl with SIGKILL.
func (s *screen) kill() {
	s.w.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.w.tmux.run("display-message", "-p", "-t", s.window, "#{pane_pid}")))
	must(s.w, err)
	must(s.w, syscall.Kill(pid, syscall.SIGKILL))
	s.waitForExit()
}

// waitForExit waits until wsctl has exited.
func (s *screen) waitForExit() {
	s.w.Helper()
	if !eventually(func() bool {
		dead, _ := s.w.tmux.try("display-message", "-p", "-t", s.window, "#{pane_dead}")
		return strings.TrimSpace(dead) == "1"
	}) {
		s.w.Fatalf("%s has not ended:\n%s", s.window, s.content())
	}
}

// editorScript is an editor that records the name of its file and waits for a line of input.
const editorScript = `#!/bin/sh
printf '%%s' "$1" > %[1]s/file
echo "the editor has a file"
read -r _
rm %[1]s/file
`

func (p *person) writeEditor() string {
	p.w.Helper()
	path := filepath.Join(p.home, "editor")
	must(p.w, os.WriteFile(path, fmt.Appendf(nil, editorScript, p.home), 0o700))
	return path
}

// editFile changes the file in the editor.
func (s *screen) editFile(change func(string) string) {
	s.w.Helper()
	s.wantTexts("the editor has a file")
	path, err := os.ReadFile(filepath.Join(s.home, "file"))
	must(s.w, err)
	data, err := os.ReadFile(string(path))
	must(s.w, err)
	must(s.w, os.WriteFile(string(path), []byte(change(string(data))), 0o600))
}
