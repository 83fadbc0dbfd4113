package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Auth returns the commands that store, show and remove the token of a profile.
func Auth(a *app.App) *cobra.Command {
	cmd := &cobra.Command{Use: "auth", Short: "Store, show and forget the token", Args: cobra.ArbitraryArgs, RunE: app.RunGroup}
	cmd.AddCommand(loginCommand(a), logoutCommand(a), authStatusCommand(a))
	return cmd
}

func loginCommand(a *app.App) *cobra.Command {
	var withToken bool
	cmd := &cobra.Command{
		Use: "login", Short: "Check a token and store it for the profile",
		Long: "Check a token and store it for the profile, in the keyring of the system, or in a file that only you can read\n" +
			"where there is none. A token is never given as a flag: others could see it.",
		Example: "  wsctl auth login --with-token < token.txt\n  wsctl --profile work --url https://docs.example.com auth login",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return login(a, cmd, withToken) },
	}
	cmd.Flags().BoolVar(&withToken, "with-token", false, "read the token from standard input")
	return cmd
}

// login validates a token with the server and stores it.
func login(a *app.App, cmd *cobra.Command, withToken bool) error {
	settings, err := a.SettingsForNewProfile(cmd)
	if err != nil {
		return err
	}
	if err := app.CheckURL(settings.URL.Value); err != nil {
		return app.Usagef("%v (from %s)", err, settings.URL.Origin)
	}
	token, err := readToken(cmd.Context(), a, withToken)
	if err != nil {
		return err
	}
	c := a.ClientWith(settings.URL.Value, token)
	user, err := c.User.Get(cmd.Context(), api.NoInput{})
	if err != nil {
		return err
	}
	place, err := settings.Login(token)
	if err != nil {
		return fmt.Errorf("cannot store the token: %w", err)
	}
	a.Infof("%s is you at %s; the token of profile %s is in the %s", user.DisplayName, settings.URL.Value, settings.Profile.Value, place)
	if info, err := c.Server.Get(cmd.Context(), api.NoInput{}); err == nil {
		if note := versionNote(info.Version, app.Version()); note != "" {
			a.Infof("note: %s", note)
		}
	}
	if settings.HasEnvToken() {
		a.Infof("WSCTL_TOKEN is set and wins over it")
	}
	return nil
}

// readToken reads a token from standard input if fromInput is set, and otherwise prompts for it. It returns a usage error if
// the user cannot be prompted or the input cannot be a token.
func readToken(ctx context.Context, a *app.App, fromInput bool) (string, error) {
	text, source := "", "standard input"
	switch {
	case fromInput:
		data, err := io.ReadAll(io.LimitReader(a.In, 1<<16))
		if err != nil {
			return "", err
		}
		text = string(data)
	case a.CanPrompt():
		_, _ = fmt.Fprint(a.Err, "Token: ") // the input is read even if the prompt cannot be written
		line, err := a.ReadSecret(ctx)
		_, _ = fmt.Fprintln(a.Err) // ends the line of the prompt; an error does not matter
		if err != nil {
			return "", err
		}
		text, source = line, "the terminal"
	default:
		return "", app.Usagef("nobody can be asked for the token").WithHint("wsctl auth login --with-token < token.txt")
	}
	a.UseTypedToken(source)
	return app.CheckToken(text, source)
}

func logoutCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the token of the profile",
		Long:    "Forget the token of the profile. The token itself stays valid: wsctl tokens delete revokes it.",
		Example: "  wsctl auth logout\n  wsctl --profile work auth logout",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			a.ForgetCompletions() // they contain titles
			was, err := settings.Logout()
			if err != nil {
				return err
			}
			if !was {
				a.Infof("profile %s has no token", settings.Profile.Value)
				return nil
			}
			a.Infof("the token of profile %s is forgotten", settings.Profile.Value)
			return nil
		},
	}
}

// authStatus is the output of auth status.
type authStatus struct {
	Profile   string `json:"profile"`
	URL       string `json:"url"`
	URLOrigin string `json:"urlOrigin"`
	Token     string `json:"token"` // origin of the token, never the token itself
	User      string `json:"user"`
	Name      string `json:"name"`
	ReadOnly  bool   `json:"readOnly"`
}

func authStatusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show which server you talk to, as whom, and where the token is from",
		Example: "  wsctl auth status\n  wsctl auth status -o json", Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			token, err := settings.Token()
			if err != nil {
				return err
			}
			c, err := a.Client(cmd)
			if err != nil {
				return err
			}
			user, err := c.User.Get(cmd.Context(), api.NoInput{})
			if err != nil {
				return err
			}
			return a.Print(authStatus{
				Profile: settings.Profile.Value, URL: settings.URL.Value, URLOrigin: settings.URL.Origin, Token: token.Origin,
				User: user.ID, Name: user.DisplayName, ReadOnly: settings.IsReadOnly(),
			})
		},
	}
}
