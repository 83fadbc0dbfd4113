package components

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Action is something that a key or the palette does: a row of the table that each page has of its own, of the one
// that all pages share, or of the composer's. One without keys is in the menu and the palette alone. Keys, hints, help, palette and the table in the manual come from it.
type Action struct {
	Name string // in the palette
	Keys []string
	Help string         // what it does, for people
	Hint string         // how the last line of the screen names it; empty for not at all
	Do   func() tea.Cmd // carries it out

	// WhyNot says why it cannot be done as things are, or nothing; without it, it always can.
	WhyNot func() string
	// Tells marks what stays in the menu of the row when it cannot be done, with why.
	Tells bool
	// Moves marks what leaves the rows as they are: it moves the cursor at most.
	Moves bool
}

// Run carries the action out, or says why it cannot be done.
func (a Action) Run() tea.Cmd {
	if reason := a.unavailable(); reason != "" {
		return Toast("%s", reason)
	}
	return a.Do()
}

// unavailable says why the action cannot be done as things are, or nothing.
func (a Action) unavailable() string {
	if a.WhyNot == nil {
		return ""
	}
	return a.WhyNot()
}

// Find returns the action of a key; the first table that has the key wins.
func Find(all []Action, key string) (Action, bool) {
	at := slices.IndexFunc(all, func(a Action) bool { return slices.Contains(a.Keys, key) })
	if at < 0 {
		return Action{}, false
	}
	return all[at], true
}

// Available are the actions that can be carried out as things are.
func Available(all []Action) []Action {
	return slices.DeleteFunc(slices.Clone(all), func(a Action) bool { return a.unavailable() != "" })
}

// Offered are the actions that can be carried out as things are, and those that say why not.
func Offered(all []Action) []Action {
	return slices.DeleteFunc(slices.Clone(all), func(a Action) bool { return !a.Tells && a.unavailable() != "" })
}

// KeyNames writes keys for people.
func KeyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}

func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "enter":
		return "⏎"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	default:
		return key
	}
}

// Hints names the keys of the actions that have a hint and can be carried out now, as many as there is room for: those that
// come first in the table matter most. One without a key of its own stands behind the key of the menu.
func Hints(all []Action, width int) render.Line {
	var line render.Line
	inMenu := false
	for i, a := range all {
		switch {
		case a.Hint == "" || a.unavailable() != "":
		case len(a.Keys) > 0:
			if more := Hint(a.Keys[0], a.Hint); line.Width()+more.Width() <= width {
				line = append(line, more...)
			}
		case !inMenu:
			line, inMenu = append(line, menuHint(all[i:], width-line.Width())...), true
		}
	}
	return line
}

// menuHint names what stands in the menu alone, as much as there is room for.
func menuHint(all []Action, width int) render.Line {
	var listed []string
	for _, a := range all {
		if a.Hint != "" && len(a.Keys) == 0 && a.unavailable() == "" {
			listed = append(listed, a.Hint)
		}
	}
	for ; len(listed) > 0; listed = listed[:len(listed)-1] {
		if hint := Hint(menuKey, strings.Join(listed, ", ")); hint.Width() <= width {
			return hint
		}
	}
	return nil
}

// menuKey is that of the menu of the row under the cursor.
const menuKey = "."

// Hint is a key and what it does, for the last line of the screen.
func Hint(key, what string) render.Line {
	return render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, keyName(key)), render.In(render.Dim, " "+what+"  ")}
}
