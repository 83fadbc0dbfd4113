package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Prefixes of tokens, secrets and token ids.
const (
	tokenPrefix = "wsd"
	TokenPrefix = "t_"

	InvitePrefix     = "wsi" // prefix of secrets of invites
	LinkInvitePrefix = "wsl" // prefix of secrets of invite links
)

// IsSecret reports whether text looks like a token or the secret of an invite. Such a text in a path is neither
// logged nor stored in an event.
func IsSecret(text string) bool {
	brand, _, _ := strings.Cut(text, "_")
	_, isToken := ParseCredential(text)
	return isToken || (brand == InvitePrefix || brand == LinkInvitePrefix) && strings.Count(text, "_") == inviteSeparators
}

// inviteSeparators is the number of separators in the secret of an invite.
const inviteSeparators = 3

// Credential is a parsed bearer token: wsd_<user>_<token id>_<secret>, ids without their prefixes.
type Credential struct {
	User, Token string // ids with their prefixes
	Secret      string
}

// ParseCredential parses a bearer token. It returns false if the text cannot be one.
func ParseCredential(text string) (Credential, bool) {
	parts := strings.SplitN(text, "_", 5)
	if len(parts) != 4 || parts[0] != tokenPrefix {
		return Credential{}, false
	}
	c := Credential{User: txn.UserPrefix + parts[1], Token: TokenPrefix + parts[2], Secret: parts[3]}
	return c, redis.ValidID(c.User) && redis.ValidID(c.Token) && c.Secret != ""
}

// ParseTokenName parses a bearer token, also without its secret, which ParseCredential requires. It returns the ids of the user
// and of the token, or false if the text cannot be one.
func ParseTokenName(text string) (user, token string, ok bool) {
	c, ok := ParseCredential(text)
	if !ok && strings.Count(text, "_") == 2 {
		c, ok = ParseCredential(text + "_-")
	}
	return c.User, c.Token, ok
}

// String returns the token in the form that a client sends.
func (c Credential) String() string {
	return strings.Join([]string{
		tokenPrefix, strings.TrimPrefix(c.User, txn.UserPrefix), strings.TrimPrefix(c.Token, TokenPrefix), c.Secret,
	}, "_")
}

// Digest returns the stored form of a secret. Secrets have at least 128 random bits, so a plain hash is sufficient.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// serviceDigest is the prefix of the stored form of the secrets of service accounts.
const serviceDigest = "service:"

// TokenDigest returns the stored form of the secret of a token. That of a token of a service account is longer than a digest, so that
// builds that do not know the limits of the token accept no secret for it.
func TokenDigest(token store.TokenPrivate, secret string) string {
	if token.Service != nil {
		return serviceDigest + Digest(secret)
	}
	return Digest(secret)
}

// Unauthenticated returns the 401 error for a request that needs a valid token.
func Unauthenticated() *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
}

// AccountDisabled returns the 401 error for a request with a token of a user whose account the operator has disabled.
func AccountDisabled() *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "The account of this token is disabled.").
		WithHint("Ask whoever runs the server.")
}

// TokenEndedHere returns the 403 error for a request in an organization for which an admin has ended the token.
func TokenEndedHere() *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonTokenEndedHere, "An admin of this organization has ended this token for it.").
		WithHint("Use a token that this one did not make, or ask an admin of the organization.")
}

// Bearer parses the Authorization header. present is false if there is none.
func Bearer(r *http.Request) (c Credential, present bool, err error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return Credential{}, false, nil
	}
	scheme, text, _ := strings.Cut(header, " ")
	c, ok := ParseCredential(strings.TrimSpace(text))
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return Credential{}, true, Unauthenticated()
	}
	return c, true, nil
}

// Hash returns a hash of a list of texts. It is injective: the boundaries of the texts are part of the input.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SecretMatch is the result of a successful check of a token's secret.
type SecretMatch struct {
	ExpiresAt  api.Time // expiry; zero = never
	IsReplaced bool     // the secret was replaced by a rotation
}

// MatchSecret reports whether secret is a valid secret of the token at the time now.
func MatchSecret(token store.TokenPrivate, secret string, now time.Time) (SecretMatch, bool) {
	digest := []byte(TokenDigest(token, secret))
	matches := func(other string) bool { return subtle.ConstantTimeCompare([]byte(other), digest) == 1 }
	opening := SecretMatch{ExpiresAt: token.ExpiresAt}
	switch {
	case matches(token.Digest):
	case token.Old != nil && matches(token.Old.Digest):
		if opening.IsReplaced = true; opening.ExpiresAt.IsZero() || token.Old.Until.Before(opening.ExpiresAt.Time) {
			opening.ExpiresAt = token.Old.Until
		}
	default:
		return opening, false
	}
	return opening, opening.ExpiresAt.IsZero() || now.Before(opening.ExpiresAt.Time)
}
