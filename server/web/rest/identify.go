package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// identity holds what the first pipeline reads about the caller.
type identity struct {
	credential   auth.Credential
	token, user  *txn.Future[txn.Record]
	lastUse      *txn.Reply[string]
	requestCount *txn.Reply[string]
}

// readRequest makes the request's single trip to the store: it reads the token, the changes of the organization's model, and
// the operation's own prefetch. If the token turns out invalid, the rest is discarded.
func (p *Pipeline) readRequest(c *Call) (id identity, err error) {
	credential, present, err := auth.Bearer(c.HTTP)
	if err != nil {
		return id, err
	}
	if !present && !c.Endpoint.Need.AllowsAnonymous() {
		return id, auth.Unauthenticated()
	}
	if err := p.chargeUnknown(c, credential); err != nil {
		return id, err
	}
	b := p.store.NewBatch()
	c.Principal = credential.User
	id = identity{credential: credential}
	if present {
		id = p.queueIdentity(b, credential)
	}
	if c.Org != "" {
		c.Model = b.FollowDeferred(c.Org)
	}
	if c.Endpoint.prefetch != nil {
		c.Endpoint.prefetch(&c.Request, b)
	}
	if err := b.Do(c.ctx); err != nil {
		return id, fmt.Errorf("read for the request: %w", err)
	}
	return id, nil
}

// queueIdentity queues the reads of what identifies the caller with a credential.
func (p *Pipeline) queueIdentity(b *txn.Batch, credential auth.Credential) identity {
	return identity{
		credential: credential,
		token:      b.Record(store.TokenKey(credential.User, credential.Token)),
		user:       b.Record(store.UserKey(credential.User)),
		lastUse:    b.Value(store.UsedKey(credential.User, credential.Token)),

		requestCount: b.Value(auth.RateKey(credential.User, p.clock())),
	}
}

// countedRequests returns the number of requests of the user that all nodes have counted in this minute.
func (id identity) countedRequests() string {
	if id.requestCount == nil {
		return ""
	}
	counted := id.requestCount.Value()
	return counted
}

// identify sets the Caller from the token that was read. Without a token, the Caller is empty.
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
	match, ok, err := p.matchSecret(id, record, token)
	if err != nil {
		return err
	}
	if !ok || !id.credential.IsFor(token) {
		return auth.Unauthenticated()
	}
	if err := p.checkTokenEnd(match, token); err != nil {
		return err
	}
	if err := id.checkEnabled(); err != nil {
		return err
	}
	c.Caller = &access.Caller{
		User: id.credential.User, Token: id.credential.Token, Scopes: token.Scopes, Organization: token.Organization, IsAgent: token.Agent,
		Root: cmp.Or(token.Root, id.credential.Token), ExpiresAt: match.nextEnd, SecretReplaced: match.IsReplaced,
		BoundSince: token.BoundSince, EndedIn: token.EndedIn, IsService: token.Service != nil, AgeFrom: token.AgeFrom(match.createdAt),
		IsFirst: token.IdleMillis > 0, SignIn: token.SignIn, MaySkip: token.BreakGlass,
	}
	if token.Login != nil {
		c.Caller.Login = token.Login.Type
	}
	if token.Service != nil {
		c.Caller.Spaces, c.Caller.Groups = token.Service.Spaces, token.Service.Groups
	}
	if token.Organization != "" && token.BoundSince.IsZero() {
		c.Caller.BoundSince = match.createdAt
	}
	c.tokenLastUse = id.lastUse.Value()
	return p.loadInstallation(c.ctx, c.Caller, token.Installation)
}

// tokenMatch describes the secret of a request and the times of its token.
type tokenMatch struct {
	auth.SecretMatch

	createdAt api.Time
	// expiry of the secret, or that of a login, once this request is stored as the last use; zero = never
	nextEnd api.Time
}

// matchSecret reports whether the request has a secret of a token, which may have expired.
func (p *Pipeline) matchSecret(id identity, record txn.Record, token store.TokenPrivate) (m tokenMatch, ok bool, err error) {
	var fields struct {
		CreatedAt api.Time `json:"createdAt"`
	}
	if err := json.Unmarshal(record.Public, &fields); err != nil {
		return m, false, fmt.Errorf("token %s: %w", id.credential.Token, err)
	}
	var used api.Time
	if token.IdleMillis > 0 {
		if used, err = store.ParseUse(id.lastUse.Value()); err != nil {
			return m, false, fmt.Errorf("last use of token %s: %w", id.credential.Token, err)
		}
	}
	m.createdAt = fields.CreatedAt
	m.SecretMatch, ok = auth.MatchSecret(token, id.credential.Secret, token.EndsAt(fields.CreatedAt, used, p.tokenMaxAge))
	now := api.At(p.clock().Truncate(time.Minute)) // as recordUse stores it
	ends := token.EndsAt(fields.CreatedAt, now, p.tokenMaxAge)
	next, _ := auth.MatchSecret(token, id.credential.Secret, ends)
	if m.nextEnd = next.ExpiresAt; token.Login != nil {
		m.nextEnd = ends // the secret ends earlier, and is renewed
	}
	return m, ok, nil
}

