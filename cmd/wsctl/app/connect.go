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

// Client returns a client of the server in use, with the token of the caller if there is one.
func (a *App) Client(cmd *cobra.Command) (*client.Client, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return nil, err
	}
	if err := CheckURL(settings.URL.Text); err != nil {
		return nil, Usagef("%v (from %s)", err, settings.URL.Origin)
	}
	token, err := settings.Token()
	if err != nil {
		return nil, err
	}
	return a.ClientWith(settings.URL.Text, token.Text), nil
}

// ClientWith returns a client of the server at an address. An empty token makes the caller anonymous.
func (a *App) ClientWith(url, token string) *client.Client {
	options := []client.Option{
		client.WithToken(token), client.WithHTTPClient(a.HTTP), client.WithRetries(a.flags.retries),
		client.WithUserAgent("wsctl/" + Version()), client.WithNotice(a.waiting),
	}
	if a.flags.debug {
		handler := slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelDebug})
		options = append(options, client.WithLogger(slog.New(handler)))
	}
	return client.New(url, options...)
}

func (a *App) waiting(w client.Wait) {
	a.Say("waiting %s before trying again: %v", w.For.Round(time.Second), w.Cause)
}

// Organization returns the organization to work in: what is set, else the only one that the caller has.
func (a *App) Organization(cmd *cobra.Command) (string, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Org.Text != "" {
		return settings.Org.Text, nil
	}
	c, err := a.Client(cmd)
	if err != nil {
		return "", err
	}
	return onlyOrganization(cmd.Context(), c)
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

// Space returns the space to work in. Where none is set, the caller is told how to set one.
func (a *App) Space(cmd *cobra.Command) (string, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return "", err
	}
	if settings.Space.Text == "" {
		return "", Usagef("which space?").
			WithHint("give --space, set WSCTL_SPACE, or keep one with: wsctl config set space ID; wsctl spaces list shows them")
	}
	return settings.Space.Text, nil
}
