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
	errOtherSite      = errors.New("it is for another site")
)

// Visitors proves who comes to a site for authenticated visitors.
type Visitors struct {
	sealer Sealer
	clock  redis.Clock
	log    *slog.Logger
	issuer string // of the tokens that wsd signs itself: its public URL
}

// NewVisitors returns visitors whose keys a sealer opens.
func NewVisitors(s Sealer, clock redis.Clock, log *slog.Logger, issuer string) *Visitors {
	return &Visitors{sealer: s, clock: clock, log: log, issuer: issuer}
}

// Claims reads a visitor's token by the key of each site that asks, once.
func (s *Visitors) Claims(token string) access.ClaimsOf {
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
			o.claims, o.err = s.verify(site, n.VisitorKey, token)
			known[site+n.VisitorKey] = o
		}
		return o.claims, o.err
	}
}

// verify checks a token: signed with HS256 and nothing else, by the site's key, not expired and already valid.
func (s *Visitors) verify(site, sealedKey, token string) (claims map[string]any, err error) {
	key, err := s.sealer.Decrypt(sealedKey, VisitorKeyPurpose(site)...)
	if err != nil {
		s.log.Error("visitors cannot be authenticated", "site", site, "error", err)
		return nil, errNoVisitorKey
	}
	found := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, found, func(*jwt.Token) (any, error) { return []byte(key), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.clock))
	if err == nil {
		err = s.checkAudience(site, found)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// VisitorKeyPurpose binds a sealed key to its site.
func VisitorKeyPurpose(site string) []string { return []string{"site", site, "visitor key"} }

// checkAudience refuses a token of a ping that was not made for the site. Tokens that others sign may have any audience.
func (s *Visitors) checkAudience(site string, claims jwt.MapClaims) error {
	if issuer, _ := claims.GetIssuer(); issuer != s.issuer {
		return nil
	}
	if audience, err := claims.GetAudience(); err != nil || !slices.Contains(audience, site) {
		return errOtherSite
	}
	return nil
}
