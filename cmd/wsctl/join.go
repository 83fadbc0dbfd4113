package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// joinOptions holds the flags of wsctl join.
type joinOptions struct{ name, secretFile string }

func joinCommand(a *app.App) *cobra.Command {
	var o joinOptions
	cmd := &cobra.Command{
		Use: "join", Short: "Join an organization by an invite, with your account or a new one",
		Long: "Join an organization by the secret of an invite or of an invite link. If the profile has a token or login for the\n" +
			"server, that account joins. Otherwise you get a new account, whose first token is kept for the profile. The secret is\n" +
			"asked for at a terminal, and otherwise read from standard input or --secret-file; it is never given as a flag: others\n" +
			"could see it. Where the members of the organization sign in by an identity provider, you are led to it at a terminal.",
		Example: "  wsctl join --url https://docs.example.com\n  wsctl join --name Ada --secret-file invite.txt",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return join(a, cmd, o) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "name of a new account; default that in the invite")
	cmd.Flags().StringVar(&o.secretFile, "secret-file", "", "`file` with the secret of the invite; - is standard input")
	return cmd
}

func join(a *app.App, cmd *cobra.Command, o joinOptions) error {
	ctx := cmd.Context()
	settings, err := a.SettingsForNewProfile(cmd)
	if err != nil {
		return err
	}
	c, err := a.Client(cmd)
	if err != nil {
		return err
	}
	credential, err := settings.Credential()
	if err != nil {
		return err
	}
	isNew := credential.Token == ""
	if isNew && settings.HasStoredToken() {
		return app.Usagef("%s", settings.WithheldReason()).
			WithHint("join with a profile of its own: wsctl join --profile NAME --url %s", settings.URL.Value)
	}
	in := api.AcceptInviteInput{}
	if in.Body.Secret, err = readInviteSecret(ctx, a, o.secretFile); err != nil {
		return err
	}
	if isNew {
		if in.Body.DisplayName, err = readName(ctx, a, o.name); err != nil {
			return err
		}
	}
	accepted, err := c.Invites.Accept(ctx, in)
	if err != nil {
		return err
	}
	place := ""
	if accepted.Token != "" {
		if place, err = storeFirstToken(ctx, a, settings, accepted); err != nil {
			return err
		}
	} else {
		settings.ForgetOnlyOrganization() // there is another one now
	}
	return reportJoined(a, cmd, settings, accepted, place)
}

// readInviteSecret reads the secret of an invite from a file, from the terminal or from standard input.
func readInviteSecret(ctx context.Context, a *app.App, path string) (string, error) {
	var data []byte
	var err error
	source := path
	switch {
	case path != "" && path != "-":
		data, err = os.ReadFile(path) //nolint:gosec // the user names it
	case path == "" && a.CanPrompt():
		source = "the terminal"
		_, _ = fmt.Fprint(a.Err, "Secret of the invite: ") // the input is read even if the prompt cannot be written
		var line string
		line, err = a.ReadSecret(ctx)
		_, _ = fmt.Fprintln(a.Err) // ends the line of the prompt; an error does not matter
		data = []byte(line)
	default:
		source = "standard input"
		data, err = a.ReadInput()
	}
	if err != nil {
		return "", err
	}
	words := strings.Fields(strings.TrimPrefix(string(data), "\ufeff"))
	if len(words) != 1 {
		return "", app.Usagef("the secret of an invite is one word; %s has %d", source, len(words)).
			WithHint("wsctl join --secret-file FILE")
	}
	return words[0], nil
}

// readName returns the name of a new account: name itself, or what is typed at a terminal, or "" for that in the invite.
func readName(ctx context.Context, a *app.App, name string) (string, error) {
	if name != "" || !a.CanPrompt() {
		return name, nil
	}
	_, _ = fmt.Fprint(a.Err, "Your name, or nothing for that in the invite: ") // the input is read even if it cannot be written
	line, err := a.ReadLine(ctx)
	return strings.TrimSpace(line), err
}

// storeFirstToken stores the token of a new account, which is answered once only. It returns the store.
func storeFirstToken(ctx context.Context, a *app.App, settings *app.Settings, accepted api.Accepted) (string, error) {
	token, err := app.CheckToken(accepted.Token, "the server")
	if err != nil {
		return "", err
	}
	place, err := settings.StoreToken(ctx, token)
	if err != nil {
		kept := a.KeepAnswer([]byte(`{"token":"` + token + `"}`))
		return "", fmt.Errorf("joined as %s, but the token cannot be stored (%w); %s", accepted.ID, err, kept)
	}
	return place, nil
}

// reportJoined says who joined what, where the token of a new account is, and how to go on. Where members sign in by an identity provider,
// it goes on with that if the login replaces nothing but the new token, which was shown.
func reportJoined(a *app.App, cmd *cobra.Command, settings *app.Settings, accepted api.Accepted, place string) error {
	where := accepted.Organization
	token := accepted.Token
	c, err := a.Client(cmd)
	if token != "" {
		c = a.ClientWith(settings.URL.Value, token)
	}
	requiresSignIn := false
	if err == nil {
		o, err := c.Organizations.Get(cmd.Context(), api.OrganizationRef{Organization: accepted.Organization})
		if err == nil {
			where = o.Title + ", " + o.ID
		}
		requiresSignIn = api.IsReason(err, api.ReasonSSORequired)
	}
	a.Infof("%s is you at %s, in the organization %s", accepted.User.DisplayName, settings.URL.Value, where)
	if place != "" {
		a.Infof("the token of profile %s is in the %s", settings.Profile.Value, place)
		if a.CanPrompt() {
			a.Infof("it signs you in again, here and at %s/account; keep it where you keep passwords: %s", settings.URL.Value, token)
		}
	}
	switch {
	case !requiresSignIn:
		a.Infof("next: wsctl spaces list --org %s", accepted.Organization)
		return nil
	case place == "" || !a.CanPrompt(): // the credential of the profile opens more, or the new token was not shown
		a.Infof("members of this organization sign in by its identity provider; a profile of its own keeps the other credential. Next: "+
			"wsctl login --profile NAME --url %s --org %s", settings.URL.Value, accepted.Organization)
		return nil
	}
	a.Infof("members of this organization sign in by its identity provider")
	settings.Org = app.Setting{Value: accepted.Organization, Origin: "the invite"}
	return signInByBrowser(a, cmd, settings, loginOptions{user: accepted.ID})
}
