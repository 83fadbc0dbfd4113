package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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

	sessionPrefix = "wss" // of what cookies contain
	refreshPrefix = "wsr" // of refresh secrets
	codePrefix    = "wsc" // of codes of logins

	InvitePrefix     = "wsi" // prefix of secrets of invites
	LinkInvitePrefix = "wsl" // prefix of secrets of invite links
)

// IsSecret reports whether text looks like a token or the secret of an invite. Such a text in a path is neither
// logged nor stored in an event.
func IsSecret(text string) bool {
	brand, _, _ := strings.Cut(text, "_")
	for _, prefix := range []string{tokenPrefix, sessionPrefix, refreshPrefix, codePrefix} {
		if _, ok := parseCredential(prefix, text); ok {
			return true
		}
	}
	return (brand == InvitePrefix || brand == LinkInvitePrefix) && strings.Count(text, "_") == inviteSeparators
}

// inviteSeparators is the number of separators in the secret of an invite.
const inviteSeparators = 3

// Credential is a parsed bearer token: wsd_<user>_<token id>_<secret>, ids without their prefixes.
type Credential struct {
	User, Token string // ids with their prefixes
	Secret      string

	isSession bool // from a cookie
}

// ParseCredential parses a bearer token. It returns false if the text cannot be one.
func ParseCredential(text string) (Credential, bool) { return parseCredential(tokenPrefix, text) }

// ParseSession parses the session in a cookie.
func ParseSession(text string) (Credential, bool) { return parseCredential(sessionPrefix, text) }

// ParseRefresh parses the refresh secret of a login.
func ParseRefresh(text string) (Credential, bool) { return parseCredential(refreshPrefix, text) }

// ParseCode parses the code of a login.
func ParseCode(text string) (Credential, bool) { return parseCredential(codePrefix, text) }

func parseCredential(prefix, text string) (Credential, bool) {
	parts := strings.SplitN(text, "_", 5)
	if len(parts) != 4 || parts[0] != prefix {
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
func (c Credential) String() string { return c.text(tokenPrefix) }

// Session returns the credential as a session in a cookie.
func (c Credential) Session() string { return c.text(sessionPrefix) }

// Refresh returns the credential as a refresh secret.
func (c Credential) Refresh() string { return c.text(refreshPrefix) }

// Code returns the credential as the code of a login.
func (c Credential) Code() string { return c.text(codePrefix) }

func (c Credential) text(prefix string) string {
	return strings.Join([]string{
		prefix, strings.TrimPrefix(c.User, txn.UserPrefix), strings.TrimPrefix(c.Token, TokenPrefix), c.Secret,
	}, "_")
}

// Digest returns the stored form of a secret. Secrets have at least 128 random bits, so a plain hash is sufficient.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// serviceDigest is the prefix of the stored form of the secrets of service accounts.
const serviceDigest = "service:"

// signInDigest is the prefix of the stored form of the secrets of tokens of people who have signed in by a provider.
const signInDigest = "sign-in:"

// TokenDigest returns the stored form of the secret of a token. Those of a token of a service account, a login, a session and a sign-in
// by a provider are longer than a digest, so that builds that do not know their limits accept no secret for them.
func TokenDigest(token store.TokenPrivate, secret string) string {
	switch {
	case token.SignIn != nil:
		return signInDigest + Digest(secret)
	case token.Service != nil:
		return serviceDigest + Digest(secret)
	case token.Login != nil:
		return string(token.Login.Type) + ":" + Digest(secret)
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

// SignInURL returns the address at which members of an organization sign in.
func SignInURL(publicURL, org string) string {
	return publicURL + "/account/sign-in?organization=" + org
}

// SSORequired returns the 403 error for a request in an organization whose members sign in by a provider, with a token that comes of no
// such sign-in. address is where members sign in.
func SSORequired(address string) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonSSORequired, "In this organization, you sign in by its identity provider.").
		WithHint("Sign in at %s, or in a terminal: wsctl login", address)
}

// SignInEnded returns the 403 error for a request with a token of somebody who had signed in by a provider that the organization has
// removed, or as a member whose identity it has removed.
func SignInEnded(address string) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonSSORequired, "The organization has ended the sign-in of which this token comes.").
		WithHint("Sign in again at %s, or in a terminal: wsctl login", address)
}

