package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// signInTime is how long wsctl login waits for the browser.
const signInTime = 5 * time.Minute

// loginOptions holds the flags of wsctl login.
type loginOptions struct {
	withToken, device bool
	scope             string
	user              string // id of who must have signed in; "" = anybody
}

// loginCommand returns the command that signs in. name is the command line of its examples.
func loginCommand(a *app.App, name string) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use: "login", Short: "Sign in by a browser or with a token, for the profile",
		Long: "Sign in by the browser, or with --device by a browser on another device, and keep the login for the profile: in the\n" +
			"keyring of the system, or in a file that only you can read where there is none. wsctl renews the login by itself.\n" +
			"--with-token keeps a token instead, from the terminal or standard input. A token is never given as a flag: others\n" +
			"could see it.",
		Example: "  " + name + "\n  " + name + " --device --scope read\n  wsctl --profile work --url https://docs.example.com" +
			strings.TrimPrefix(name, "wsctl") + "\n  " + name + " --with-token < token.txt",
		Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return login(a, cmd, o) },
	}
	cmd.Flags().BoolVar(&o.device, "device", false, "sign in by a browser on another device, with a code")
	cmd.Flags().BoolVar(&o.withToken, "with-token", false, "read a token from the terminal or standard input instead")
	cmd.Flags().StringVar(&o.scope, "scope", "", "`scope` of the login: read, write or admin; default what your roles need")
	cmd.Flags().String("org", "", "`id` of the organization to which the login is limited")
	app.CompleteWords(cmd, "scope", scopes())
	for _, other := range []string{"device", "scope", "org"} {
		cmd.MarkFlagsMutuallyExclusive("with-token", other)
	}
	return cmd
}

// scopes returns the values of --scope.
func scopes() []string { return []string{"read", "write", "admin"} }

func login(a *app.App, cmd *cobra.Command, o loginOptions) error {
	if o.scope != "" && !slices.Contains(scopes(), o.scope) {
		return app.Usagef("--scope must be read, write or admin, not %q", o.scope)
	}
	settings, err := a.SettingsForNewProfile(cmd)
	if err != nil {
		return err
	}
	if err := app.CheckURL(settings.URL.Value); err != nil {
		return app.Usagef("%v (from %s)", err, settings.URL.Origin)
	}
	switch {
	case o.withToken:
		return loginWithToken(a, cmd, settings)
	case o.device:
		return signIn(a, cmd, settings, o)
	case !a.CanShow():
		return app.Usagef("nobody can be asked to sign in: this is no terminal").
			WithHint("with a token: wsctl auth login --with-token < token.txt; by a browser on another device: wsctl login --device")
	}
	return signInByBrowser(a, cmd, settings, o)
}

// signInByBrowser signs in by the browser, or on another device where there is none.
func signInByBrowser(a *app.App, cmd *cobra.Command, settings *app.Settings, o loginOptions) error {
	if a.OpenURL == nil || a.Getenv("SSH_CONNECTION") != "" {
		a.Infof("no browser can be opened here, so you sign in on another device (--device)")
		o.device = true
	}
	return signIn(a, cmd, settings, o)
}

// loginWithToken checks a token with the server and stores it.
func loginWithToken(a *app.App, cmd *cobra.Command, settings *app.Settings) error {
	token, err := readToken(cmd.Context(), a)
	if err != nil {
		return err
	}
	user, err := a.ClientWith(settings.URL.Value, token).User.Get(cmd.Context(), api.NoInput{})
	if err != nil {
		return err
	}
	place, err := replaceCredential(cmd.Context(), a, settings, func() (string, error) { return settings.Login(token) })
	if err != nil {
		return fmt.Errorf("cannot store the token: %w", err)
	}
	a.Infof("%s is you at %s; the token of profile %s is in the %s", user.DisplayName, settings.URL.Value, settings.Profile.Value, place)
	addNotes(a, cmd, settings, token)
	return nil
}

// addNotes says what else matters to somebody who has just signed in.
func addNotes(a *app.App, cmd *cobra.Command, settings *app.Settings, token string) {
	if info, err := a.ClientWith(settings.URL.Value, token).Server.Get(cmd.Context(), api.NoInput{}); err == nil {
		if note := versionNote(info.Version, app.Version()); note != "" {
			a.Infof("note: %s", note)
		}
	}
	if settings.HasEnvToken() {
		a.Infof("WSCTL_TOKEN is set and wins over it")
	}
}

// readToken prompts for a token at a terminal, and otherwise reads it from standard input. It returns a usage error if the input
// cannot be a token.
func readToken(ctx context.Context, a *app.App) (string, error) {
	source := "standard input"
	var text string
	if a.CanPrompt() {
		_, _ = fmt.Fprint(a.Err, "Token: ") // the input is read even if the prompt cannot be written
		line, err := a.ReadSecret(ctx)
		_, _ = fmt.Fprintln(a.Err) // ends the line of the prompt; an error does not matter
		if err != nil {
			return "", err
		}
		text, source = line, "the terminal"
	} else {
		data, err := io.ReadAll(io.LimitReader(a.In, 1<<16))
		if err != nil {
			return "", err
		}
		text = string(data)
	}
	a.UseTypedToken(source)
	return app.CheckToken(text, source)
}

