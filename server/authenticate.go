package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// credential is a bearer token taken apart: wsd_<user>_<token id>_<secret>, ids without their prefixes.
type credential struct {
	user, token string // ids
	secret      string
}

const (
	tokenBrand  = "wsd"
	tokenPrefix = "t_"
)

func parseCredential(text string) (credential, bool) {
	parts := strings.Split(text, "_")
	if len(parts) != 4 || parts[0] != tokenBrand {
		return credential{}, false
	}
	c := credential{user: store.UserPrefix + parts[1], token: tokenPrefix + parts[2], secret: parts[3]}
	return c, store.ValidID(c.user) && store.ValidID(c.token) && c.secret != ""
}

func (c credential) String() string {
	return strings.Join([]string{
		tokenBrand, strings.TrimPrefix(c.user, store.UserPrefix), strings.TrimPrefix(c.token, tokenPrefix), c.secret,
	}, "_")
}

// digest is what is kept of a secret. It has 128 random bits or more, so a plain hash cannot be guessed backwards.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func unauthenticated() *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
}

// bearer reads the Authorization header. present is false without one.
func bearer(r *http.Request) (c credential, present bool, err error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return credential{}, false, nil
	}
	scheme, text, _ := strings.Cut(header, " ")
	c, ok := parseCredential(strings.TrimSpace(text))
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return credential{}, true, unauthenticated()
	}
	return c, true, nil
}

// identity is what the first pipeline reads about the caller.
type identity struct {
	credential credential
	token      *store.Future[store.Record]
	member     *store.Future[store.Record]
	grants     *store.Future[map[string]string]
	teams      *store.Future[[]string]
	used       *store.Future[string]
}

// authenticate runs the request's one pipeline: the token, the membership with its grants and teams, the shape's
// news, and what the operation itself asked for. When the token does not hold, everything else is thrown away.
func (s *Server) authenticate(c *call) error {
	credential, present, err := bearer(c.request)
	if err != nil {
		return err
	}
	if !present && c.endpoint.need.kind != anybody {
		return unauthenticated()
	}
	b := s.store.Pipeline()
	c.principal = credential.user
	id := identity{credential: credential}
	if present {
		id.token = b.Record(store.TokenKey(credential.user, credential.token))
		id.used = b.Value(store.UsedKey(credential.user, credential.token))
	}
	if c.org != "" {
		c.shape = b.Shape(c.org)
		if present {
			id.member = b.Record(store.MemberKey(c.org, credential.user))
			id.grants = b.HashAll(store.GrantsKey(c.org, credential.user))
			id.teams = b.Members(store.TeamsKey(c.org, credential.user))
		}
	}
	if c.endpoint.prefetch != nil {
		c.endpoint.prefetch(s, c, b)
	}
	if err := b.Do(c.ctx); err != nil {
		return fmt.Errorf("read for the request: %w", err)
	}
	if !present {
		c.caller = &Caller{}
		return nil
	}
	return s.identify(c, id)
}

// identify turns what was read into the Caller.
func (s *Server) identify(c *call, id identity) error {
	record, ok, err := id.token.Get()
	if err != nil {
		return fmt.Errorf("token %s: %w", id.credential.token, err)
	}
	if !ok {
		return unauthenticated()
	}
	var token store.TokenPrivate
	if err := json.Unmarshal(record.Private, &token); err != nil {
		return fmt.Errorf("token %s: %w", id.credential.token, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Digest), []byte(digest(id.credential.secret))) != 1 {
		return unauthenticated()
	}
	if !token.ExpiresAt.IsZero() && !s.clock().Before(token.ExpiresAt.Time) {
		return unauthenticated()
	}
	c.caller = &Caller{
		User: id.credential.user, Token: id.credential.token, Scopes: token.Scopes, Organization: token.Organization,
	}
	c.lastUse, _, _ = id.used.Get()
	if c.org == "" || token.Organization != "" && token.Organization != c.org {
		return nil // an organization that the token is not for looks like one without a membership
	}
	return c.join(id)
}

// join adds what the membership gives.
func (c *call) join(id identity) error {
	record, ok, err := id.member.Get()
	if err != nil {
		return fmt.Errorf("member %s of %s: %w", c.caller.User, c.org, err)
	}
	if !ok {
		return nil
	}
	member := &store.MemberPrivate{}
	if err := json.Unmarshal(record.Private, member); err != nil {
		return fmt.Errorf("member %s of %s: %w", c.caller.User, c.org, err)
	}
	c.caller.member, c.caller.Role = member, member.Role
	c.guards = append(c.guards, store.RecordGuard(store.MemberKey(c.org, c.caller.User), record.Version))
	c.caller.Grants = map[string]api.Role{}
	grants, _, _ := id.grants.Get()
	for content, role := range grants {
		c.caller.Grants[content] = api.Role(role)
		c.guards = append(c.guards, store.FieldGuard(store.GrantsKey(c.org, c.caller.User), content, role, true))
	}
	c.caller.Teams = map[string]bool{}
	teams, _, _ := id.teams.Get()
	for _, team := range teams {
		c.caller.Teams[team] = true
	}
	return nil
}

// touch remembers when the token was used, to the minute and after the answer: it must not slow one down.
func (s *Server) touch(ctx context.Context, c *call, w *recorder) {
	if c.caller == nil || c.caller.Token == "" {
		return
	}
	now := strconv.FormatInt(s.clock().Truncate(time.Minute).Unix(), 10)
	if now == c.lastUse {
		return
	}
	_ = http.NewResponseController(w).Flush()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	if err := s.store.Touch(ctx, store.UsedKey(c.caller.User, c.caller.Token), now); err != nil {
		s.log.Debug("last use not noted", "token", c.caller.Token, "error", err)
	}
}
