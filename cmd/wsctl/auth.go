package main

import (
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Auth returns the commands that store, show and remove the credential of a profile.
func Auth(a *app.App) *cobra.Command {
	cmd := &cobra.Command{Use: "auth", Short: "Sign in and out, and show as whom", Args: cobra.ArbitraryArgs, RunE: app.RunGroup}
	cmd.AddCommand(loginCommand(a, "wsctl auth login"), logoutCommand(a, "wsctl auth logout"), authStatusCommand(a))
	return cmd
}

// authStatus is the output of auth status.
type authStatus struct {
	Profile   string `json:"profile"`
	URL       string `json:"url"`
	URLOrigin string `json:"urlOrigin"`
	Token     string `json:"token"`      // origin of the token, never the token itself
	Kind      string `json:"credential"` // token, login, or none
	// ExpiresAt is the end of the access token of a login, as far as it is known here, and absent for a token.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Renews    bool       `json:"renews"` // whether wsctl renews it by itself before its end
	User      string     `json:"user"`
	Name      string     `json:"name"`
	ReadOnly  bool       `json:"readOnly"`
}

// Kinds of credentials in the output of auth status.
const (
	kindToken = "token"
	kindLogin = "login"
	kindNone  = "none"
)

// setCredential sets the members that describe the credential.
func (s *authStatus) setCredential(c app.Credential) {
	s.Token, s.Kind = c.Origin, kindToken
	switch {
	case c.Token == "":
		s.Kind = kindNone
	case c.Login != nil:
		ends := c.Login.ExpiresAt.UTC().Truncate(time.Second)
		s.Kind, s.ExpiresAt, s.Renews = kindLogin, &ends, true
	}
}

func authStatusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show which server you talk to, as whom, by which credential, and where that is from",
		Example: "  wsctl auth status\n  wsctl auth status -o json", Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings(cmd)
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
			status := authStatus{
				Profile: settings.Profile.Value, URL: settings.URL.Value, URLOrigin: settings.URL.Origin,
				User: user.ID, Name: user.DisplayName, ReadOnly: settings.IsReadOnly(),
			}
			credential, err := settings.Credential() // after the call, which may have renewed it
			if err != nil {
				return err
			}
			status.setCredential(credential)
			return a.Print(status)
		},
	}
}
