package screen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/remote"
)

// preferences are choices on the screen that are kept for the next start.
type preferences struct {
	MouseOff bool `json:"mouseOff,omitzero"`
}

// preferencesFile returns the path of the preferences.
func preferencesFile(env func(string) string) string {
	return filepath.Join(app.ConfigDir(env), "screen.json")
}

// loadPreferences returns the stored preferences, or the default ones if the file is missing or invalid.
func loadPreferences(env func(string) string) (p preferences) {
	data, err := os.ReadFile(preferencesFile(env))
	if err != nil || json.Unmarshal(data, &p) != nil {
		return preferences{}
	}
	return p
}

// rememberMouse returns a function whose command stores whether the mouse is on. If that fails, the message of the command is a
// remote.ErrorMsg.
func rememberMouse(env func(string) string) func(on bool) tea.Cmd {
	return func(on bool) tea.Cmd {
		return func() tea.Msg {
			if err := savePreferences(env, preferences{MouseOff: !on}); err != nil {
				return remote.ErrorMsg{Err: fmt.Errorf("the choice is not kept: %w", err)}
			}
			return nil
		}
	}
}

func savePreferences(env func(string) string, p preferences) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	path := preferencesFile(env)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
