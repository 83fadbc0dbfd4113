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
		{"by words", "one two  three", "one Xtwo  threeY!", false, []string{
			"ctrl+left", "alt+b", "X", "alt+f", "ctrl+right", "Y", "ctrl+right", "!",
		}},
		{"by words over lines", "one\ntwo", "oneX\ntwoY", false, []string{"home", "ctrl+left", "alt+f", "X", "alt+f", "Y"}},
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

// TestFieldMovesByDrawnLines checks that up and down move by drawn lines, also within a line that is wrapped.
func TestFieldMovesByDrawnLines(t *testing.T) {
	t.Parallel()
	const text = "one two three four\nfive" // drawn as "one two", "three four" and "five"
	for _, c := range []struct {
		name, want string
		keys       []string
	}{
		{"from the last line", "one two three !four\nfive", []string{"home", "right", "right", "up", "right", "right", "right", "right"}},
		{"to the first line", "o!ne two three four\nfive", []string{"home", "right", "up", "up"}},
		{"to a shorter line", "one two! three four\nfive", []string{"up", "end", "up"}},
		{"down again", "one two t!hree four\nfive", []string{"home", "right", "up", "up", "down"}},
		{"to the end", "one two three four\nfive!", []string{"up", "end", "down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := NewField(text, false)
			f.View(10, 5)
			for _, k := range c.keys {
				f.Key(keyMsg(k))
			}
			if f.Key(keyMsg("!")); f.String() != c.want {
				t.Errorf("got %q, want %q", f.String(), c.want)
			}
		})
	}
}

// keyMsg returns the message for a key by its name; a name that starts with a quote is text.
func keyMsg(name string) tea.KeyMsg {
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(quoted)}
	}
	if letter, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(letter), Alt: true}
	}
	for k := tea.KeyType(-100); k < 128; k++ {
		if k != tea.KeyRunes && (tea.KeyMsg{Type: k}).String() == name {
			return tea.KeyMsg{Type: k}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}
