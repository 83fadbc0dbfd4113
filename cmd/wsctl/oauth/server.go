package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// metadataPath is the path at which a server describes its authorization server (RFC 8414).
const metadataPath = "/.well-known/oauth-authorization-server"

// Server is the metadata of an authorization server.
type Server struct {
	Issuer                      string `json:"issuer"`
	AuthorizationEndpoint       string `json:"authorization_endpoint"`
	TokenEndpoint               string `json:"token_endpoint"`
	DeviceAuthorizationEndpoint string `json:"device_authorization_endpoint"`
	RevocationEndpoint          string `json:"revocation_endpoint"`
}

// Discover returns the authorization server of the wsd at base, which c calls. It returns an *Error if there is none, or if an
// endpoint has another origin than base.
func Discover(ctx context.Context, c *client.Client, base string) (Server, error) {
	var s Server
	response, err := c.Do(ctx, client.Request{Method: http.MethodGet, Path: metadataPath})
	if isNotFound(err) {
		return s, &Error{
			Message: "the server at " + originOf(base) + " has no login in a browser",
			Hint:    "wsctl auth login --with-token < token.txt",
		}
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(response.Body, &s); err != nil {
		return s, &client.InvalidResponseError{URL: originOf(base), Status: response.Status, Err: err}
	}
	return s, s.check(base)
}

// isNotFound reports whether err is a 404, of wsd or of any other program.
func isNotFound(err error) bool {
	if refused, ok := api.AsError(err); ok {
		return refused.Code == http.StatusNotFound
	}
	invalid, ok := errors.AsType[*client.InvalidResponseError](err)
	return ok && invalid.Status == http.StatusNotFound
}

// check returns an error unless all addresses are there and of the origin of base.
func (s Server) check(base string) error {
	for _, member := range []struct{ name, address string }{
		{"issuer", s.Issuer},
		{"authorization_endpoint", s.AuthorizationEndpoint},
		{"token_endpoint", s.TokenEndpoint},
		{"device_authorization_endpoint", s.DeviceAuthorizationEndpoint},
		{"revocation_endpoint", s.RevocationEndpoint},
	} {
		switch {
		case member.address == "":
			return &Error{
				Message: fmt.Sprintf("the server at %s describes its login without %s", originOf(base), member.name),
				Hint:    "wsctl auth login --with-token < token.txt",
			}
		case !SameOrigin(member.address, base):
			return &Error{
				Message: fmt.Sprintf("the server at %s has its login at another address (%s is %s)", originOf(base), member.name,
					originOf(member.address)),
				Hint: "if that is the address of the server: wsctl login --url " + originOf(member.address),
			}
		}
	}
	return nil
}

// SameOrigin reports whether two addresses have the same scheme, host and port.
func SameOrigin(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.User == nil && x.Host != "" && x.Scheme == y.Scheme && hostOf(x) == hostOf(y)
}

// hostOf returns the host and port of a URL in a form that can be compared.
func hostOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// originOf returns the scheme and host of an address, for messages and hints.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
