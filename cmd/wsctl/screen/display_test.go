package screen

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/term/detect"
)

// TestQuestion checks that only properties that the environment does not define are queried, and nothing of terminals that
// would print the query.
func TestQuestion(t *testing.T) {
	t.Parallel()
	color, background := detect.Question{TrueColor: true}, detect.Question{Background: true}
	both, nothing := detect.Question{TrueColor: true, Background: true}, detect.Question{}
	for variables, want := range map[string]detect.Question{
		"TERM=xterm-256color":                             both,
		"TERM=xterm":                                      both,
		"TERM=tmux-256color":                              both,
		"TERM=screen-256color TMUX=/tmp/tmux":             both,
		"TERM=xterm-256color COLORFGBG=15;0":              color,
		"TERM=xterm-256color COLORFGBG=0;default":         both,
		"TERM=xterm-256color COLORTERM=truecolor":         background,
		"TERM=xterm-kitty":                                background,
		"TERM=xterm-kitty COLORFGBG=0;15":                 nothing,
		"TERM=vte-256color":                               background,
		"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal": background,
		"TERM=xterm-256color NO_COLOR=1":                  nothing,
		"TERM=screen-256color":                            nothing,
		"TERM=xterm-256color STY=1.tty":                   nothing,
		"TERM=linux":                                      nothing,
		"TERM=vt220":                                      nothing,
		"TERM=ansi":                                       nothing,
		"":                                                nothing,
	} {
		env := func(name string) string {
			for field := range strings.FieldsSeq(variables) {
				if value, ok := strings.CutPrefix(field, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := question(env, render.DisplayOf(env).Depth); got != want {
			t.Errorf("%s: asks %+v, want %+v", variables, got, want)
		}
	}
}

// TestMessagesOf checks that input typed before the screen is shown is converted to the same key messages.
func TestMessagesOf(t *testing.T) {
	t.Parallel()
	want := []tea.Msg{
		tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jé")},
		tea.KeyMsg{Type: tea.KeyDown},
		tea.KeyMsg{Type: tea.KeyEnter},
		tea.KeyMsg{Type: tea.KeyCtrlC},
		tea.KeyMsg{Type: tea.KeyEscape},
	}
	if diff := cmp.Diff(want, messagesOf([]byte("jé\x1b[B\r\x03\x1b"))); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("j", 1000)
	read := ""
	for _, msg := range messagesOf([]byte(long)) {
		read += msg.(tea.KeyMsg).String()
	}
	if read != long || messagesOf(nil) != nil {
		t.Errorf("read %d keys of %d", len(read), len(long))
	}
}
