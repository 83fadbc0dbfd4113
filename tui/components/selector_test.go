package components

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"docspace.dev/wsd/tui/text"
)

// Whatever is selected with whatever keys stands in the text where it says, is no more than a cell of a table, and every
// window shows the run that would be taken.
func TestASelectionStandsWhereItSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"one ", "two\n", "宽 ", "| a | b |\n", "| --- | --- |\n", "\\| ", "|x|y|\n", "**b** ", "\r\n", "é"}), 0, 12).Draw(t, "parts")
		source := strings.Join(parts, "")
		var chosen []Selection
		take := func(s Selection) tea.Cmd { chosen = append(chosen, s); return nil }
		overlay := NewSelector(source, rapid.IntRange(-1, len(source)+1).Draw(t, "from"), take, take)
		for range rapid.IntRange(1, 20).Draw(t, "keys") {
			key := rapid.SampledFrom([]string{"right", "left", "v", "down", "up", "g", "G", "c", "s"}).Draw(t, "key")
			for _, g := range overlay.gestures() {
				if strings.Contains(" "+strings.Join(g.keys, " ")+" ", " "+key+" ") {
					g.do()
				}
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

func TestTheLinesOfASelection(t *testing.T) {
	t.Parallel()
	overlay := NewSelector("| a | b |\n| --- | --- |\n| c | d |", 26, nil, nil)
	lines, _ := overlay.View(40, 20)
	var got []string
	for _, line := range lines[1:] {
		said := ""
		for _, s := range line {
			if s.Style().Ground == text.Anchor {
				said += "[" + s.Text() + "]"
			} else {
				said += s.Text()
			}
		}
		got = append(got, said)
	}
	if want := "| a | b |\n| --- | --- |\n| [c] | d |"; strings.Join(got, "\n") != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
}
