package app

import (
	"github.com/spf13/cobra"
)

// App is one run of the program.
type App struct {
	World

	flags  globalFlags
	loaded *Settings
}

// New starts a run. Nothing is read before a command asks for it.
func New(w World) *App { return &App{World: w} }

// Settings loads the configuration when it is first needed: commands that need none work with a broken one. Its errors are
// usage errors.
func (a *App) Settings(cmd *cobra.Command) (*Settings, error) { return a.load(cmd, false) }

// SettingsOfNewProfile is Settings for the commands that make a profile: the one in use need not exist.
func (a *App) SettingsOfNewProfile(cmd *cobra.Command) (*Settings, error) {
	return a.load(cmd, true)
}

func (a *App) load(cmd *cobra.Command, newProfile bool) (*Settings, error) {
	if a.loaded != nil {
		return a.loaded, nil
	}
	flags := map[string]string{}
	for _, name := range []string{"profile", "url", "org", "space"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	loaded, err := Load(Sources{
		Dir: Dir(a.Env), Env: a.Env, Flags: flags, NewProfile: newProfile,
	}, a.Keyring)
	if err != nil {
		return nil, Usagef("%v", err)
	}
	a.loaded = loaded
	return loaded, nil
}
