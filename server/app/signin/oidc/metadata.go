package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"docspace.dev/wsd/client/api"
)

// metadata is the discovery document of a provider (OpenID Connect Discovery 1.0, RFC 8414).
type metadata struct {
	Issuer       string   `json:"issuer"`
	AuthURL      string   `json:"authorization_endpoint"`
	TokenURL     string   `json:"token_endpoint"`
	KeysURL      string   `json:"jwks_uri"`
	UserInfoURL  string   `json:"userinfo_endpoint"`
	AuthMethods  []string `json:"token_endpoint_auth_methods_supported"`
	Scopes       []string `json:"scopes_supported"`
	NamesIssuers bool     `json:"authorization_response_iss_parameter_supported"`
}

// Bounds of the memory for providers.
const (
	maxKept      = 10 * time.Minute // age of documents and keys
	maxProviders = 100
)

// known contains the documents of a provider that the client has read. It is not changed.
type known struct {
	metadata

	keys   keySet
	readAt time.Time
}

// discover returns the discovery document and the keys of an issuer, from memory if they are not too old. Whatever the number of
// sign-ins, one of them reads at a time.
func (c *Client) discover(ctx context.Context, issuer string) (known, error) {
	c.mu.Lock()
	k, ok := c.known[issuer]
	c.mu.Unlock()
	if age := c.now().Sub(k.readAt); ok && age >= 0 && age < maxKept {
		return k, nil
	}
	if reason := api.IssuerReason(issuer); reason != "" {
		return known{}, refuse(ReasonDiscovery, "the issuer "+reason)
	}
	shared := context.WithoutCancel(ctx) // ends by the time limit of requests
	read := c.reads.DoChan(issuer, func() (any, error) { return c.read(shared, issuer) })
	select {
	case <-ctx.Done():
		return known{}, ctx.Err()
	case result := <-read:
		if result.Err != nil {
			return known{}, result.Err
		}
		return result.Val.(known), nil
	}
}

// read reads the discovery document and the keys of an issuer.
func (c *Client) read(ctx context.Context, issuer string) (k known, err error) {
	if k.metadata, err = c.readMetadata(ctx, issuer); err != nil {
		return known{}, err
	}
	k.readAt = c.now()
	return c.readKeys(ctx, k)
}

// readKeys reads the keys of a provider and remembers them with its document, as long as that.
func (c *Client) readKeys(ctx context.Context, k known) (known, error) {
	data, err := c.get(ctx, k.KeysURL, "")
	if err != nil {
		return known{}, err
	}
	if k.keys, err = parseKeys(data); err != nil {
		return known{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[k.Issuer]; !ok && len(c.known) >= maxProviders {
		oldest := ""
		for issuer, other := range c.known {
			if oldest == "" || other.readAt.Before(c.known[oldest].readAt) {
				oldest = issuer
			}
		}
		delete(c.known, oldest)
	}
	c.known[k.Issuer] = k
	return k, nil
}

// readMetadata reads and checks the discovery document of an issuer.
func (c *Client) readMetadata(ctx context.Context, issuer string) (m metadata, err error) {
	data, err := c.get(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", "")
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, refuse(ReasonDiscovery, "the discovery document is no JSON object of the expected form")
	}
	if m.Issuer != issuer {
		return m, refuse(ReasonIssuer, fmt.Sprintf("the discovery document is of the issuer %q, want %q",
			printable(m.Issuer, maxCodeLength), issuer))
	}
	for _, e := range []struct{ name, address string }{
		{"authorization_endpoint", m.AuthURL},
		{"token_endpoint", m.TokenURL},
		{"jwks_uri", m.KeysURL},
		{"userinfo_endpoint", m.UserInfoURL},
	} {
		if e.name == "userinfo_endpoint" && e.address == "" {
			continue
		}
		if reason := endpointReason(issuer, e.address); reason != "" {
			return m, refuse(ReasonEndpoint, "the discovery document: "+e.name+" "+reason)
		}
	}
	return m, nil
}

// endpointReason returns why the address of an endpoint cannot be used, or "". An issuer on the loopback host may have endpoints
// there with http.
func endpointReason(issuer, address string) string {
	u, err := url.Parse(address)
	from, _ := url.Parse(issuer) // was checked
	switch {
	case address == "":
		return "is missing"
	case err != nil || !u.IsAbs() || u.Hostname() == "" || u.User != nil || u.Fragment != "":
		return "is not an absolute URL without user and fragment"
	case u.Scheme == "https":
		return ""
	case u.Scheme == "http" && from.Scheme == "http" && api.IsLoopbackHost(u.Hostname()):
		return ""
	}
	return "must begin with https://"
}

// authStyle returns how the client authenticates at the token endpoint. The default is that of the specification.
func (m metadata) authStyle() (oauth2.AuthStyle, error) {
	switch {
	case len(m.AuthMethods) == 0, slices.Contains(m.AuthMethods, "client_secret_basic"):
		return oauth2.AuthStyleInHeader, nil
	case slices.Contains(m.AuthMethods, "client_secret_post"):
		return oauth2.AuthStyleInParams, nil
	}
	return 0, refuse(ReasonClient, "the provider takes neither client_secret_basic nor client_secret_post at its token endpoint")
}
