package components

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestFieldKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, start, want string
		single            bool
		keys              []string
	}{
		{"typed", "", "ab c", false, []string{"a", "b", " ", "c"}},
		{"lines", "ab", "a\nb", false, []string{"left", "enter"}},
		{"joined", "a\nb", "ab", false, []string{"home", "backspace"}},
		{"joined from above", "a\nb", "ab", false, []string{"up", "end", "delete"}},
		{"word", "one two", "one ", false, []string{"ctrl+w"}},
		{"line", "one two", "", false, []string{"ctrl+u"}},
		{"in the middle", "ac", "abc", false, []string{"left", `"b`}},
		{"around lines", "a\nb", "a\nxb", false, []string{"home", "left", "right", "x"}},
		{"one line", "a", "a b", true, []string{"enter", `" b`}},
		{"over a character of two runes", "a🛠️b", "ax🛠️b", false, []string{"left", "left", "x"}},
		{"a character of three runes", "a👩‍💻b", "ab", false, []string{"left", "backspace"}},
		{"after it", "a🛠️b", "a🛠️b!", false, []string{"home", "right", "right", "right", "!"}},
		{"into it from another line", "ab\n🛠️b", "ab\n🛠️xb", false, []string{"up", "home", "right", "down", "x"}},
		{"at the ends", "", "", false, []string{"left", "up", "backspace", "delete", "right", "down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := NewField(c.start, c.single)
			for _, k := range c.keys {
				f.Key(keyMsg(k))
			}
			if got := f.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	f := NewField("", false)
	if f.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x"), Alt: true}) {
		t.Error("alt+x is text")
	}
}

// keyMsg returns the message for a key by its name; a name that starts with a quote is text.
func keyMsg(name string) tea.KeyMsg {
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(quoted)}
	}
	for k := tea.KeyType(-100); k < 128; k++ {
		if k != tea.KeyRunes && (tea.KeyMsg{Type: k}).String() == name {
			return tea.KeyMsg{Type: k}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}
