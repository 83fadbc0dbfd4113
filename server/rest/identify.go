package rest

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
	"docspace.dev/wsd/store/txn"
)

// identity is what the first pipeline reads about the caller.
type identity struct {
	credential auth.Credential
	token      *txn.Future[txn.Record]
	used       *txn.Future[string]
	rate       *txn.Future[string]
}

// authenticate runs the request's one pipeline: the token, the organization's news (which bring the membership with its
// grants), and what the operation itself asked for. When the token does not hold, everything else is thrown away.
func (p *Pipeline) authenticate(c *Call) error {
	credential, present, err := auth.Bearer(c.Request)
	if err != nil {
		return err
	}
	if !present && !c.Endpoint.Need.Tokenless() {
		return auth.Unauthenticated()
	}
	if err := p.chargeUnknown(c, credential); err != nil {
		return err
	}
	b := p.store.Pipeline()
	c.Principal = credential.User
	id := identity{credential: credential}
	if present {
		id.token = b.Record(store.TokenKey(credential.User, credential.Token))
		id.used = b.Value(store.UsedKey(credential.User, credential.Token))
		id.rate = b.Value(auth.RateKey(credential.User, p.clock()))
	}
	if c.Org != "" {
		c.Model = b.ShapeNews(c.Org)
	}
	if c.Endpoint.prefetch != nil {
		c.Endpoint.prefetch(c, b)
	}
	if err := b.Do(c.ctx); err != nil {
		return fmt.Errorf("read for the request: %w", err)
	}
	if !present {
		c.Caller = &access.Caller{}
		if err := p.charge(c, ""); err != nil {
			return err
		}
		return c.inform()
	}
	return p.identify(c, id)
}

// inform takes in what the pipeline read of the organization. It comes after everything that may refuse the caller:
// who is refused leaves no model in memory.
func (c *Call) inform() error {
	if c.Model == nil {
		return nil
	}
	if err := c.Model.Apply(c.ctx); err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	return nil
}

// identify turns what was read into the Caller.
func (p *Pipeline) identify(c *Call, id identity) error {
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
	door, opens := auth.Opens(token, id.credential.Secret, p.clock())
	if !opens {
		return auth.Unauthenticated()
	}
	c.Caller = &access.Caller{
		User: id.credential.User, Token: id.credential.Token, Scopes: token.Scopes, Organization: token.Organization, Agent: token.Agent,
		Root: cmp.Or(token.Root, id.credential.Token), Ends: door.Ends, Replaced: door.Replaced, MadeAt: token.BoundSince,
	}
	if token.Organization != "" && token.BoundSince.IsZero() {
		var fields api.TokenFields
		if err := json.Unmarshal(record.Public, &fields); err != nil {
			return fmt.Errorf("token %s: %w", id.credential.Token, err)
		}
		c.Caller.MadeAt = fields.CreatedAt
	}
	c.lastUse, _, _ = id.used.Get()
	told, _, _ := id.rate.Get()
	if err := p.charge(c, told); err != nil {
		return err
	}
	if err := c.inform(); err != nil {
		return err
	}
	if c.Org != "" {
		c.join()
	}
	return nil
}

// join adds what the membership gives; an organization that the token is not for looks like one without. It comes into
// the read set as a whole: whatever changes it, the request is authorized anew.
func (c *Call) join() {
	c.Access(func(sh *access.Model) {
		p := sh.Member(c.Caller.User)
		if p == nil || !c.Caller.WorksIn(c.Org, p.JoinedAt) {
			return
		}
		c.Caller = sh.CallerOf(c.Caller, p)
		c.Guards = append(c.Guards, txn.FieldGuard(txn.ShapesKey(c.Org), c.Caller.User, p.Entry, true))
	})
}

// touch remembers when the token was used, to the minute, and what its user has used up. It does so after the answer:
// it must not slow one down.
func (p *Pipeline) touch(ctx context.Context, c *Call, w *recorder) {
	if c.Caller == nil || c.Caller.Token == "" {
		return
	}
	now := p.clock()
	used := strconv.FormatInt(now.Truncate(time.Minute).Unix(), 10)
	made := p.limiter.Pending(c.Caller.User, now)
	if used == c.lastUse && made == 0 {
		return
	}
	_ = http.NewResponseController(w).Flush()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	var err error
	if used != c.lastUse {
		err = p.store.Touch(ctx, store.UsedKey(c.Caller.User, c.Caller.Token), used)
	}
	if made > 0 {
		err = errors.Join(err, p.store.Count(ctx, auth.RateKey(c.Caller.User, now), made, 2*auth.RateWindow))
	}
	if err != nil {
		p.log.Debug("use of a token not noted", "token", c.Caller.Token, "error", err)
	}
}