// checkTokenEnd returns an error if the secret of a token has expired.
func (p *Pipeline) checkTokenEnd(match tokenMatch, token store.TokenPrivate) error {
	now := p.clock()
	if !match.HasEnded(now) {
		return nil
	}
	from := token.AgeFrom(match.createdAt)
	if p.tokenMaxAge > 0 && token.IsOfPerson() && !now.Before(from.Add(p.tokenMaxAge)) {
		return auth.TokenTooOld(from, p.tokenMaxAge)
	}
	return auth.Unauthenticated()
}

// checkEnabled returns an error if the operator has disabled the account of the token. It is called after the secret was
// verified, because the error says so.
func (id identity) checkEnabled() error {
	record, there, err := id.user.Get()
	if err != nil || !there {
		return err
	}
	var user store.UserPrivate
	if err := json.Unmarshal(record.Private, &user); err != nil {
		return fmt.Errorf("user %s: %w", id.credential.User, err)
	}
	if user.IsDisabled() {
		return auth.AccountDisabled()
	}
	return nil
}

// checkTokenOrganization refuses a token that is bound to an organization in the trash. The organization itself is closed to everybody
// anyway; for other requests this takes a trip.
func (p *Pipeline) checkTokenOrganization(c *Call) error {
	org := c.Caller.Organization
	if org == "" || org == c.Org {
		return nil
	}
	b := p.store.NewBatch()
	entry := b.Field(txn.EntriesKey(org), org)
	var person, provider *txn.Reply[string]
	if signIn := c.Caller.SignIn; signIn != nil {
		person, provider = b.Field(txn.EntriesKey(org), c.Caller.User), b.Field(txn.EntriesKey(org), signIn.Provider)
	}
	if err := b.Do(c.ctx); err != nil {
		return fmt.Errorf("read the token's organization: %w", err)
	}
	if entry.Value() != "" {
		return auth.Unauthenticated()
	}
	if person == nil {
		return nil
	}
	var member store.Person
	if err := json.Unmarshal([]byte(cmp.Or(person.Value(), "{}")), &member); err != nil {
		return fmt.Errorf("%w: access entry of %s: %w", redis.ErrCorrupt, c.Caller.User, err)
	}
	if provider.Value() == "" || !c.Caller.ValidForMembership(org, member) {
		return auth.SignInEndedEverywhere(auth.SignInURL(p.publicURL, org))
	}
	return nil
}

// loadOrganization applies the changes that were read to the organization's model and loads the caller's membership. It runs
// after all checks that may refuse the caller, so that refused requests leave no model in memory.
func (c *Call) loadOrganization() error {
	if c.Model == nil {
		return nil
	}
	if err := c.Model.Apply(c.ctx); err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	if c.Caller.User == "" || c.Org == "" {
		return nil
	}
	c.addMembership()
	return nil
}

// isTokenTooOld reports whether the token has reached the maximum age of the organization of a model.
func (c *Call) isTokenTooOld(model *access.Model) bool {
	return c.Caller.Token != "" && c.Caller.IsOlderThan(model.TokenMaxAge(), c.pipeline.clock())
}

// addMembership adds the caller's membership, unless the token does not work in the organization. The member's entry
// becomes a guard as a whole: when it changes, the request is authorized again.
func (c *Call) addMembership() {
	c.Access(func(model *access.Model) {
		p := model.Member(c.Caller.User)
		if p == nil || !c.Caller.ValidForMembership(c.Org, p.Person) || model.InTrash() && c.Caller.Organization != "" {
			return
		}
		if c.isTokenTooOld(model) || c.signInReason(model) != nil {
			return
		}
		if !model.InTrash() {
			c.Guards = append(c.Guards, store.NotDeleted(c.Org))
		}
		c.Caller = model.CallerOf(c.Caller, p)
		c.Guards = append(c.Guards, txn.FieldGuard(txn.EntriesKey(c.Org), c.Caller.User, p.Entry, true))
	})
}
