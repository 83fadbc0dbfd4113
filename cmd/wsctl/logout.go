package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// logoutCommand returns the command that signs out. name is the command line of its examples.
func logoutCommand(a *app.App, name string) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Sign out: end the login of the profile, or forget its token",
		Long: "End the login of the profile on the server, and forget it. If the server cannot be reached, the login is forgotten\n" +
			"here and stays valid there: the exit code is that of the failure, and wsctl tokens delete ends it. A token is only\n" +
			"forgotten, and stays valid: wsctl tokens delete revokes it. At a terminal, the command asks first, since nothing shows\n" +
			"the token again.",
		Example: "  " + name + "\n  wsctl --profile work" + name[len("wsctl"):],
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			if err := confirmForget(cmd.Context(), a, settings); err != nil {
				return err
			}
			return logout(cmd.Context(), a, settings)
		},
	}
}

// confirmForget asks at a terminal before a token is forgotten, because nothing shows it again. It returns a usage error unless the answer
// is y or yes.
func confirmForget(ctx context.Context, a *app.App, settings *app.Settings) error {
	stored, err := settings.StoredCredential()
	if err != nil || stored.Token == "" || stored.Login != nil || !a.CanPrompt() {
		return nil // a credential that cannot be read is of no use
	}
	name := settings.Profile.Value
	a.Infof("the token of profile %s is not shown again: without a copy of it or another token you cannot sign in any more", name)
	_, _ = fmt.Fprint(a.Err, "Forget it? [y/N] ") // the input is read even if the prompt cannot be written
	answer, err := a.ReadLine(ctx)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return app.Usagef("the token of profile %s is kept", name)
	}
	return nil
}

func logout(ctx context.Context, a *app.App, settings *app.Settings) error {
	a.ForgetCompletions() // they contain titles
	unlock, err := settings.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	stored, _ := settings.StoredCredential() // what cannot be read is forgotten
	var failed error
	if stored.Login != nil {
		failed = a.OAuth().Revoke(ctx, *stored.Login)
	}
	was, err := settings.Logout()
	name := settings.Profile.Value
	switch {
	case err != nil:
		return err
	case !was:
		a.Infof("profile %s has no token", name)
	case failed != nil:
		return notEnded(name, stored.Token, failed)
	case stored.Login != nil:
		a.Infof("the login of profile %s has ended and is forgotten", name)
	default:
		a.Infof("the token of profile %s is forgotten", name)
	}
	return nil
}

// notEnded returns the error of a logout that could not end the login on the server.
func notEnded(profile, accessToken string, cause error) error {
	if refused, ok := errors.AsType[*oauth.Error](cause); ok { // its hint is for a login
		cause = &oauth.Error{Status: refused.Status, Message: refused.Message}
	}
	id := "TOKEN"
	if _, own, ok := app.SplitToken(accessToken); ok {
		id = "t_" + own
	}
	return &app.ContinueError{
		Done:  fmt.Sprintf("the login of profile %s is forgotten here, and still valid on the server", profile),
		Next:  fmt.Sprintf("wsctl tokens delete %s --yes, with another token or login", id),
		Cause: cause,
	}
}
