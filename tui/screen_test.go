package tui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
)

// memory is an in-memory drafts.Journal.
type memory struct {
	mu    sync.Mutex
	all   map[string]drafts.Draft
	fail  error
	state journalState
}

func (m *memory) Save(d drafts.Draft) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.all[d.ID()] = d
	return nil
}

func (m *memory) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, id)
	return m.fail
}

func (m *memory) All() ([]drafts.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []drafts.Draft
	for _, d := range m.all {
		all = append(all, d)
	}
	return all, nil
}

// testScreen is a screen with a fake server. Commands are queued until the test runs them.
type testScreen struct {
	model      *Model
	fake       *fake
	drafts     *memory // equal to o.Drafts unless the test replaced it
	waiting    []tea.Cmd
	editorText string // text saved by the editor
	editorErr  error  // error of the editor
	unchanged  bool   // the editor exits without saving
	quit       bool

	files     *files
	editFile  func(path string) // effect of the editor on a file
	editFails bool
	copied    string // content of the clipboard
	browsed   string // URL opened in the browser
}

func newTestScreen(o Options) *testScreen {
	s := &testScreen{fake: newFake(), drafts: &memory{all: map[string]drafts.Draft{}}, editorText: "from the editor", files: newFiles()}
	if shared, ok := o.Client.(client); ok {
		s.fake = shared.fake
	}
	keys := 0
	o.Client, o.Edits = s.fake.client(), s.files
	if o.Drafts == nil {
		o.Drafts = s.drafts
	}
	o.EditFile = func(path string) tea.Cmd {
		return func() tea.Msg {
			if s.editFile != nil {
				s.editFile(path)
			}
			if s.editFails {
				return page.FileEditedMsg{Path: path, Err: errors.New("the editor failed")}
			}
			return page.FileEditedMsg{Path: path}
		}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return clock }
	}
	if o.NewKey == nil {
		o.NewKey = func() string { keys++; return fmt.Sprintf("key%d", keys) }
	}
	o.Copy = func(what string) tea.Cmd { s.copied = what; return components.Toast("copied") }
	o.Browse = func(url string) tea.Cmd { s.browsed = url; return components.Toast("opened") }
	o.Edit = func(string) tea.Cmd {
		return components.Send(page.EditedMsg{Text: s.editorText, Untouched: s.unchanged, Err: s.editorErr})
	}
	s.model = New(context.Background(), o)
	return s
}

// start opens the screen at a size and runs all commands.
func start(o Options, width, height int) *testScreen {
	s := newTestScreen(o)
	s.open(width, height)
	return s
}

// open opens the screen at a size and runs all commands.
func (s *testScreen) open(width, height int) {
	s.waiting = append(s.waiting, s.model.Init())
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	s.drain()
}

// page returns the page that is shown.
func (s *testScreen) page() page.Page {
	pages := s.model.Pages()
	return pages[len(pages)-1]
}

// kinds returns the kinds of the pages in the stack.
func (s *testScreen) kinds() (all []string) {
	for _, p := range s.model.Pages() {
		all = append(all, p.Kind())
	}
	return all
}

func (s *testScreen) send(msg tea.Msg) {
	_, cmd := s.model.Update(msg)
	if cmd != nil {
		s.waiting = append(s.waiting, cmd)
	}
}

// run runs the queued command with an index and passes its message to the screen.
func (s *testScreen) run(at int) {
	cmd := s.waiting[at]
	s.waiting = append(s.waiting[:at:at], s.waiting[at+1:]...)
	s.handle(cmd())
}

func (s *testScreen) handle(msg tea.Msg) {
	if list := reflect.ValueOf(msg); list.IsValid() && list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		var parts []tea.Cmd // of a batch or a sequence
		for i := range list.Len() {
			if cmd, _ := reflect.TypeAssert[tea.Cmd](list.Index(i)); cmd != nil {
				parts = append(parts, cmd)
			}
		}
		s.waiting = append(parts, s.waiting...)
		return
	}
	if _, ok := msg.(tea.QuitMsg); ok {
		s.quit = true
		return
	}
	s.send(msg)
}

// drain runs commands until the queue is empty.
func (s *testScreen) drain() {
	for len(s.waiting) > 0 {
		s.run(0)
	}
}

// keys types keys by name. A word in quotes is typed as text.
func (s *testScreen) keys(names ...string) {
	for _, name := range names {
		s.press(name)
		s.drain()
	}
}

func (s *testScreen) press(name string) { s.send(keyMsg(name)) }

func keyMsg(name string) tea.KeyMsg {
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(quoted)}
	}
	if digit, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(digit), Alt: true}
	}
	for _, k := range []tea.KeyType{
		tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyBackspace, tea.KeyDelete,
		tea.KeyHome, tea.KeyEnd, tea.KeyPgUp, tea.KeyPgDown, tea.KeyF5, tea.KeyCtrlC, tea.KeyCtrlD, tea.KeyCtrlE, tea.KeyCtrlK, tea.KeyCtrlU,
		tea.KeyCtrlS, tea.KeyCtrlT, tea.KeyCtrlW, tea.KeyCtrlX, tea.KeyCtrlA, tea.KeyCtrlJ, tea.KeySpace,
	} {
		if (tea.KeyMsg{Type: k}).String() == name {
			return tea.KeyMsg{Type: k}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (s *testScreen) screen() string { return s.model.View() }

// want checks that the screen contains each text, or does not contain it if it has a leading !.
func (s *testScreen) want(t *testing.T, texts ...string) {
	t.Helper()
	shown := s.screen()
	for _, text := range texts {
		unwanted, not := strings.CutPrefix(text, "!")
		if strings.Contains(shown, unwanted) == not {
			t.Errorf("want %q in\n%s", text, shown)
		}
	}
}
