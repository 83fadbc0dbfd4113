package components

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Action is a row of a table of actions, which a key or the palette carries out: of a page, of all pages, or of the
// editor. An action without keys is only in the menu and the palette. The keys, the hints, the help, the palette and
// the table in the manual are made from these tables.
type Action struct {
	Name string // name in the palette
	Keys []string
	Help string         // description in the help
	Hint string         // text for the last line of the screen, or ""
	Do   func() tea.Cmd // carries out the action

	// DisabledReason returns the reason why the action cannot be carried out now, or "". If it is nil, the action is always
	// available.
	DisabledReason func() string
	// ShowDisabled keeps the action in the menu of the row, with the reason, while it cannot be carried out.
	ShowDisabled bool
	// OpensText marks an action that prompts for a text or opens an editor. If it cannot be carried out, the text typed next is
	// ignored until a pause.
	OpensText bool
	// OfPage marks an action that concerns the page, not the row under the cursor. It is not in the menu of the row.
	OfPage bool
	// ListQuestion is the question before the action is carried out from the menu or the palette, where ⏎ at the end of a typed
	// text may choose it by mistake. It is empty for actions that can be undone or that have a question of their own.
	ListQuestion string
	// MovesCursor marks an action that at most moves the cursor and leaves the rows unchanged.
	MovesCursor bool
}

// Run carries out the action, or shows the reason why it cannot be carried out.
func (a Action) Run() tea.Cmd {
	if reason := a.disabledReason(); reason != "" {
		return Toast("%s", reason)
	}
	return a.Do()
}

// disabledReason returns the reason why the action cannot be carried out now, or "".
func (a Action) disabledReason() string {
	if a.DisabledReason == nil {
		return ""
	}
	return a.DisabledReason()
}

// Find returns the first action with a key.
func Find(all []Action, key string) (Action, bool) {
	at := slices.IndexFunc(all, func(a Action) bool { return slices.Contains(a.Keys, key) })
	if at < 0 {
		return Action{}, false
	}
	return all[at], true
}

// Available returns the actions that can be carried out now.
func Available(all []Action) []Action {
	return slices.DeleteFunc(slices.Clone(all), func(a Action) bool { return a.disabledReason() != "" })
}

// MenuActions returns the actions for the row under the cursor that can be carried out now, and those with ShowDisabled.
func MenuActions(all []Action) []Action {
	return slices.DeleteFunc(slices.Clone(all), func(a Action) bool {
		return a.OfPage || !a.ShowDisabled && a.disabledReason() != ""
	})
}

// KeyNames formats keys for the screen.
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

// Hints returns the keys and hints of the available actions, as many as fit into width. The first actions of the
// table are the most important ones. Actions without a key follow the key of the menu.
func Hints(all []Action, width int) render.Line {
	var line render.Line
	inMenu := false
	for i, a := range all {
		switch {
		case a.Hint == "" || a.disabledReason() != "":
		case len(a.Keys) > 0:
			if more := Hint(a.Keys[0], a.Hint); line.Width()+more.Trim().Width() <= width {
				line = append(line, more...)
			}
		case !inMenu:
			line, inMenu = append(line, menuHint(all[i:], width-line.Width())...), true
		}
	}
	return line.Trim()
}

// menuHint returns the hints of the actions without a key, as many as fit into width.
func menuHint(all []Action, width int) render.Line {
	var listed []string
	for _, a := range all {
		if a.Hint != "" && len(a.Keys) == 0 && !a.OfPage && a.disabledReason() == "" {
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

// menuKey opens the menu of the row under the cursor.
const menuKey = "."

// Hint draws a key and its effect for the last line of the screen. A click on it presses the key.
func Hint(key, text string) render.Line {
	target := render.KeyTarget(key)
	return render.Line{
		render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, keyName(key)).Linked(target),
		render.In(render.Dim, " "+text).Linked(target), render.In(render.Dim, "  "),
	}
}
