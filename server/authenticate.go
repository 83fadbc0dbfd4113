package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// identity is what the first pipeline reads about the caller.
type identity struct {
	credential auth.Credential
	token      *store.Future[store.Record]
	used       *store.Future[string]
	rate       *store.Future[string]
}

// authenticate runs the request's one pipeline: the token, the shape's news (which bring the membership with its
// grants), and what the operation itself asked for. When the token does not hold, everything else is thrown away.
func (s *Server) authenticate(c *call) error {
	credential, present, err := auth.Bearer(c.request)
	if err != nil {
		return err
	}
	if !present && !c.endpoint.need.Tokenless() {
		return auth.Unauthenticated()
	}
	if err := s.admitUnknown(c, credential); err != nil {
		return err
	}
	b := s.store.Pipeline()
	c.principal = credential.User
	id := identity{credential: credential}
	if present {
		id.token = b.Record(store.TokenKey(credential.User, credential.Token))
		id.used = b.Value(store.UsedKey(credential.User, credential.Token))
		id.rate = b.Value(auth.RateKey(credential.User, s.clock()))
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
		return fmt.Errorf("token %s: %w", id.credential.Token, err)
	}
	if !ok {
		return auth.Unauthenticated()
	}
	var token store.TokenPrivate
	if err := json.Unmarshal(record.Private, &token); err != nil {
		return fmt.Errorf("token %s: %w", id.credential.Token, err)
	}
	door, opens := auth.Opens(token, id.credential.Secret, s.clock())
	if !opens {
		return auth.Unauthenticated()
	}
	c.caller = &access.Caller{
		User: id.credential.User, Token: id.credential.Token, Scopes: token.Scopes, Organization: token.Organization, Agent: token.Agent,
		Root: cmp.Or(token.Root, id.credential.Token), Ends: door.Ends, Replaced: door.Replaced, MadeAt: token.BoundSince,
	}
	if token.Organization != "" && token.BoundSince.IsZero() {
		var fields api.TokenFields
		if err := json.Unmarshal(record.Public, &fields); err != nil {
			return fmt.Errorf("token %s: %w", id.credential.Token, err)
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
	made := s.limiter.Pending(c.caller.User, now)
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
		err = errors.Join(err, s.store.Count(ctx, auth.RateKey(c.caller.User, now), made, 2*auth.RateWindow))
	}
	if err != nil {
		s.log.Debug("use of a token not noted", "token", c.caller.Token, "error", err)
	}
}
