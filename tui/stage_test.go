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

// memory is a journal in memory.
type memory struct {
	mu    sync.Mutex
	all   map[string]drafts.Draft
	fail  error
	shelf shelf
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

// stage is a screen with a fake server. Commands wait in a queue until they are run.
type stage struct {
	model   *Model
	fake    *fake
	drafts  *memory // what o.Drafts is, unless a test gave another one
	waiting []tea.Cmd
	edited  string // what the editor leaves
	broken  error  // why it leaves nothing
	left    bool   // it is left without saving
	quit    bool

	files     *files
	editFile  func(path string) // what the editor does with a file
	editFails bool
	copied    string // what the clipboard has
	browsed   string // what the browser shows
}

func newStage(o Options) *stage {
	s := &stage{fake: newFake(), drafts: &memory{all: map[string]drafts.Draft{}}, edited: "from the editor", files: newFiles()}
	if shared, ok := o.Client.(*fake); ok {
		s.fake = shared
	}
	keys := 0
	o.Client, o.Edits = s.fake, s.files
	if o.Drafts == nil {
		o.Drafts = s.drafts
	}
	o.EditIn = func(path string) tea.Cmd {
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
		return components.Send(page.EditedMsg{Text: s.edited, Untouched: s.left, Err: s.broken})
	}
	s.model = New(context.Background(), o)
	return s
}

// start opens the screen at a size and waits until everything is there.
func start(o Options, width, height int) *stage {
	s := newStage(o)
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(tea.WindowSizeMsg{Width: width, Height: height})
	s.settle()
	return s
}

func (s *stage) tell(msg tea.Msg) {
	_, cmd := s.model.Update(msg)
	if cmd != nil {
		s.waiting = append(s.waiting, cmd)
	}
}

// run runs the waiting command at an index and hands its answer to the screen, or returns it to be handed later.
func (s *stage) run(at int) {
	cmd := s.waiting[at]
	s.waiting = append(s.waiting[:at:at], s.waiting[at+1:]...)
	s.hand(cmd())
}

func (s *stage) hand(msg tea.Msg) {
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
	s.tell(msg)
}

// settle runs commands until none is waiting.
func (s *stage) settle() {
	for len(s.waiting) > 0 {
		s.run(0)
	}
}

// keys types keys by their names; a word in quotes is typed as text.
func (s *stage) keys(names ...string) {
	for _, name := range names {
		s.press(name)
		s.settle()
	}
}

func (s *stage) press(name string) { s.tell(keyMsg(name)) }

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

func (s *stage) screen() string { return s.model.View() }

// want checks that the screen shows each text, and with a leading ! that it does not.
func (s *stage) want(t *testing.T, texts ...string) {
	t.Helper()
	shown := s.screen()
	for _, text := range texts {
		unwanted, not := strings.CutPrefix(text, "!")
		if strings.Contains(shown, unwanted) == not {
			t.Errorf("want %q in\n%s", text, shown)
		}
	}
}
