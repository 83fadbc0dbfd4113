package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// Client returns a client of the configured server, with the configured credential if there is one. A login is renewed as needed.
func (a *App) Client(cmd *cobra.Command) (*client.Client, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return nil, err
	}
	if err := CheckURL(settings.URL.Value); err != nil {
		return nil, Usagef("%v (from %s)", err, settings.URL.Origin)
	}
	if a.source == nil {
		credential, err := settings.Credential()
		if err != nil {
			return nil, err
		}
		if credential.Login == nil {
			return a.ClientWith(settings.URL.Value, credential.Token), nil
		}
		a.source = newLoginSource(a, settings, *credential.Login)
	}
	return a.newClient(settings.URL.Value, client.WithTokenSource(a.source.Token)), nil
}

// ClientWith returns a client of the server at url. An empty token makes anonymous requests.
func (a *App) ClientWith(url, token string) *client.Client {
	return a.newClient(url, client.WithToken(token))
}

func (a *App) newClient(url string, credential client.Option) *client.Client {
	options := []client.Option{
		credential, client.WithHTTPClient(a.HTTP), client.WithRetries(a.flags.retries),
		client.WithUserAgent("wsctl/" + Version()), client.WithNotice(a.reportWait),
		client.WithTimeout(a.flags.timeout), client.WithSilenceNotice(a.reportSilence),
	}
	if a.AfterFunc != nil {
		options = append(options, client.WithAfterFunc(a.AfterFunc))
	}
	if a.flags.verbose && !a.flags.debug {
		options = append(options, client.WithLogger(slog.New(callLogger{a})))
	}
	if a.flags.debug {
		handler := slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelDebug})
		options = append(options, client.WithLogger(slog.New(handler)))
	}
	return client.New(url, options...)
}

// callLogger is the log of -v: a line for each call, with its path, but without its query, which may have keys.
type callLogger struct{ app *App }

// Enabled implements slog.Handler.
func (callLogger) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (l callLogger) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l callLogger) WithGroup(string) slog.Handler { return l }

// Handle implements slog.Handler.
func (l callLogger) Handle(_ context.Context, record slog.Record) error {
	values := map[string]string{}
	record.Attrs(func(a slog.Attr) bool {
		values[a.Key] = a.Value.String()
		return true
	})
	path, _, _ := strings.Cut(values["url"], "?")
	if values["status"] == "" {
		l.app.Infof("%s %s: %s", values["method"], path, record.Message)
		return nil
	}
	l.app.Infof("%s %s: %s in %s, %s bytes, %s",
		values["method"], path, values["status"], values["took"], values["bytes"], values["requestId"])
	return nil
}

func (a *App) reportWait(w client.Wait) {
	a.Infof("waiting %s before trying again: %v", w.For.Round(time.Second), w.Cause)
}

// reportSilence reports a server that does not answer, unless a progress line shows that already.
func (a *App) reportSilence(s client.Silence) {
	if !s.Slow || !a.WantsProgress() {
		a.Infof("no answer from %s for %s; waiting up to %s", s.URL, s.For, waitText(s.Limit))
	}
}

// Organization returns the configured organization, or else the only one that the caller belongs to, which is kept in the profile.
func (a *App) Organization(cmd *cobra.Command) (string, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Org.Value != "" {
		return settings.Org.Value, nil
	}
	if id := settings.OnlyOrganization(); id != "" {
		return id, nil
	}
	c, err := a.Client(cmd)
	if err != nil {
		return "", err
	}
	id, err := onlyOrganization(cmd.Context(), c)
	if err == nil {
		_ = settings.setOnlyOrganization(id) // the next command asks again
	}
	return id, err
}

func onlyOrganization(ctx context.Context, c *client.Client) (string, error) {
	var names, ids []string
	for o, err := range client.All(ctx, c.Organizations.List, api.ListOrganizationsInput{}) {
		if err != nil {
			return "", err
		}
		ids = append(ids, o.ID)
		names = append(names, fmt.Sprintf("%s (%s)", o.ID, o.Title))
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", Usagef("you are in no organization").WithHint("create one with: wsctl organizations create --title TITLE")
	default:
		return "", Usagef("which organization? you are in %s", strings.Join(names, ", ")).
			WithHint("give --org, set WSCTL_ORG, or keep one with: wsctl config set org %s", ids[0])
	}
}

// Space returns the configured space. If none is configured, the error explains how to set one.
func (a *App) Space(cmd *cobra.Command) (string, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Space.Value == "" {
		return "", Usagef("which space?").
			WithHint("give --space, set WSCTL_SPACE, or keep one with: wsctl config set space NAME; wsctl spaces list shows them")
	}
	return settings.Space.Value, nil
}
