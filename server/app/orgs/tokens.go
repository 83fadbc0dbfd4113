package orgs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A token that was made with a token is bounded by it. What bounds it for ever is copied when it is made: scopes, the
// organization, and an end that is not behind that of its parent; none of them can be changed afterwards. Revocation
// takes a token and all that come of it in one transaction. So a request looks at its own token alone, in the trip that
// it makes anyway, and there is nothing that a revoked parent could leave behind.

// maxFamily is how many tokens may come of one root: one transaction revokes all of them.
const maxFamily = 400

// listBoundTokens lists the tokens that work in the caller's organization alone.
func (s *Service) listBoundTokens(ctx context.Context, caller *access.Caller, w rest.Pager) (none rest.Result[api.Page[api.Token]], err error) {
	b := s.Store.Pipeline()
	index := b.Range(store.TokensKey(caller.User), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read tokens: %w", err)
	}
	ids := index.Value()
	documents, err := s.TokenDocuments(ctx, caller.User, ids)
	if err != nil {
		return none, err
	}
	bound := make([]string, 0, len(documents))
	for _, d := range documents {
		if caller.Reaches(d.Private.Organization) {
			bound = append(bound, d.Fields.ID)
		}
	}
	page, next := w.Slice(bound, rest.OldestFirst)
	items, err := s.tokens(ctx, caller.User, page)
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.Token](items, len(bound), next)
}

// TokenDocuments reads tokens in one trip; those that are gone are left out.
func (s *Service) TokenDocuments(ctx context.Context, user string, ids []string) ([]store.TokenDocument, error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.TokenKey(user, id) })
	if err != nil {
		return nil, err
	}
	found := make([]store.TokenDocument, 0, len(records))
	for _, id := range ids {
		r, ok := records[id]
		if !ok {
			continue
		}
		var d store.TokenDocument
		if err := d.Decode(r); err != nil {
			return nil, fmt.Errorf("token %s: %w", id, err)
		}
		found = append(found, d)
	}
	return found, nil
}

// family is what comes of a root: read before a transaction, which makes sure that it is still so.
type family struct {
	user, root string
	size       int64
	members    []store.TokenDocument
	all        userCount // of the user
}

func (s *Service) family(ctx context.Context, user, root string) (family, error) {
	f := family{user: user, root: root}
	b := s.Store.Pipeline()
	index := b.Range(store.FamilyKey(user, root), "", maxFamily, false)
	all := queueCount(b, s.Budgets, user, quotaTokens)
	if err := b.Do(ctx); err != nil {
		return f, fmt.Errorf("read tokens: %w", err)
	}
	f.all = all()
	ids := index.Value()
	f.size = int64(len(ids))
	var err error
	f.members, err = s.TokenDocuments(ctx, user, ids)
	return f, err
}

// hold comes before everything that rests on the family: nobody has joined or left it since it was read.
func (f family) hold(tx *store.Tx) error {
	size, err := tx.Card(store.FamilyKey(f.user, f.root))
	if err == nil && size != f.size {
		err = rest.ErrHeadMoved
	}
	return err
}

