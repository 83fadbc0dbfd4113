package oauth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"docspace.dev/wsd/client"
)

// ClientID is the name under which wsctl is known to every server. It has no secret.
const ClientID = "wsctl"

// maxSecret is the maximum length of the secrets of a login.
const maxSecret = 4096

// Client makes the requests of a login. All fields are required.
type Client struct {
	HTTP      *http.Client
	Timeout   time.Duration // of a request
	UserAgent string
	Now       func() time.Time
}

// Request holds the wishes for a new login. Empty members are not sent; the server and the person who signs in choose them.
type Request struct {
	Scope        string // such as read
	DeviceName   string
	Organization string // id
}

func (r Request) options() []oauth2.AuthCodeOption {
	var options []oauth2.AuthCodeOption
	for name, value := range map[string]string{"scope": r.Scope, "device_name": r.DeviceName, "organization": r.Organization} {
		if value != "" {
			options = append(options, oauth2.SetAuthURLParam(name, value))
		}
	}
	return options
}

// Login is the credential of somebody who has signed in.
type Login struct {
	AccessToken        string    `json:"accessToken"`
	ExpiresAt          time.Time `json:"expiresAt"` // of the access token, by the clock of this computer
	RefreshToken       string    `json:"refreshToken"`
	Issuer             string    `json:"issuer"`
	TokenEndpoint      string    `json:"tokenEndpoint"`
	RevocationEndpoint string    `json:"revocationEndpoint"`
}

// Renew returns the login with a new access token and a new refresh secret. The previous refresh secret stays valid for a short time,
// in which the server answers it with the same successor. It returns an *Error if the server refuses, and a *client.TransportError if
// it cannot be reached.
func (c Client) Renew(ctx context.Context, l Login) (Login, error) {
	config := oauth2.Config{ClientID: ClientID, Endpoint: endpoint(l.TokenEndpoint)}
	token, err := config.TokenSource(c.with(ctx), &oauth2.Token{RefreshToken: l.RefreshToken}).Token()
	if err != nil {
		return Login{}, convertError(ctx, l.TokenEndpoint, err)
	}
	renewed, err := c.login(token, l.TokenEndpoint)
	renewed.Issuer, renewed.RevocationEndpoint = l.Issuer, l.RevocationEndpoint
	return renewed, err
}

// endpoint returns the configuration of a token endpoint. The client names itself in the parameters, because it has no secret.
func endpoint(token string) oauth2.Endpoint {
	return oauth2.Endpoint{TokenURL: token, AuthStyle: oauth2.AuthStyleInParams}
}

// newLogin returns the login of an answer of the server s.
func (c Client) newLogin(token *oauth2.Token, s Server) (Login, error) {
	l, err := c.login(token, s.TokenEndpoint)
	l.Issuer, l.RevocationEndpoint = s.Issuer, s.RevocationEndpoint
	return l, err
}

// login checks an answer of a token endpoint. The time of its end is counted by the clock of the Client.
func (c Client) login(token *oauth2.Token, tokenEndpoint string) (Login, error) {
	l := Login{
		AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, TokenEndpoint: tokenEndpoint,
		ExpiresAt: c.Now().Add(time.Duration(token.ExpiresIn) * time.Second).UTC(),
	}
	wrong := ""
	switch {
	case !isSecret(l.AccessToken):
		wrong = "no access token"
	case !isSecret(l.RefreshToken):
		wrong = "no refresh secret"
	case token.ExpiresIn <= 0:
		wrong = "no lifetime of the access token"
	case !strings.EqualFold(token.TokenType, "Bearer"):
		wrong = fmt.Sprintf("a token of the type %q", token.TokenType)
	default:
		return l, nil
	}
	return Login{}, &client.InvalidResponseError{
		URL: originOf(tokenEndpoint), Status: http.StatusOK, Err: fmt.Errorf("an answer with %s", wrong),
	}
}

// isSecret reports whether text can be sent as a bearer token.
func isSecret(text string) bool {
	return text != "" && len(text) <= maxSecret && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// with returns a context with which package oauth2 sends its requests by c. They end with ctx.
func (c Client) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.bound(ctx))
}

// bound returns an HTTP client whose requests end with ctx and follow no redirects.
func (c Client) bound(ctx context.Context) *http.Client {
	base := c.HTTP.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	return &http.Client{
		Transport:     transport{ctx: ctx, base: base, userAgent: c.UserAgent, timeout: c.Timeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// transport names the program in each request. The context of the login ends also those requests of package oauth2 that have none.
type transport struct {
	ctx       context.Context
	base      http.RoundTripper
	userAgent string
	timeout   time.Duration // until the body was read
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), t.timeout)
	stop := context.AfterFunc(t.ctx, cancel) //nolint:contextcheck // it ends the request, too
	r = r.Clone(ctx)
	r.Header.Set("User-Agent", t.userAgent)
	r.Header.Set("Accept", "application/json")
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		stop()
		cancel()
		return nil, err //nolint:wrapcheck // part of http.Client
	}
	answer.Body = &endingBody{ReadCloser: answer.Body, end: func() { stop(); cancel() }}
	return answer, nil
}
