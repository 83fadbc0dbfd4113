package server

import (
	"errors"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/server/access"
)

// visitorTokenParam is the query parameter that holds a visitor's token.
const visitorTokenParam = "jwt_token"

var (
	errNoVisitorToken = errors.New("there is none")
	errNoVisitorKey   = errors.New("the site has no key yet")
)

// visitorClaims reads a visitor's token by the key of each site that asks, once.
func (s *Server) visitorClaims(token string) access.ClaimsOf {
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
			o.claims, o.err = s.verifyVisitor(site, n.VisitorKey, token)
			known[site+n.VisitorKey] = o
		}
		return o.claims, o.err
	}
}

// verifyVisitor checks a token: signed with HS256 and nothing else, by the site's key, not expired and already valid.
func (s *Server) verifyVisitor(site, sealedKey, token string) (claims map[string]any, err error) {
	key, err := s.sealer.open(sealedKey, visitorKeyPurpose(site)...)
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

// visitorKeyPurpose binds a sealed key to its site.
func visitorKeyPurpose(site string) []string { return []string{"site", site, "visitor key"} }
