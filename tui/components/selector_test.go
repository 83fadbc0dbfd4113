package components

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"docspace.dev/wsd/tui/render"
)

// TestSelectorRandomKeys checks for random texts and keys that the selection is at its offset in the text and within a cell,
// and that it fits into the window.
func TestSelectorRandomKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"one ", "two\n", "宽 ", "| a | b |\n", "| --- | --- |\n", "\\| ", "|x|y|\n", "**b** ", "\r\n", "é",
		}), 0, 12).Draw(t, "parts")
		source := strings.Join(parts, "")
		var chosen []Selection
		take := func(s Selection) tea.Cmd { chosen = append(chosen, s); return nil }
		overlay := NewSelector(source, render.Runs(source), rapid.IntRange(-1, len(source)+1).Draw(t, "from"), take, take)
		for range rapid.IntRange(1, 20).Draw(t, "keys") {
			key := rapid.SampledFrom([]rune("lhvjkgG0$()f/ocs|")).Draw(t, "key")
			_, _ = Press(overlay, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{key}})
			if rapid.Bool().Draw(t, "enter") {
				_, _ = Press(overlay, tea.KeyMsg{Type: tea.KeyEsc})
			}
			width := rapid.IntRange(1, 60).Draw(t, "width")
			lines, _ := overlay.View(width, 20)
			for _, line := range lines {
				if line.Width() > width {
					t.Fatalf("%q is wider than %d", line.String(), width)
				}
			}
		}
		for _, s := range chosen {
			if s.Words == "" || source[s.Start:s.Start+len(s.Words)] != s.Words {
				t.Fatalf("%+v does not stand there in %q", s, source)
			}
			if isTable(source) && (strings.Contains(strings.ReplaceAll(s.Words, `\|`, ""), "|") || strings.Contains(s.Words, "\n")) {
				t.Fatalf("%+v is more than a cell of %q", s, source)
			}
		}
	})
}

func TestSelectorInTable(t *testing.T) {
	t.Parallel()
	overlay := NewSelector("| a | b |\n| --- | --- |\n| c | d |", render.Runs("| a | b |\n| --- | --- |\n| c | d |"), 26, nil, nil)
	lines, _ := overlay.View(40, 20)
	var got []string
	for _, line := range lines[1:] {
		text := ""
		for _, s := range line {
			if s.Style().Ground == render.Anchor {
				text += "[" + s.Text() + "]"
			} else {
				text += s.Text()
			}
		}
		got = append(got, text)
	}
	if want := "| a | b |\n| --- | --- |\n| [c] | d |"; strings.Join(got, "\n") != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
}

// TestSelectorHints checks that the hints match the state and fit into a narrow window.
func TestSelectorHints(t *testing.T) {
	t.Parallel()
	none := func(Selection) tea.Cmd { return nil }
	overlay := NewSelector("one two three", render.Runs("one two three"), 0, none, none)
	press := func(k tea.KeyMsg) { _, _ = Press(overlay, k) }
	want := func(head, hints string) {
		t.Helper()
		lines, _ := overlay.View(60, 20)
		shown := OverlayHints(overlay)
		if lines[0].String() != head || shown.String() != hints || shown.Width() > 60 {
			t.Errorf("%q, %q", lines[0].String(), shown.String())
		}
	}
	want("Select words · 1 word", "← → ↑ ↓ go  v extend  c comment  s suggest  ? keys  esc back")
	press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("v")})
	press(tea.KeyMsg{Type: tea.KeyRight})
	want("Select words · 2 words", "← → ↑ ↓ extend  v anew  c comment  s suggest  esc back")
	if key := OverlayHints(overlay)[0]; key.Text() != "← → ↑ ↓ " || key.Style().Tone != render.Accent {
		t.Errorf("the keys do not stand out: %q %+v", key.Text(), key.Style())
	}
	commented := NewSelector("one", render.Runs("one"), 0, none, nil)
	if hints := OverlayHints(commented).String(); strings.Contains(hints, "suggest") {
		t.Error(hints)
	}
}

// TestSelectorDrawsRenderedText checks that the text is drawn without Markdown and line ends, and that the selection is the
// source.
func TestSelectorDrawsRenderedText(t *testing.T) {
	t.Parallel()
	var chosen []Selection
	take := func(s Selection) tea.Cmd { chosen = append(chosen, s); return nil }
	source := "If it was\nempty\nwithin *months*, see [Power and battery](x.md \"a title\")."
	overlay := NewSelector(source, render.Runs(source), 0, take, take)
	lines, _ := overlay.View(80, 20)
	if got := lines[1].String(); got != "If it was empty within months, see Power and battery." {
		t.Errorf("drawn %q", got)
	}
	for _, key := range []tea.KeyMsg{{Type: tea.KeyEnd}, {Type: tea.KeyEnter}} {
		_, _ = Press(overlay, key)
	}
	if want := (Selection{"battery](x.md \"a title\").", strings.Index(source, "battery")}); len(chosen) != 1 || chosen[0] != want {
		t.Errorf("chosen %+v, want %+v", chosen, want)
	}
}

func TestSelectorHelpListsKeys(t *testing.T) {
	t.Parallel()
	none := func(Selection) tea.Cmd { return nil }
	overlay := NewSelector("one two three", render.Runs("one two three"), 0, none, none)
	question := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("?")}
	_, _ = Press(overlay, question)
	lines, _ := overlay.View(60, 20)
	all := ""
	for _, line := range lines {
		all += line.String() + "\n"
	}
	for _, g := range overlay.bindings() {
		if g.help == "" || !strings.Contains(all, KeyNames(g.keys)) || !strings.Contains(all, g.help) {
			t.Errorf("%v is not in\n%s", g.keys, all)
		}
	}
	if _, done := Press(overlay, question); done {
		t.Error("it is closed")
	}
	_, _ = Press(overlay, question)
	if _, done := Press(overlay, tea.KeyMsg{Type: tea.KeyEsc}); done {
		t.Error("esc in the help leaves the choice of words")
	}
	if lines, _ := overlay.View(60, 20); lines[1].String() != "one two three" {
		t.Errorf("drawn %q", lines[1].String())
	}
}

// TestSelectorMotionKeys checks that keys move to letters, texts, lines and sentences.
func TestSelectorMotionKeys(t *testing.T) {
	t.Parallel()
	const source = "One two three. Four five six!\nSeven (eight) nine."
	for keys, want := range map[string]string{
		"fs": "six!", "fe": "(eight)", "fffS": "six!", "/five six": "five six!", "/FOUR": "Four", "/zz": "One", "$": "six!", "l$0": "One",
		"v)": "One two three.", ")v(": "One two three.", "))": "six!", "lll(": "One",
		"v/eight": "One two three. Four five six!\nSeven (eight)",
		"v$":      "One two three. Four five six!",
	} {
		var chosen Selection
		overlay := NewSelector(source, render.Runs(source), 0, func(s Selection) tea.Cmd { chosen = s; return nil }, nil)
		for _, key := range keys {
			_, _ = Press(overlay, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{key}})
		}
		if strings.Contains(keys, "/") {
			_, _ = Press(overlay, tea.KeyMsg{Type: tea.KeyEnter})
		}
		_, _ = Press(overlay, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'c'}})
		if chosen.Words != want {
			t.Errorf("%q chooses %q, want %q", keys, chosen.Words, want)
		}
	}
}
