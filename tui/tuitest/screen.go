package tuitest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
)

// Screen is a screen with a fake server. Commands are queued until the test runs them.
type Screen struct {
	Model      *tui.Model
	Server     *Server
	Journal    *Journal // equal to o.Drafts unless the test replaced it
	Queued     []tea.Cmd
	EditorText string // text saved by the editor
	EditorErr  error  // error of the editor
	Unchanged  bool   // the editor exits without saving
	Quit       bool

	Files     *files
	OnEdit    func(path string) // effect of the editor on a file
	EditFails bool
	EditLine  int // line at which the editor was opened
	// EditorStarts counts how often the editor was opened.
	EditorStarts int
	Copied       string // content of the clipboard

	elapsed time.Duration // since Clock
	Browsed string        // URL opened in the browser
}

// NewScreen returns a screen that is not open. If o.Client is the client of a Server, it uses that server.
func NewScreen(o tui.Options) *Screen {
	s := &Screen{Server: NewServer(), Journal: NewJournal(), EditorText: "from the editor", Files: newFiles()}
	if shared, ok := o.Client.(client); ok {
		s.Server = shared.Server
	}
	keys := 0
	o.Client, o.Edits = s.Server.Client(), s.Files
	if o.Drafts == nil {
		o.Drafts = s.Journal
	}
	o.EditFile = func(path string, line int) tea.Cmd {
		s.EditLine = line
		s.EditorStarts++
		return func() tea.Msg {
			if s.OnEdit != nil {
				s.OnEdit(path)
			}
			if s.EditFails {
				return page.FileEditedMsg{Path: path, Err: errors.New("the editor failed")}
			}
			return page.FileEditedMsg{Path: path}
		}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return Clock.Add(s.elapsed) }
	}
	if o.NewKey == nil {
		o.NewKey = func() string { keys++; return fmt.Sprintf("key%d", keys) }
	}
	o.Copy = func(what string) tea.Cmd { s.Copied = what; return components.Toast("copied") }
	o.Browse = func(url string) tea.Cmd { s.Browsed = url; return components.Toast("opened") }
	o.Edit = func(string) tea.Cmd {
		return components.Send(page.EditedMsg{Text: s.EditorText, Untouched: s.Unchanged, Err: s.EditorErr})
	}
	s.Model = tui.New(context.Background(), o)
	return s
}

// Start opens the screen at a size and runs all commands.
func Start(o tui.Options, width, height int) *Screen {
	s := NewScreen(o)
	s.Open(width, height)
	return s
}

// Open opens the screen at a size and runs all commands.
func (s *Screen) Open(width, height int) {
	s.Queued = append(s.Queued, s.Model.Init())
	s.Send(tea.WindowSizeMsg{Width: width, Height: height})
	s.Drain()
}

// Page returns the page that is shown.
func (s *Screen) Page() page.Page {
	pages := s.Model.Pages()
	return pages[len(pages)-1]
}

// Kinds returns the kinds of the pages in the stack.
func (s *Screen) Kinds() (all []string) {
	for _, p := range s.Model.Pages() {
		all = append(all, p.Kind())
	}
	return all
}

// Send sends a message to the screen and queues its command.
func (s *Screen) Send(msg tea.Msg) {
	_, cmd := s.Model.Update(msg)
	if cmd != nil {
		s.Queued = append(s.Queued, cmd)
	}
}

// Run runs the queued command with an index and passes its message to the screen.
func (s *Screen) Run(at int) {
	cmd := s.Queued[at]
	s.Queued = append(s.Queued[:at:at], s.Queued[at+1:]...)
	s.handle(cmd())
}

func (s *Screen) handle(msg tea.Msg) {
	if list := reflect.ValueOf(msg); list.IsValid() && list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		var parts []tea.Cmd // of a batch or a sequence
		for i := range list.Len() {
			if cmd, _ := reflect.TypeAssert[tea.Cmd](list.Index(i)); cmd != nil {
				parts = append(parts, cmd)
			}
		}
		s.Queued = append(parts, s.Queued...)
		return
	}
	if _, ok := msg.(tea.QuitMsg); ok {
		s.Quit = true
		return
	}
	s.Send(msg)
}

// Drain runs commands until the queue is empty.
func (s *Screen) Drain() {
	for len(s.Queued) > 0 {
		s.Run(0)
	}
}

// DrainAtOnce runs commands at the same time until all have ended. It is for the fake time of a synctest bubble.
func (s *Screen) DrainAtOnce() {
	messages := make(chan tea.Msg)
	for running := 0; running > 0 || len(s.Queued) > 0; {
		for _, cmd := range s.Queued {
			running++
			go func() { messages <- cmd() }()
		}
		s.Queued = nil
		s.handle(<-messages)
		running--
	}
}

// keyInterval is the time between the keys of a user who waits for the result of each.
const keyInterval = time.Second

// Pass advances the clock of the screen by a number of seconds.
func (s *Screen) Pass(seconds int) { s.elapsed += time.Duration(seconds) * time.Second }

// Keys types keys by name, with a pause before each. A word in quotes is typed as text.
func (s *Screen) Keys(names ...string) {
	for _, name := range names {
		s.elapsed += keyInterval
		s.Press(name)
		s.Drain()
	}
}

// Press types a key and queues its command.
func (s *Screen) Press(name string) { s.Send(Key(name)) }

// Key returns the message of a key by name. A name with a leading quote is text.
func Key(name string) tea.KeyMsg {
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(quoted)}
	}
	if digit, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(digit), Alt: true}
	}
	for _, k := range []tea.KeyType{
		tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyBackspace,
		tea.KeyDelete,
		tea.KeyHome, tea.KeyEnd, tea.KeyPgUp, tea.KeyPgDown, tea.KeyF5, tea.KeyCtrlC, tea.KeyCtrlD, tea.KeyCtrlE, tea.KeyCtrlK,
		tea.KeyCtrlU, tea.KeyCtrlY, tea.KeyCtrlLeft, tea.KeyCtrlRight,
		tea.KeyCtrlS, tea.KeyCtrlT, tea.KeyCtrlW, tea.KeyCtrlX, tea.KeyCtrlA, tea.KeyCtrlJ, tea.KeySpace,
	} {
		if (tea.KeyMsg{Type: k}).String() == name {
			return tea.KeyMsg{Type: k}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// View returns what the screen shows.
func (s *Screen) View() string { return s.Model.View() }

// Want checks that the screen contains each text, or does not contain it if it has a leading !.
func (s *Screen) Want(t *testing.T, texts ...string) {
	t.Helper()
	shown := s.View()
	for _, text := range texts {
		unwanted, not := strings.CutPrefix(text, "!")
		if strings.Contains(shown, unwanted) == not {
			t.Errorf("want %q in\n%s", text, shown)
		}
	}
}
