package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// errorInvalidGrant is the code of the error for a refresh token that has ended, or that was revoked (RFC 6749, 5.2).
const errorInvalidGrant = "invalid_grant"

// IsRevoked reports whether err is the answer of a provider that a refresh token does not work any more.
func IsRevoked(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Reason == ReasonRefused && refused.Code == errorInvalidGrant
}

// Refresh asks the provider, with a refresh token, whether a person may still sign in. The answer has the refresh token for the next
// time. Of the identity, it has the members that the provider has sent; HasTeams says whether the claim with the groups is among them.
// Its errors are those of Finish.
func (c *Client) Refresh(ctx context.Context, p Provider, subject, refresh string) (in SignedIn, err error) {
	k, err := c.discover(ctx, p.Issuer)
	if err != nil {
		return in, err
	}
	config, err := p.config(k.metadata)
	if err != nil {
		return in, err
	}
	source := config.TokenSource(goidc.ClientContext(ctx, c.http), &oauth2.Token{RefreshToken: refresh})
	token, err := source.Token()
	if err != nil {
		return in, exchangeError(k.metadata, err)
	}
	in.Refresh = token.RefreshToken // of the answer, or else the one that was sent
	idToken, err := idTokenOf(token)
	if err != nil {
		return in, err
	}
	found, err := subjectClaims(subject)
	if err == nil && idToken != "" { // which it need not have (OpenID Connect Core 1.0, section 12.2)
		found, err = c.verify(ctx, p, k, idToken)
	}
	if err != nil {
		return in, err
	}
	if other, _ := found.text("sub"); other != subject {
		return in, refuse(ReasonClaims, fmt.Sprintf("the refresh token is of another person: its ID token is about %q",
			printable(other, maxSubject)))
	}
	if found, err = c.addUserInfo(ctx, p, k.metadata, token.AccessToken, found); err != nil {
		return in, err
	}
	in.Identity, err = found.identity(p)
	return in, err
}

// subjectClaims returns the claims of a person of whom only the subject is known.
func subjectClaims(subject string) (claims, error) {
	value, err := json.Marshal(subject)
	if err != nil {
		return nil, fmt.Errorf("encode a subject: %w", err)
	}
	return claims{"sub": value}, nil
}
