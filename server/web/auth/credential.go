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

// What tokens and their ids begin with.
const (
	tokenBrand  = "wsd"
	TokenPrefix = "t_"

	InviteBrand     = "wsi" // begins the secrets of invites
	LinkInviteBrand = "wsl" // and of invite links
)

// IsSecret reports whether a text looks like a token or like the secret of an invite. Where such a one stands in a path, it is
// neither logged nor kept in an event.
func IsSecret(text string) bool {
	brand, _, _ := strings.Cut(text, "_")
	_, isToken := ParseCredential(text)
	return isToken || (brand == InviteBrand || brand == LinkInviteBrand) && strings.Count(text, "_") == invitePartsBetween
}

// invitePartsBetween is how many times the secret of an invite has what is between its parts.
const invitePartsBetween = 3

// Credential is a bearer token taken apart: wsd_<user>_<token id>_<secret>, ids without their prefixes.
type Credential struct {
	User, Token string // ids
	Secret      string
}

// ParseCredential takes a bearer token apart. ok is false for what cannot be one.
func ParseCredential(text string) (Credential, bool) {
	parts := strings.SplitN(text, "_", 5)
	if len(parts) != 4 || parts[0] != tokenBrand {
		return Credential{}, false
	}
	c := Credential{User: txn.UserPrefix + parts[1], Token: TokenPrefix + parts[2], Secret: parts[3]}
	return c, redis.ValidID(c.User) && redis.ValidID(c.Token) && c.Secret != ""
}

// String is the token as its holder has it.
func (c Credential) String() string {
	return strings.Join([]string{
		tokenBrand, strings.TrimPrefix(c.User, txn.UserPrefix), strings.TrimPrefix(c.Token, TokenPrefix), c.Secret,
	}, "_")
}

// Digest is what is kept of a secret. It has 128 random bits or more, so a plain hash cannot be guessed backwards.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Unauthenticated asks for a token: 401.
func Unauthenticated() *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
}

// Bearer reads the Authorization header. present is false without one.
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

// Hash joins texts so that no two lists of texts give the same hash.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Opening is what a secret opens of a token.
type Opening struct {
	Ends     api.Time // when it closes; zero = never
	Replaced bool     // the secret is one that a rotation replaced
}

// Opens reports whether a secret opens a token now.
func Opens(token store.TokenPrivate, secret string, now time.Time) (Opening, bool) {
	given := []byte(Digest(secret))
	is := func(other string) bool { return subtle.ConstantTimeCompare([]byte(other), given) == 1 }
	d := Opening{Ends: token.ExpiresAt}
	switch {
	case is(token.Digest):
	case token.Old != nil && is(token.Old.Digest):
		if d.Replaced = true; d.Ends.IsZero() || token.Old.Until.Before(d.Ends.Time) {
			d.Ends = token.Old.Until
		}
	default:
		return d, false
	}
	return d, d.Ends.IsZero() || now.Before(d.Ends.Time)
}
