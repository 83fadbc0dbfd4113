package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

const (
	// renewBefore is the time before the end of an access token from which on it is renewed.
	renewBefore = time.Minute

	// retryRenewal is the time after a renewal that failed in which an access token that is still valid is used.
	retryRenewal = 10 * time.Second

	// finishRenewal is the time that a renewal has after its command was interrupted. The server has replaced the refresh secret as
	// soon as it has the request, so its answer should be stored.
	finishRenewal = 5 * time.Second
)

// OAuth returns the client of authorization servers.
func (a *App) OAuth() oauth.Client {
	return oauth.Client{HTTP: a.HTTP, Timeout: a.flags.timeout, UserAgent: "wsctl/" + Version(), Now: a.Now}
}

// loginSource is the source of the access tokens of a stored login, which it renews. It is shared by all clients of a run.
type loginSource struct {
	app      *App
	settings *Settings

	turn    chan struct{} // full while a request looks at the following fields
	login   oauth.Login   // with a zero ExpiresAt if the login was replaced by a token
	retryAt time.Time     // the time before which a failed renewal is not repeated
}

func newLoginSource(a *App, settings *Settings, l oauth.Login) *loginSource {
	return &loginSource{app: a, settings: settings, turn: make(chan struct{}, 1), login: l}
}

// Token implements client.TokenSource. It renews the login if its access token ends within a minute, or was refused.
func (s *loginSource) Token(ctx context.Context, refused string) (string, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-s.turn }()
	now := s.app.Now()
	isNeeded := refused == s.login.AccessToken || refused == "" && isDue(s.login, now) && !now.Before(s.retryAt)
	if !isNeeded {
		return s.login.AccessToken, nil
	}
	renewed, err := s.renew(ctx, refused)
	if err == nil {
		s.login = renewed
		return s.login.AccessToken, nil
	}
	ended := api.IsReason(err, api.ReasonUnauthenticated)
	if now = s.app.Now(); !ended && refused == "" && now.Before(s.login.ExpiresAt) {
		s.retryAt = now.Add(retryRenewal)
		return s.login.AccessToken, nil
	}
	return "", err
}

// isDue reports whether the access token of a login is to be renewed.
func isDue(l oauth.Login, now time.Time) bool {
	return !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt.Add(-renewBefore))
}

// renew returns the stored login if another process has renewed it, and otherwise renews and stores it.
func (s *loginSource) renew(ctx context.Context, refused string) (oauth.Login, error) {
	fresh := &Settings{Path: s.settings.Path, Profile: s.settings.Profile, URL: s.settings.URL, tokens: s.settings.tokens}
	unlock, err := fresh.Lock(ctx)
	if err != nil {
		return oauth.Login{}, err
	}
	defer unlock()
	stored, err := fresh.Credential()
	switch {
	case err != nil:
		return oauth.Login{}, err
	case stored.Token == "":
		return oauth.Login{}, s.ended("profile " + s.settings.Profile.Value + " is not signed in any more")
	case userOf(stored.Token) != userOf(s.login.AccessToken):
		return oauth.Login{}, s.ended("profile " + s.settings.Profile.Value + " is signed in as another user now")
	case stored.Login == nil:
		return oauth.Login{AccessToken: stored.Token}, nil
	case stored.Token != refused && !isDue(*stored.Login, s.app.Now()):
		return *stored.Login, nil
	case !oauth.SameOrigin(stored.Login.TokenEndpoint, s.settings.URL.Value):
		return oauth.Login{}, s.ended("the login of profile " + s.settings.Profile.Value + " is of another server")
	}
	renewed, err := s.request(ctx, *stored.Login)
	if err != nil {
		return oauth.Login{}, s.renewalError(err)
	}
	if err := fresh.keepRenewed(renewed); err != nil {
		return oauth.Login{}, &storeError{"cannot store the renewed login of profile " + s.settings.Profile.Value, err}
	}
	return renewed, nil
}

// request sends the renewal. It goes on for finishRenewal after the end of ctx.
func (s *loginSource) request(ctx context.Context, l oauth.Login) (oauth.Login, error) {
	bounded, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishRenewal, cancel) })()
	return s.app.OAuth().Renew(bounded, l)
}

// renewalError returns the error of a renewal that the server refuses, or that was not possible.
func (s *loginSource) renewalError(err error) error {
	const message = "the login of profile %s could not be renewed: %w"
	refused, ok := errors.AsType[*oauth.Error](err)
	switch {
	case ok && refused.Code == oauth.CodeInvalidGrant:
		return s.ended("the login of profile " + s.settings.Profile.Value + " has ended")
	case ok && refused.IsTemporary():
		return &api.Error{
			Code: refused.Status, Reason: temporaryReason(refused.Status), RetryAfter: refused.RetryAfter,
			Message: fmt.Errorf(message, s.settings.Profile.Value, err).Error(),
		}
	default:
		return fmt.Errorf(message, s.settings.Profile.Value, err)
	}
}

func temporaryReason(status int) api.Reason {
	if status == http.StatusTooManyRequests {
		return api.ReasonRateLimited
	}
	return api.ReasonUnavailable
}

// ended returns the error of a request for which the profile has no login any more. It has the form of the answer to a request with
// a wrong token.
func (s *loginSource) ended(message string) error {
	return &api.Error{
		Code: http.StatusUnauthorized, Reason: api.ReasonUnauthenticated, Message: message, Hint: s.settings.loginHint(),
	}
}

// loginHint returns the command that signs in with the profile.
func (s *Settings) loginHint() string {
	if s.Profile.Origin == "flag --profile" {
		return "wsctl login --profile " + s.Profile.Value
	}
	return "wsctl login"
}