// SignInEndedEverywhere is SignInEnded for a request outside of the organization: the 401 error for a token that opens nothing any more.
func SignInEndedEverywhere(address string) *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated,
		"The organization has ended the sign-in of which this token comes.").
		WithHint("Sign in again at %s, or in a terminal: wsctl login", address)
}

// newTokenHint says how a person gets another token than one that is too old.
const newTokenHint = "Whoever runs the server makes a new token: wsd token create --user EMAIL"

// TokenTooOldHere returns the 403 error for a request in an organization that accepts tokens of people up to a maximum age. The
// age of the token is counted from the time from.
func TokenTooOldHere(from api.Time, maxAge time.Duration, now time.Time) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonTokenTooOld,
		"Tokens of people end in this organization %d days after they were created. This one, or the first of those that made it, was "+
			"created %d days ago, at %s.", days(maxAge), days(now.Sub(from.Time)), from).WithHint(newTokenHint)
}

// TokenTooOld returns the 401 error for a request with a token of a person that has reached the maximum age of the server. The age
// of the token is counted from the time from.
func TokenTooOld(from api.Time, maxAge time.Duration) *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated,
		"Tokens of people end on this server %d days after they were created. This one, or the first of those that made it, was created "+
			"at %s.", days(maxAge), from).WithHint(newTokenHint)
}

// days returns the number of whole days of a duration.
func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

// sessionKey is the key of the session in a context.
type sessionKey struct{}

// WithSession returns a context for a request of a browser that is signed in with a session. Such requests have no Authorization header.
func WithSession(ctx context.Context, session Credential) context.Context {
	return context.WithValue(ctx, sessionKey{}, session)
}

// IsFor reports whether the credential was sent in the way that the token requires: sessions in cookies, other tokens in the
// Authorization header.
func (c Credential) IsFor(token store.TokenPrivate) bool {
	return c.isSession == (token.Login != nil && token.Login.Type == api.SessionToken)
}

// Bearer returns the credential of a request: the session of its context, or that of its Authorization header. present is false if
// there is none.
func Bearer(r *http.Request) (c Credential, present bool, err error) {
	if session, ok := r.Context().Value(sessionKey{}).(Credential); ok {
		session.isSession = true
		return session, true, nil
	}
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

// SecretMatch describes a secret of a token.
type SecretMatch struct {
	ExpiresAt  api.Time // expiry; zero = never
	IsReplaced bool     // the secret was replaced by a rotation
}

// HasEnded reports whether the secret has expired at the time now.
func (m SecretMatch) HasEnded(now time.Time) bool {
	return !m.ExpiresAt.IsZero() && !now.Before(m.ExpiresAt.Time)
}

// MatchSecret reports whether secret is a secret of a token that ends at the time ends, zero = never. The secret may have expired.
func MatchSecret(token store.TokenPrivate, secret string, ends api.Time) (SecretMatch, bool) {
	digest := []byte(TokenDigest(token, secret))
	matches := func(other string) bool { return subtle.ConstantTimeCompare([]byte(other), digest) == 1 }
	opening := SecretMatch{ExpiresAt: ends}
	switch {
	case matches(token.Digest):
		if token.Login != nil {
			opening.ExpiresAt = store.EarlierEnd(ends, token.Login.AccessUntil)
		}
	case token.Old != nil && matches(token.Old.Digest):
		if opening.IsReplaced = true; opening.ExpiresAt.IsZero() || token.Old.Until.Before(opening.ExpiresAt.Time) {
			opening.ExpiresAt = token.Old.Until
		}
	default:
		return opening, false
	}
	return opening, true
}

// IsAccessExpired reports whether a secret is the present one of a login and has expired at the time now, although the login has not.
func IsAccessExpired(token store.TokenPrivate, secret string, now time.Time) bool {
	if token.Login == nil || token.Login.AccessUntil.IsZero() || !token.ExpiresAt.After(now) {
		return false
	}
	match, ok := MatchSecret(token, secret, token.ExpiresAt)
	return ok && !match.IsReplaced && match.HasEnded(now)
}
