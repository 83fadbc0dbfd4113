package screen

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"golang.org/x/sys/unix"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/tuitest"
)

// Answers of a terminal with all colours and a light background.
const (
	colorAnswer  = "\x1bP1$r0;48:2::21:37:53m\x1b\\"
	otherAnswers = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?64;1;22c"
)

// pseudoTerminal is a terminal in which wsctl runs.
type pseudoTerminal struct {
	control, terminal *os.File

	app    *app.App
	output chan []byte // what wsctl writes
}

func openTerminal(t *testing.T) pseudoTerminal {
	t.Helper()
	p := pseudoTerminal{output: make(chan []byte, 1000)}
	p.control, p.terminal = tuitest.OpenTerminal(t)
	t.Cleanup(func() { _ = p.terminal.Close() })
	p.app = app.New(newHarness(t, nil).Environment(p.terminal, p.terminal))
	p.app.In, p.app.InTerminal, p.app.OutTerminal = p.terminal, true, true
	p.app.Getenv = func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] }
	go func() {
		defer close(p.output)
		for {
			piece := make([]byte, 4096)
			n, err := p.control.Read(piece)
			if err != nil {
				return
			}
			p.output <- piece[:n]
		}
	}()
	return p
}

// input writes text to the input of the terminal, as typed keys or as a response.
func (p pseudoTerminal) input(t *testing.T, text string) {
	t.Helper()
	if _, err := p.control.WriteString(text); err != nil {
		t.Error(err)
	}
}

// await waits until text is written, and reports a test error if the output ends before.
func (p pseudoTerminal) await(t *testing.T, text string) {
	t.Helper()
	var seen []byte
	for piece := range p.output {
		if seen = append(seen, piece...); bytes.Contains(seen, []byte(text)) {
			return
		}
	}
	t.Errorf("%q is not in %q", text, seen)
}

// keyLog is a model that records key presses until q is pressed.
type keyLog struct {
	keys  []string
	onKey map[string]func() // called after keys
}

func (l *keyLog) Init() tea.Cmd { return nil }

func (l *keyLog) View() string { return "" }

func (l *keyLog) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return l, nil
	}
	l.keys = append(l.keys, key.String())
	if then := l.onKey[key.String()]; then != nil {
		then()
	}
	if key.String() == "q" {
		return l, tea.Quit
	}
	return l, nil
}

// detect calls detectTerminal in the background and waits until the query is written.
func (p pseudoTerminal) detect(t *testing.T) <-chan terminal {
	t.Helper()
	done := make(chan terminal, 1)
	go func() { done <- detectTerminal(p.app, options{theme: "auto"}) }()
	p.await(t, "\x1b[c")
	return done
}

// TestTerminalIsQueried checks that the response of a terminal is used, that keys typed before it reach the screen, and that
// the settings of the terminal are restored.
func TestTerminalIsQueried(t *testing.T) {
	t.Parallel()
	p := openTerminal(t)
	before := p.settings(t)
	done := p.detect(t)
	p.input(t, "j"+colorAnswer+"k"+otherAnswers)
	shown := <-done
	if after := p.settings(t); after != before {
		t.Errorf("the terminal is %+v, was %+v", after, before)
	}
	if shown.display.Depth != termenv.TrueColor || shown.display.Dark || string(shown.typeahead) != "jk" || shown.in != p.app.In {
		t.Errorf("%+v", shown)
	}
	log := &keyLog{onKey: map[string]func(){"jk": func() { p.input(t, "q") }}}
	if err := runProgram(t.Context(), shown, p.terminal, log, true); err != nil {
		t.Error(err)
	}
	if got := strings.Join(log.keys, " "); got != "jk q" {
		t.Errorf("typed %s", got)
	}
}

func (p pseudoTerminal) settings(t *testing.T) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(p.terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// TestLateResponseIsNotTyped checks that a response of the terminal that arrives while the screen is shown, even in pieces, is
// not treated as key presses.
func TestLateResponseIsNotTyped(t *testing.T) {
	t.Parallel()
	p := openTerminal(t)
	shown := <-p.detect(t)
	if shown.display.Depth != termenv.ANSI256 || !shown.display.Dark {
		t.Errorf("%+v", shown.display)
	}
	p.input(t, colorAnswer[:8])
	go func() {
		p.await(t, "\x1b[?1002h") // the screen is shown
		p.input(t, colorAnswer[8:]+"j")
	}()
	log := &keyLog{onKey: map[string]func(){
		"j":   func() { p.input(t, otherAnswers[:4]); p.input(t, otherAnswers[4:]+"\x1b") },
		"esc": func() { p.input(t, "q") },
	}}
	if err := runProgram(t.Context(), shown, p.terminal, log, true); err != nil {
		t.Error(err)
	}
	if got := strings.Join(log.keys, " "); got != "j esc q" {
		t.Errorf("typed %s", got)
	}
}

// TestTerminalIsNotQueried checks that nothing is queried if the theme is given, in the linear interface, and without a
// terminal.
func TestTerminalIsNotQueried(t *testing.T) {
	t.Parallel()
	p := openTerminal(t)
	for _, theme := range themes {
		detectTerminal(p.app, options{theme: theme, linear: theme == "auto"})
	}
	for _, isTerminal := range []bool{true, false} {
		p.app.InTerminal, p.app.OutTerminal = isTerminal, !isTerminal
		if shown := detectTerminal(p.app, options{theme: "auto"}); shown.in != p.app.In {
			t.Errorf("reads %v", shown.in)
		}
	}
	if _, err := p.terminal.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	if written := string(<-p.output); written != "end" {
		t.Errorf("wrote %q", written)
	}
}

// TestCommandsReadTerminal checks that commands run by the screen read from the terminal itself and not from a copy of its
// input.
func TestCommandsReadTerminal(t *testing.T) {
	t.Parallel()
	p := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), "vi")
	runFrom(p.app.In)(cmd, nil)
	if cmd.Stdin != p.app.In {
		t.Errorf("reads from %v", cmd.Stdin)
	}
}
