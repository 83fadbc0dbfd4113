package screen

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/term"
	"docspace.dev/wsd/tui/term/detect"
)

// terminal holds the properties and the input of the terminal that displays the screen.
type terminal struct {
	display   render.Display
	in        io.Reader // input without the responses to queries
	typeahead []byte    // input read before the screen was shown
}

// detectTerminal detects the properties of the terminal from the environment and, for those that it does not define, from the
// responses of the terminal to queries. It sends no query if the screen does not use the response.
func detectTerminal(a *app.App, o options) terminal {
	t := terminal{display: render.DisplayOf(a.Getenv), in: a.In}
	in, isFile := a.In.(*os.File)
	out, isOutFile := a.Out.(*os.File)
	if o.linear || o.theme != "auto" || !isFile || !isOutFile || !a.InTerminal || !a.OutTerminal {
		return t
	}
	var answer detect.Answer
	answer, t.in, t.typeahead = detect.AskFiles(in, out, question(a.Getenv, t.display.Depth))
	if answer.TrueColor {
		t.display.Depth = termenv.TrueColor
	}
	if answer.Background != detect.Unknown {
		t.display.Dark = answer.Background == detect.Dark
	}
	return t
}

// question returns the query for the properties that the environment does not define. Terminals that would print a query as
// text are not sent it: the console of Linux, older ones and GNU screen, and for the number of colors the Terminal of macOS.
func question(env func(string) string, depth termenv.Profile) detect.Question {
	name := env("TERM")
	isOld := slices.Contains([]string{"", "dumb", "linux", "ansi"}, name) ||
		strings.HasPrefix(name, "vt") && !strings.HasPrefix(name, "vte")
	isGNUScreen := env("STY") != "" || strings.HasPrefix(name, "screen") && env("TMUX") == ""
	if isOld || isGNUScreen || env("NO_COLOR") != "" {
		return detect.Question{}
	}
	_, known := term.Background(env("COLORFGBG"))
	return detect.Question{
		TrueColor:  depth != termenv.TrueColor && env("TERM_PROGRAM") != "Apple_Terminal",
		Background: !known,
	}
}

// runFrom returns the RunFunc of a running screen whose terminal is read through a filter: its commands read from in.
func runFrom(in io.Reader) tui.RunFunc {
	return func(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
		if cmd.Stdin == nil {
			cmd.Stdin = in
		}
		return tui.RunOnTerminal(cmd, done)
	}
}

// messagesOf returns the Bubble Tea messages that a program receives for the terminal input, or nil if the program fails.
func messagesOf(input []byte) []tea.Msg {
	if len(input) == 0 {
		return nil
	}
	received := &recorder{}
	source := &finiteInput{data: input}
	program := tea.NewProgram(received, tea.WithInput(source), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler())
	source.onEnd = program.Quit
	if _, err := program.Run(); err != nil {
		return nil
	}
	return received.messages
}

// finiteInput is a reader that returns data and then calls onEnd.
type finiteInput struct {
	data  []byte
	onEnd func()
}

func (f *finiteInput) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		f.onEnd()
		return 0, io.EOF
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

// recorder is a model that records the messages of the keyboard and the mouse.
type recorder struct{ messages []tea.Msg }

func (r *recorder) Init() tea.Cmd { return nil }

func (r *recorder) View() string { return "" }

func (r *recorder) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg:
		r.messages = append(r.messages, msg)
	}
	return r, nil
}
