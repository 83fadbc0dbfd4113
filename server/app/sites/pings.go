package sites

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) pingEndpoints() []rest.Endpoint {
	return []rest.Endpoint{rest.Write(api.PingMember, auth.Member(), s.pingMember).On(rest.Organization)}
}

// visitorClaimsLifetime is the validity of the visitor token returned by a ping.
const visitorClaimsLifetime = time.Hour

// memberClaims are the claims of a member as a visitor of a site of the organization.
type memberClaims struct {
	jwt.RegisteredClaims
	Name         string `json:"name"`
	Email        string `json:"email,omitzero"`
	Organization string `json:"organization"`
	Role         string `json:"role"` // role in the organization
}

// guestRoleClaim is the role claim of guests. It is not null, because conditions compare strings.
const guestRoleClaim = "guest"

// pingMember stores the time at which the caller was last seen. It creates no event.
func (s *Service) pingMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.PingInput) (rest.Result[api.Ping], error) {
	tx.SetField(store.SeenKey(c.Org), c.Caller.User, strconv.FormatInt(tx.Now().UnixMilli(), 10))
	claims, err := s.signMemberClaims(c, in.Site, tx.Now())
	if err != nil {
		return rest.Result[api.Ping]{}, err
	}
	result, err := rest.Value(api.Ping{ServiceVisitorClaims: claims})
	result.Quiet = true
	result.Unchanged = claims != "" // not stored as idempotent result, because it contains a token
	return result, err
}

// signMemberClaims returns a visitor token for the caller, a member, and the named site, or the only site of the
// organization for authenticated visitors. It returns "" if there is no such site or key.
func (s *Service) signMemberClaims(c *rest.Call, site string, now time.Time) (token string, err error) {
	named := site != ""
	var sealed string
	var user api.UserFields
	c.Access(func(model *access.Model) {
		if p := model.Member(c.Caller.User); p != nil {
			user = p.User
		}
		site, sealed = model.VisitorSite(c.Caller, site)
	})
	switch {
	case site == "" && named:
		return "", api.InvalidParam(api.FieldError{Path: "site", Message: "is not a site for authenticated visitors of this organization"})
	case sealed == "" && named:
		return "", api.WrongState("The site has no key yet to sign visitors' tokens with.").WithHint(
			"Somebody who may change it makes one: wsctl sites regenerate-auth %s", site)
	case sealed == "":
		return "", nil
	}
	key, err := s.Sealer.Decrypt(sealed, auth.VisitorKeyPurpose(site)...)
	if err != nil {
		s.Log.Error("the claims of a ping cannot be signed", "site", site, "error", err)
		if named {
			return "", err
		}
		return "", nil
	}
	token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, memberClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: s.PublicURL, Subject: c.Caller.User, Audience: jwt.ClaimStrings{site},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(visitorClaimsLifetime)),
		},
		Name: user.DisplayName, Email: user.Email, Organization: c.Org, Role: cmp.Or(string(c.Caller.Role), guestRoleClaim),
	}).SignedString([]byte(key))
	if err != nil {
		err = fmt.Errorf("sign visitor claims: %w", err)
	}
	return token, err
}