// madeBy are the tokens that a token made, those that they made, and so on. Ids of several nodes need not be in the
// order in which they were made.
func (f family) madeBy(token string) (ids []string) {
	line := map[string]bool{token: true}
	for grown := true; grown; {
		grown = false
		for _, m := range f.members {
			if id := m.Fields.ID; line[m.Private.Parent] && !line[id] {
				line[id], grown = true, true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// taken names tokens of the family that go with another.
func (f family) taken(ids []string) api.Taken {
	var named []api.TakenThing
	for _, m := range f.members {
		if slices.Contains(ids, m.Fields.ID) {
			named = append(named, api.TakenThing{ID: m.Fields.ID, Title: m.Fields.Name})
		}
	}
	return api.NewTaken("tokens", len(ids), named...)
}

// expired are the tokens of the family that are worth nothing any more.
func (f family) expired(now time.Time) (ids []string) {
	for _, m := range f.members {
		if ends := m.Private.ExpiresAt; !ends.IsZero() && !now.Before(ends.Time) {
			ids = append(ids, m.Fields.ID)
		}
	}
	return ids
}

// revoke takes tokens of the family away.
func (f family) revoke(tx *store.Tx, ids []string) error {
	keys := make([]redis.Key, len(ids))
	for i, id := range ids {
		keys[i] = store.TokenKey(f.user, id)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, id := range ids {
		d, err := tx.Token(f.user, id)
		if err != nil {
			return err
		}
		if d.Version > 0 {
			tx.DeleteToken(f.user, d)
		}
	}
	return nil
}

func (s *Service) createToken(ctx context.Context, c *rest.Call, in api.CreateTokenInput) (rest.Result[api.Token], error) {
	return rest.Replanned(func() (rest.Result[api.Token], error) {
		f, err := s.family(ctx, c.Caller.User, c.Caller.Root)
		if err == nil {
			err = s.roomForToken(ctx, f)
		}
		var since api.Time
		if organization, _ := in.Body.Organization.Get(); err == nil {
			since, err = boundSince(ctx, s.Store, c.Caller.User, organization)
		}
		if err != nil {
			return rest.Result[api.Token]{}, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Token], error) {
			return s.makeToken(tx, c.Caller, f, in.Body, since)
		})
	})
}

// makeToken makes a token that is bounded by the caller's, which has to be there yet when it is committed.
func (s *Service) makeToken(tx *store.Tx, caller *access.Caller, f family, body api.TokenCreate, since api.Time) (none rest.Result[api.Token], err error) {
	o, err := bounded(caller, body, tx.Now())
	if err != nil {
		return none, err
	}
	o.BoundSince = since
	token, text, err := addToken(tx, caller, f, o)
	if err != nil {
		return none, err
	}
	r, err := rest.Stored[api.Token](rest.Extend(token.Public).Set("token", text))
	id := credentialID(text)
	return r.Created(id, s.PublicURL+"/v1/user/tokens/"+id), err
}

// addToken writes a token that comes of the caller's.
func addToken(tx *store.Tx, caller *access.Caller, f family, o TokenOptions) (token txn.Record, text string, err error) {
	parent, err := tx.Token(caller.User, caller.Token)
	if err != nil {
		return token, "", err
	}
	if parent.Version == 0 {
		return token, "", auth.Unauthenticated()
	}
	if err := errors.Join(f.all.hold(tx, store.TokensKey(f.user)), f.makeRoom(tx)); err != nil {
		return token, "", err
	}
	return NewToken(tx, caller.User, o)
}

// TemporaryToken makes a token that comes of the caller's and ends with it, or after a time. Rooms whose things have
// tokens of their own call it, once they know that the caller may have one.
func (s *Service) TemporaryToken(ctx context.Context, c *rest.Call, lasts time.Duration, o TokenOptions) (rest.Result[api.TemporaryToken], error) {
	return rest.Replanned(func() (none rest.Result[api.TemporaryToken], err error) {
		f, err := s.family(ctx, c.Caller.User, c.Caller.Root)
		if err == nil {
			err = s.roomForToken(ctx, f)
		}
		if err == nil {
			o.BoundSince, err = boundSince(ctx, s.Store, c.Caller.User, o.Organization)
		}
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, store.User(c.Caller.User), func(tx *store.Tx) (none rest.Result[api.TemporaryToken], err error) {
			o.parent, o.ExpiresAt = c.Caller, c.Caller.Until(api.At(tx.Now().Add(lasts)))
			_, text, err := addToken(tx, c.Caller, f, o)
			if err != nil {
				return none, err
			}
			r, err := rest.Value(api.TemporaryToken{Token: text})
			r.ID = credentialID(text)
			return r, err
		})
	})
}

// makeRoom checks that the family may grow; when it is full, those that have expired go.
func (f family) makeRoom(tx *store.Tx) error {
	if err := f.hold(tx); err != nil || f.size < maxFamily {
		return err
	}
	now, err := tx.Time() // they go for good
	if err != nil {
		return err
	}
	expired := f.expired(now)
	if len(expired) == 0 {
		return api.WrongState("At most %d tokens may come of one.", maxFamily).WithHint("Delete those that are not used any more.")
	}
	return f.revoke(tx, expired)
}

// bounded holds what a new token may do against what the one that makes it may do. What is not said is as it is there.
func bounded(caller *access.Caller, body api.TokenCreate, now time.Time) (o TokenOptions, err error) {
	for i, scope := range body.Scopes {
		if !caller.HasScope(scope) {
			return o, api.InvalidField(fmt.Sprintf("scopes[%d]", i), "is more than this token itself may do")
		}
		if slices.Contains(body.Scopes[:i], scope) {
			return o, api.InvalidField(fmt.Sprintf("scopes[%d]", i), "is given twice")
		}
	}
	organization, given := body.Organization.Get()
	if !given {
		organization = caller.Organization
	}
	if !caller.Reaches(organization) {
		return o, api.InvalidField("organization", "must be %s, as for the token that makes it", caller.Organization)
	}
	ends, given := body.ExpiresAt.Get()
	if !given {
		ends = caller.Ends
	}
	if !caller.Ends.IsZero() && ends.After(caller.Ends.Time) {
		return o, api.InvalidField("expiresAt", "must not lie behind %s, when the token that makes it ends", caller.Ends)
	}
	o = TokenOptions{
		Name: body.Name, Scopes: body.Scopes, Organization: organization, ExpiresAt: ends, Agent: body.Agent || caller.Agent, parent: caller,
	}
	if o.Scopes == nil {
		o.Scopes = caller.Scopes
	}
	return o, CheckExpiry(body.ExpiresAt, now)
}

// deleteToken revokes a token with all that come of it.
func (s *Service) deleteToken(ctx context.Context, c *rest.Call, in api.TokenRef) (rest.Result[api.None], error) {
	return rest.Replanned(func() (rest.Result[api.None], error) {
		f, err := s.familyOf(ctx, c.Caller, in.Token)
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
			token, err := tx.Token(c.Caller.User, in.Token)
			if err != nil || token.Version == 0 || !c.Caller.Reaches(token.Private.Organization) {
				return rest.Result[api.None]{}, rest.Missing(err)
			}
			if err := f.hold(tx); err != nil {
				return rest.Result[api.None]{}, err
			}
			tx.DeleteToken(c.Caller.User, token)
			made := f.madeBy(in.Token)
			return rest.Removed(api.Removal{ID: in.Token, Title: token.Fields.Name, With: []api.Taken{f.taken(made)}}), f.revoke(tx, made)
		})
	})
}

