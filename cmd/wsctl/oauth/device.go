package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"docspace.dev/wsd/client"
)

// Intervals between the requests of a login on another device, in seconds (RFC 8628).
const (
	defaultInterval = 5
	slowerBy        = 5 // after a request that failed
)

// DeviceCode holds the code with which somebody confirms a login on another device.
type DeviceCode struct {
	UserCode        string
	VerificationURI string
	CompleteURI     string // the address with the code; "" if the server has none
	ExpiresAt       time.Time
}

// SignInOnDevice signs somebody in who confirms a code in a browser on any device: it calls show with the code, and asks the server
// until the code is confirmed or refused, or has expired. Failures of single requests do not end it.
func (c Client) SignInOnDevice(ctx context.Context, s Server, r Request, show func(DeviceCode)) (Login, error) {
	config := oauth2.Config{ClientID: ClientID, Endpoint: endpoint(s.TokenEndpoint)}
	config.Endpoint.DeviceAuthURL = s.DeviceAuthorizationEndpoint
	started, err := config.DeviceAuth(c.with(ctx), r.options()...)
	if err != nil {
		return Login{}, convertError(ctx, s.DeviceAuthorizationEndpoint, err)
	}
	if started.DeviceCode == "" || started.UserCode == "" || !isWebAddress(started.VerificationURI) || started.Expiry.IsZero() {
		return Login{}, &client.InvalidResponseError{
			URL: originOf(s.DeviceAuthorizationEndpoint), Status: http.StatusOK, Err: errors.New("an incomplete code for a login"),
		}
	}
	if started.Interval <= 0 {
		started.Interval = defaultInterval
	}
	code := DeviceCode{UserCode: started.UserCode, VerificationURI: started.VerificationURI, ExpiresAt: started.Expiry}
	if isWebAddress(started.VerificationURIComplete) {
		code.CompleteURI = started.VerificationURIComplete
	}
	show(code)
	for {
		token, err := config.DeviceAccessToken(c.with(ctx), started)
		if err == nil {
			return c.newLogin(token, s)
		}
		_, isRequest := errors.AsType[*url.Error](err)
		switch {
		case ctx.Err() != nil:
			return Login{}, ctx.Err()
		case !isRequest && errors.Is(err, context.DeadlineExceeded):
			return Login{}, newError(http.StatusBadRequest, codeExpiredToken, "")
		}
		err = convertError(ctx, s.TokenEndpoint, err)
		refused, isRefusal := errors.AsType[*Error](err)
		if !isRequest && (!isRefusal || !refused.IsTemporary()) {
			return Login{}, err
		}
		started.Interval += slowerBy
	}
}

// isWebAddress reports whether text is the absolute address of a web page.
func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
