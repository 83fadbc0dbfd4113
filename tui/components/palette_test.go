package components

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestPaletteBestPrefersNumber(t *testing.T) {
	t.Parallel()
	var done string
	entry := func(text string) Entry {
		return Entry{Text: text, Do: func() tea.Cmd { done = text; return nil }}
	}
	p := NewPalette([]Entry{entry("#2 Firmware 4.4"), entry("#44 Four"), entry("4 4 2"), entry("#4 In feet")})
	for typed, want := range map[string]string{
		"4": "#4 In feet", "#4": "#4 In feet", "44": "#44 Four", "2": "#2 Firmware 4.4", "feet": "#4 In feet",
	} {
		if _, ok := p.RunBest(typed); !ok || done != want {
			t.Errorf("%q means %q, want %q", typed, done, want)
		}
	}
}

func TestPaletteBestPrefersTextToKind(t *testing.T) {
	t.Parallel()
	var done string
	entry := func(text, kind string) Entry {
		return Entry{Text: text, Kind: kind, Do: func() tea.Cmd { done = text; return nil }}
	}
	p := NewPalette([]Entry{entry("Jo", "person: open change requests"), entry("#7 When to open the change log", "change request")})
	if _, ok := p.RunBest("open change"); !ok || done != "#7 When to open the change log" {
		t.Errorf("it means %q", done)
	}
}

// TestHelpColumnsAndFilter checks that the help has a filter, and as many columns as fit and are needed.
func TestHelpColumnsAndFilter(t *testing.T) {
	t.Parallel()
	var own []Action
	for i := range 40 {
		own = append(own, Action{Name: "a", Keys: []string{fmt.Sprintf("f%d", i)}, Help: fmt.Sprintf("action number %d", i)})
	}
	h := NewHelp("page", own, nil, nil)
	for _, width := range []int{80, 120, 200} {
		lines, _ := h.View(width, 14)
		if n := strings.Count(fmt.Sprint(lines), "action number"); n < 13*max(width/helpColumnWidth, 1)-1 {
			t.Errorf("%d actions in %d lines at %d columns", n, len(lines), width)
		}
		for _, line := range lines {
			if line.Width() > width {
				t.Errorf("%d cells at %d columns", line.Width(), width)
			}
		}
	}
	for _, key := range "/NUMBER 3" {
		_, _ = Press(h, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{key}})
	}
	_, _ = Press(h, tea.KeyMsg{Type: tea.KeyEnter})
	lines, _ := h.View(80, 41)
	if len(lines) != 12 || !strings.Contains(lines[0].String(), "/NUMBER 3  11 lines") ||
		!strings.Contains(lines[1].String(), "action number 3") {
		t.Errorf("%d lines: %v", len(lines), lines)
	}
}