// signIn signs in with the authorization server and stores the login. A login that it replaces is ended.
func signIn(a *app.App, cmd *cobra.Command, settings *app.Settings, o loginOptions) error {
	ctx := cmd.Context()
	request, err := loginRequest(a, settings, o.scope)
	if err != nil {
		return err
	}
	server, err := oauth.Discover(ctx, a.ClientWith(settings.URL.Value, ""), settings.URL.Value)
	if err != nil {
		return err
	}
	newLogin, err := authorize(ctx, a, server, request, o.device)
	if err != nil {
		return err
	}
	if err := checkLoginOf(ctx, a, settings, newLogin, o.user); err != nil {
		return err
	}
	place, err := replaceCredential(ctx, a, settings, func() (string, error) { return settings.LoginWith(newLogin) })
	if err != nil {
		return fmt.Errorf("cannot store the login: %w", err)
	}
	a.UseTypedToken("the new login")
	user, err := a.ClientWith(settings.URL.Value, newLogin.AccessToken).User.Get(ctx, api.NoInput{})
	if err != nil {
		a.Infof("the login of profile %s is in the %s", settings.Profile.Value, place)
		return err
	}
	a.Infof("%s is you at %s; the login of profile %s is in the %s", user.DisplayName, settings.URL.Value, settings.Profile.Value, place)
	addNotes(a, cmd, settings, newLogin.AccessToken)
	return nil
}

// checkLoginOf returns an error if a login is of another user than id, "" = anybody. The login is ended then.
func checkLoginOf(ctx context.Context, a *app.App, settings *app.Settings, login oauth.Login, id string) error {
	if id == "" {
		return nil
	}
	user, err := a.ClientWith(settings.URL.Value, login.AccessToken).User.Get(ctx, api.NoInput{})
	if err == nil && user.ID != id {
		err = app.Usagef("the browser has signed in %s, who is another account than the one that joined", user.DisplayName).
			WithHint("sign in at %s/account with the token above first, and then by the provider: wsctl login", settings.URL.Value)
	}
	if err != nil {
		_ = a.OAuth().Revoke(ctx, login) // it is not kept, and ends by itself
	}
	return err
}

// loginRequest returns what a login asks for.
func loginRequest(a *app.App, settings *app.Settings, scope string) (oauth.Request, error) {
	request := oauth.Request{Scope: scope}
	if a.Hostname != nil {
		name, _ := a.Hostname() // the server has a name for devices without one
		request.DeviceName = shortenDevice(name)
	}
	switch org := settings.Org; {
	case strings.HasPrefix(org.Value, "o_"):
		request.Organization = org.Value
	case org.Value == "":
	case org.Origin == "flag --org":
		return request, app.Usagef("--org takes the id of an organization here, not %q: names are known after the login", org.Value)
	default:
		a.Infof("the login is not limited to the organization %s (from %s): that takes its id", org.Value, org.Origin)
	}
	return request, nil
}

// maxDeviceName is the number of characters that a server accepts as the name of a device.
const maxDeviceName = 64

// shortenDevice returns the name of this computer in a form that a server accepts.
func shortenDevice(name string) string {
	runes := []rune(app.SanitizeLine(name))
	return string(runes[:min(len(runes), maxDeviceName)])
}

// authorize signs in by the browser, or on another device.
func authorize(ctx context.Context, a *app.App, server oauth.Server, request oauth.Request, onDevice bool) (oauth.Login, error) {
	if onDevice {
		return a.OAuth().SignInOnDevice(ctx, server, request, func(code oauth.DeviceCode) {
			a.Warnf("Open this address in a browser on any device: %s", code.VerificationURI)
			a.Warnf("Enter this code there: %s", code.UserCode)
			if code.CompleteURI != "" {
				a.Warnf("The address with the code: %s", code.CompleteURI)
			}
		})
	}
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	return a.OAuth().SignIn(ctx, server, request, func(address string) {
		a.Warnf("Open this address in a browser: %s", address)
		if a.OpenURL != nil {
			go func() { _ = a.OpenURL(address) }() // which may go on as long as the browser; the address is on the screen
		}
	})
}

// replaceCredential calls store, which stores a credential, and ends the login of the same server that it replaces. It returns the
// place where the credential is.
func replaceCredential(ctx context.Context, a *app.App, settings *app.Settings, store func() (string, error)) (string, error) {
	unlock, err := settings.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	previous, _ := settings.StoredCredential() // one that cannot be read is replaced
	place, err := store()
	if err != nil {
		return "", err
	}
	a.ForgetCompletions() // they may be those of another user
	if previous.Login != nil && oauth.SameOrigin(previous.Login.RevocationEndpoint, settings.URL.Value) {
		if err := a.OAuth().Revoke(ctx, *previous.Login); err != nil {
			a.Infof("the previous login could not be ended on the server (%v); wsctl tokens list shows it", err)
		}
	}
	return place, nil
}
