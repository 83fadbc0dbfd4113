package app

import (
	"github.com/spf13/cobra"
)

// App is a single run of wsctl: its Environment, the global flags, and the settings loaded from them.
type App struct {
	Environment

	flags       globalFlags
	settings    *Settings
	source      *loginSource // of the stored login, once a client uses it
	typedToken  string       // where a token is from that was given to this run and is in no settings
	isInputRead bool         // whether standard input was read to its end
}

// New returns an App for e. It reads nothing; settings are loaded by the commands that need them.
func New(e Environment) *App { return &App{Environment: e} }

// Settings loads the configuration on first use, so that commands without settings work with a broken file. Its
// errors are usage errors.
func (a *App) Settings(cmd *cobra.Command) (*Settings, error) { return a.load(cmd, false) }

// SettingsForNewProfile is like Settings but accepts a profile that does not exist yet, for the commands that create
// one.
func (a *App) SettingsForNewProfile(cmd *cobra.Command) (*Settings, error) {
	return a.load(cmd, true)
}

func (a *App) load(cmd *cobra.Command, newProfile bool) (*Settings, error) {
	if a.settings != nil {
		return a.settings, nil
	}
	flags := map[string]string{}
	for _, name := range []string{"profile", "url", "org", "space"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	loaded, err := LoadSettings(Sources{
		Dir: ConfigDir(a.Getenv), Getenv: a.Getenv, Flags: flags, NewProfile: newProfile,
	}, a.Keyring)
	if err != nil {
		return nil, Usagef("%v", err)
	}
	a.settings = loaded
	return loaded, nil
}
