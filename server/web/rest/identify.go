package rest

import (
	"cmp"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// identity is what the first pipeline reads about the caller.
type identity struct {
	credential auth.Credential
	token      *txn.Future[txn.Record]
	used       *txn.Reply[string]
	rate       *txn.Reply[string]
}

// read makes the request's one trip: the token, the organization's news (which bring the membership with its grants),
// and what the operation itself asked for. When the token does not hold, everything else is thrown away.
func (p *Pipeline) read(c *Call) (id identity, err error) {
	credential, present, err := auth.Bearer(c.Request)
	if err != nil {
		return id, err
	}
	if !present && !c.Endpoint.Need.Tokenless() {
		return id, auth.Unauthenticated()
	}
	if err := p.chargeUnknown(c, credential); err != nil {
		return id, err
	}
	b := p.store.Pipeline()
	c.Principal = credential.User
	id = identity{credential: credential}
	if present {
		id.token = b.Record(store.TokenKey(credential.User, credential.Token))
		id.used = b.Value(store.UsedKey(credential.User, credential.Token))
		id.rate = b.Value(auth.RateKey(credential.User, p.clock()))
	}
	if c.Org != "" {
		c.Model = b.News(c.Org)
	}
	if c.Endpoint.prefetch != nil {
		c.Endpoint.prefetch(c, b)
	}
	if err := b.Do(c.ctx); err != nil {
		return id, fmt.Errorf("read for the request: %w", err)
	}
	return id, nil
}

// counted is how many requests of the user all nodes have counted in this minute.
func (id identity) counted() string {
	if id.rate == nil {
		return ""
	}
	counted := id.rate.Value()
	return counted
}

// identify turns what was read into the Caller: nobody, where there is no token.
func (p *Pipeline) identify(c *Call, id identity) error {
	if id.token == nil {
		c.Caller = &access.Caller{}
		return nil
	}
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
	c.lastUse = id.used.Value()
	return p.bounded(c.ctx, c.Caller, token.Installation)
}

// rests refuses a token for a single organization while that is in the trash. In the organization itself there is nothing
// for anybody; elsewhere it takes a trip.
func (p *Pipeline) rests(c *Call) error {
	org := c.Caller.Organization
	if org == "" || org == c.Org {
		return nil
	}
	b := p.store.Pipeline()
	entry := b.Field(txn.EntriesKey(org), org)
	if err := b.Do(c.ctx); err != nil {
		return fmt.Errorf("read the token's organization: %w", err)
	}
	if entry.Value() != "" {
		return auth.Unauthenticated()
	}
	return nil
}

// join takes in what was read of the organization, and what membership gives the caller there. It comes after
// everything that may refuse the caller: who is refused leaves no model in memory.
func (c *Call) join() error {
	if c.Model == nil {
		return nil
	}
	if err := c.Model.Apply(c.ctx); err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	if c.Caller.User != "" && c.Org != "" {
		c.loadMembership()
	}
	return nil
}

// loadMembership adds what the membership gives; an organization that the token is not for looks like one without. It
// comes into the read set as a whole: whatever changes it, the request is authorized anew.
func (c *Call) loadMembership() {
	c.Access(func(model *access.Model) {
		p := model.Member(c.Caller.User)
		if p == nil || !c.Caller.WorksIn(c.Org, p.JoinedAt) || model.Closed() && c.Caller.Organization != "" {
			return
		}
		if !model.Closed() {
			c.Guards = append(c.Guards, store.NotDeleted(c.Org))
		}
		c.Caller = model.CallerOf(c.Caller, p)
		c.Guards = append(c.Guards, txn.FieldGuard(txn.EntriesKey(c.Org), c.Caller.User, p.Entry, true))
	})
}
