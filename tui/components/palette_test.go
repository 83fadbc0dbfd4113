package components

import (
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
