package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
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
	parts := strings.SplitN(text, "_", 5)
	if len(parts) != 4 || parts[0] != tokenBrand {
		return credential{}, false
	}
	c := credential{user: store.UserPrefix + parts[1], token: tokenPrefix + parts[2], secret: parts[3]}
	return c, redis.ValidID(c.user) && redis.ValidID(c.token) && c.secret != ""
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
	used       *store.Future[string]
	rate       *store.Future[string]
}

// authenticate runs the request's one pipeline: the token, the shape's news (which bring the membership with its
// grants), and what the operation itself asked for. When the token does not hold, everything else is thrown away.
func (s *Server) authenticate(c *call) error {
	credential, present, err := bearer(c.request)
	if err != nil {
		return err
	}
	if !present && !c.endpoint.need.tokenless() {
		return unauthenticated()
	}
	if err := s.admitUnknown(c, credential); err != nil {
		return err
	}
	b := s.store.Pipeline()
	c.principal = credential.user
	id := identity{credential: credential}
	if present {
		id.token = b.Record(store.TokenKey(credential.user, credential.token))
		id.used = b.Value(store.UsedKey(credential.user, credential.token))
		id.rate = b.Value(rateKey(credential.user, s.clock()))
	}
	if c.org != "" {
		c.shape = b.ShapeNews(c.org)
	}
	if c.endpoint.prefetch != nil {
		c.endpoint.prefetch(c, b)
	}
	if err := b.Do(c.ctx); err != nil {
		return fmt.Errorf("read for the request: %w", err)
	}
	if !present {
		c.caller = &access.Caller{}
		if err := s.admit(c, ""); err != nil {
			return err
		}
		return c.inform()
	}
	return s.identify(c, id)
}

// inform takes in what the pipeline read of the organization. It comes after everything that may refuse the caller:
// who is refused leaves no model in memory.
func (c *call) inform() error {
	if c.shape == nil {
		return nil
	}
	if err := c.shape.Apply(c.ctx); err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	return nil
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
	door, opens := opened(token, id.credential.secret, s.clock())
	if !opens {
		return unauthenticated()
	}
	c.caller = &access.Caller{
		User: id.credential.user, Token: id.credential.token, Scopes: token.Scopes, Organization: token.Organization, Agent: token.Agent,
		Root: orDefault(token.Root, id.credential.token), Ends: door.ends, Replaced: door.replaced, MadeAt: token.BoundSince,
	}
	if token.Organization != "" && token.BoundSince.IsZero() {
		var fields api.TokenFields
		if err := json.Unmarshal(record.Public, &fields); err != nil {
			return fmt.Errorf("token %s: %w", id.credential.token, err)
		}
		c.caller.MadeAt = fields.CreatedAt
	}
	c.lastUse, _, _ = id.used.Get()
	told, _, _ := id.rate.Get()
	if err := s.admit(c, told); err != nil {
		return err
	}
	if err := c.inform(); err != nil {
		return err
	}
	if c.org != "" {
		c.join()
	}
	return nil
}

// join adds what the membership gives; an organization that the token is not for looks like one without. It comes into
// the read set as a whole: whatever changes it, the request is authorized anew.
func (c *call) join() {
	c.withShape(func(sh *access.Model) {
		p := sh.Member(c.caller.User)
		if p == nil || !c.caller.WorksIn(c.org, p.JoinedAt) {
			return
		}
		c.caller = sh.CallerOf(c.caller, p)
		c.guards = append(c.guards, store.FieldGuard(store.ShapesKey(c.org), c.caller.User, p.Entry, true))
	})
}

// touch remembers when the token was used, to the minute, and what its user has used up. It does so after the answer:
// it must not slow one down.
func (s *Server) touch(ctx context.Context, c *call, w *recorder) {
	if c.caller == nil || c.caller.Token == "" {
		return
	}
	now := s.clock()
	used := strconv.FormatInt(now.Truncate(time.Minute).Unix(), 10)
	made := s.limiter.untold(c.caller.User, now)
	if used == c.lastUse && made == 0 {
		return
	}
	_ = http.NewResponseController(w).Flush()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	var err error
	if used != c.lastUse {
		err = s.store.Touch(ctx, store.UsedKey(c.caller.User, c.caller.Token), used)
	}
	if made > 0 {
		err = errors.Join(err, s.store.Count(ctx, rateKey(c.caller.User, now), made, 2*rateWindow))
	}
	if err != nil {
		s.log.Debug("use of a token not noted", "token", c.caller.Token, "error", err)
	}
}
