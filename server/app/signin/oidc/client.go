package oidc

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// Provider is an OpenID Connect provider and the client that it has made for this service.
type Provider struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	RedirectURL  string // where the provider sends the browser back to
	TeamClaim    string // claim with the groups of a person; "" = none
}

// Start is the beginning of a sign-in. The browser goes to Address; the other values are needed to finish the sign-in.
type Start struct {
	Address  string `json:"address,omitempty"`  // at the provider
	State    string `json:"state,omitempty"`    // binds the callback to the browser
	Nonce    string `json:"nonce,omitempty"`    // binds the ID token to the sign-in
	Verifier string `json:"verifier,omitempty"` // of PKCE: binds the code to the sign-in
}

// Client talks to OpenID Connect providers. It remembers what it has read of a provider for a few minutes. It is safe for concurrent
// use.
type Client struct {
	http *http.Client
	now  func() time.Time

	reads singleflight.Group // of discovery documents and keys, by issuer
	mu    sync.Mutex
	known map[string]known // by issuer
}

// NewClient returns a client that sends requests with the transport of an HTTP client, as of fetch.Client.Transport, which decides to
// which addresses it connects. Redirects are not followed, and no cookies are kept.
func NewClient(h *http.Client, now func() time.Time) *Client {
	next := h.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	return &Client{
		http: &http.Client{
			Transport:     transport{next},
			Timeout:       maxWait,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now: now, known: map[string]known{},
	}
}

// SignedIn is the result of a sign-in.
type SignedIn struct {
	Identity

	Refresh string // refresh token; "" = the provider has sent none
}

// config returns the configuration of the flow. It asks for a refresh token where the provider says that there is a scope for it.
func (p Provider) config(m metadata) (oauth2.Config, error) {
	style, err := m.authStyle()
	scopes := []string{goidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(m.Scopes, goidc.ScopeOfflineAccess) {
		scopes = append(scopes, goidc.ScopeOfflineAccess)
	}
	return oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.RedirectURL,
		Endpoint: oauth2.Endpoint{AuthURL: m.AuthURL, TokenURL: m.TokenURL, AuthStyle: style}, Scopes: scopes,
	}, err
}

// Start begins a sign-in: the authorization code flow with PKCE (S256), state and nonce, all of them random. It returns an Error if
// the provider cannot be used, and an error that wraps ErrUnavailable if it does not answer.
func (c *Client) Start(ctx context.Context, p Provider) (Start, error) {
	k, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return Start{}, err
	}
	config, err := p.config(k.metadata)
	if err != nil {
		return Start{}, err
	}
	s := Start{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	s.Address = config.AuthCodeURL(s.State, goidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier))
	return s, nil
}

// Finish ends a sign-in with the parameters of the callback, and returns who has signed in. It returns an Error if the answer of the
// provider is refused, and an error that wraps ErrUnavailable if the provider does not answer. A code works once, so a sign-in
// whose Finish has failed begins again.
func (c *Client) Finish(ctx context.Context, p Provider, s Start, q url.Values) (in SignedIn, err error) {
	if err := checkState(s, q); err != nil {
		return in, err
	}
	k, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return in, err
	}
	code, err := readCode(p, k.metadata, q)
	if err != nil {
		return in, err
	}
	token, idToken, err := c.exchange(ctx, p, k.metadata, code, s.Verifier)
	if err != nil {
		return in, err
	}
	found, err := c.verify(ctx, p, k, idToken)
	if err != nil {
		return in, err
	}
	if err := checkNonce(found, s.Nonce); err != nil {
		return in, err
	}
	if found, err = c.addUserInfo(ctx, p, k.metadata, token.AccessToken, found); err != nil {
		return in, err
	}
	in.Identity, err = found.identity(p)
	in.Refresh = token.RefreshToken
	return in, err
}