// familyOf reads the family that a token of the caller's is in.
func (s *Service) familyOf(ctx context.Context, caller *access.Caller, token string) (family, error) {
	found, err := s.TokenDocuments(ctx, caller.User, []string{token})
	if err != nil || len(found) == 0 {
		return family{user: caller.User, root: token}, err // the transaction says that there is none
	}
	return s.family(ctx, caller.User, cmp.Or(found[0].Private.Root, token))
}

// rotateToken gives a token a new secret. The token stays what it is: its bounds, and what it made.
func (s *Service) rotateToken(ctx context.Context, c *rest.Call, in api.RotateTokenInput) (rest.Result[api.Token], error) {
	if err := c.Answered(); err != nil { // before the secret that it may have replaced is looked at
		return rest.Result[api.Token]{}, err
	}
	if err := s.mayRotate(ctx, c, in.Token); err != nil {
		return rest.Result[api.Token]{}, err
	}
	overlap := time.Duration(in.Body.OldValidFor) * time.Second
	if longest := time.Duration(s.Budgets.TokenOverlap); overlap > longest {
		return rest.Result[api.Token]{}, api.InvalidField("oldValidFor", "must be at most %d seconds here", int(longest.Seconds()))
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (none rest.Result[api.Token], err error) {
		token, err := tx.Token(c.Caller.User, in.Token)
		if err != nil || token.Version == 0 || !c.Caller.Reaches(token.Private.Organization) {
			return none, rest.Missing(err)
		}
		now, err := tx.Time()
		if err != nil {
			return none, err
		}
		text := renew(&token, c.Caller.User, now, overlap)
		record, err := tx.PutToken(c.Caller.User, token)
		if err != nil {
			return none, err
		}
		r, err := rest.Stored[api.Token](rest.Extend(record.Public).Set("token", text))
		r.ID = in.Token
		return r.Versioned(rest.RecordVersion(record)), err
	})
}

// renew gives a token a new secret and says for how long the old one works beside it.
func renew(token *store.TokenDocument, user string, now time.Time, overlap time.Duration) (text string) {
	made := auth.Credential{User: user, Token: token.Fields.ID, Secret: rand.Text()}
	old := &store.OldSecret{Digest: token.Private.Digest, Until: api.At(now.Add(overlap))}
	token.Private.Digest, token.Private.Old = auth.Digest(made.Secret), old
	token.Fields.RotatedAt, token.Fields.OldValidTo = api.At(now), old.Until
	if overlap == 0 {
		token.Private.Old, token.Fields.OldValidTo = nil, api.Time{}
	}
	return made.String()
}

// mayRotate decides who is given a new secret: a token for itself, whatever its scopes, and for what comes of it. Any
// other might be good for more than the one that asks, or outlive it.
func (s *Service) mayRotate(ctx context.Context, c *rest.Call, token string) error {
	if c.Caller.Replaced {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This secret was replaced and works until %s: only the new one can be rotated.", c.Caller.Ends)
	}
	if token == c.Caller.Token {
		return nil
	}
	if err := c.RequireScope(api.ScopeAdmin); err != nil {
		return err
	}
	found, err := s.TokenDocuments(ctx, c.Caller.User, []string{token})
	switch {
	case err != nil:
		return err
	case len(found) == 0, !c.Caller.Reaches(found[0].Private.Organization):
		return api.NotFound()
	}
	f, err := s.family(ctx, c.Caller.User, c.Caller.Root)
	if err == nil && !slices.Contains(f.madeBy(c.Caller.Token), token) {
		err = api.Errorf(http.StatusForbidden, api.ReasonForbidden, "A token rotates itself and those that come of it; it did not make this one.").
			WithHint("Rotate it with its own secret, or delete it and make another.")
	}
	return err
}
