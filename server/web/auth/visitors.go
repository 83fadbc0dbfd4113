package auth

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store/redis"
)

// VisitorTokenParam is the query parameter that holds a visitor's token.
const VisitorTokenParam = "jwt_token"

var (
	errNoVisitorToken = errors.New("there is none")
	errNoVisitorKey   = errors.New("the site has no key yet")
	errWrongAudience  = errors.New("it is for another site")
)

// Visitors verifies the tokens of visitors of sites with authentication.
type Visitors struct {
	sealer Sealer
	clock  redis.Clock
	log    *slog.Logger
	issuer string // issuer of the tokens that wsd signs itself: its public URL
}

// NewVisitors returns Visitors whose site keys are decrypted by s.
func NewVisitors(s Sealer, clock redis.Clock, log *slog.Logger, issuer string) *Visitors {
	return &Visitors{sealer: s, clock: clock, log: log, issuer: issuer}
}

// Claims returns a function that verifies a visitor's token with the key of a site, once per site.
func (v *Visitors) Claims(token string) access.ClaimsFunc {
	type outcome struct {
		claims map[string]any
		err    error
	}
	known := map[string]outcome{}
	return func(site string, n *access.Site) (map[string]any, error) {
		switch {
		case token == "":
			return nil, errNoVisitorToken
		case n == nil || n.VisitorKey == "":
			return nil, errNoVisitorKey
		}
		o, seen := known[site+n.VisitorKey]
		if !seen {
			o.claims, o.err = v.verify(site, n.VisitorKey, token)
			known[site+n.VisitorKey] = o
		}
		return o.claims, o.err
	}
}

// verify returns the claims of a token. It returns an error unless the token is signed by the site's key with HS256, not
// expired, already valid, and not for another site.
func (v *Visitors) verify(site, sealedKey, token string) (claims map[string]any, err error) {
	key, err := v.sealer.Decrypt(sealedKey, VisitorKeyPurpose(site)...)
	if err != nil {
		v.log.Error("visitors cannot be authenticated", "site", site, "error", err)
		return nil, errNoVisitorKey
	}
	found := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, found, func(*jwt.Token) (any, error) { return []byte(key), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithTimeFunc(v.clock))
	if err == nil {
		err = v.checkAudience(site, found)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// VisitorKeyPurpose returns the purpose of the encrypted key of a site.
func VisitorKeyPurpose(site string) []string { return []string{"site", site, "visitor key"} }

// checkAudience refuses a token signed by wsd for another site. Tokens signed by others may have any audience.
func (v *Visitors) checkAudience(site string, claims jwt.MapClaims) error {
	if issuer, _ := claims.GetIssuer(); issuer != v.issuer {
		return nil
	}
	if audience, err := claims.GetAudience(); err != nil || !slices.Contains(audience, site) {
		return errWrongAudience
	}
	return nil
}
