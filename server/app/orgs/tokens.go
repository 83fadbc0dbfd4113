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

// A token created with another token is limited by it. Its scopes, organization and expiry are copied on creation,
// within those of the parent, and cannot be changed later. Revocation deletes a token and all its descendants in one
// transaction. A request therefore only has to check its own token.

// maxFamilySize is the maximum number of tokens that descend from one root token; one transaction revokes all of
// them.
const maxFamilySize = 400

// listBoundTokens lists the tokens of the caller that are bound to the organization of the caller's token.
func (s *Service) listBoundTokens(ctx context.Context, caller *access.Caller, w rest.Pager) (none rest.Result[api.Page[api.Token]],
	err error,
) {
	b := s.Store.NewBatch()
	index := b.Range(store.TokensKey(caller.User), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read tokens: %w", err)
	}
	ids := index.Value()
	documents, err := s.LoadTokens(ctx, caller.User, ids)
	if err != nil {
		return none, err
	}
	bound := make([]string, 0, len(documents))
	for _, d := range documents {
		if caller.CanAccessTokensOf(d.Private.Organization) {
			bound = append(bound, d.Fields.ID)
		}
	}
	page, next := w.Slice(bound, rest.OldestFirst)
	items, err := s.encodeTokens(ctx, caller.User, page)
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.Token](items, len(bound), next)
}

// LoadTokens reads tokens in one trip. Deleted tokens are left out.
func (s *Service) LoadTokens(ctx context.Context, user string, ids []string) ([]store.TokenDocument, error) {
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

// tokenFamily holds the descendants of a root token. It is read before a transaction, which checks that it is
// unchanged.
type tokenFamily struct {
	user, root   string
	isService    bool // the user is a service account
	size         int64
	members      []store.TokenDocument
	ends         map[string]api.Time // effective ends of the members by id; zero = never
	userTokens   userQuota           // quota for all tokens of the user
	organization string              // of the token for which the family was read: the only one in which it works; "" = all
}

func (s *Service) loadFamily(ctx context.Context, user, root string) (tokenFamily, error) {
	f := tokenFamily{user: user, root: root}
	b := s.Store.NewBatch()
	index := b.Range(store.FamilyKey(user, root), "", maxFamilySize, false)
	all := queueUserQuota(b, s.Budgets, user, quotaTokens)
	if err := b.Do(ctx); err != nil {
		return f, fmt.Errorf("read tokens: %w", err)
	}
	f.userTokens = all()
	ids := index.Value()
	f.size = int64(len(ids))
	var err error
	if f.members, err = s.LoadTokens(ctx, user, ids); err != nil {
		return f, err
	}
	f.ends, err = s.loadEnds(ctx, user, f.members)
	return f, err
}

// checkUnchanged adds the size of the family to the read set and returns store.ErrHeadMoved if tokens were added or
// removed since it was read.
func (f tokenFamily) checkUnchanged(tx *store.Tx) error {
	size, err := tx.Cardinality(store.FamilyKey(f.user, f.root))
	if err == nil && size != f.size {
		err = store.ErrHeadMoved
	}
	return err
}

// descendants returns the ids of all tokens that descend from a token. It does not rely on the order of ids, which
// come from several nodes.
func (f tokenFamily) descendants(token string) (ids []string) {
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

// revokedTokens describes tokens of the family that are revoked together with another.
func (f tokenFamily) revokedTokens(ids []string) api.Taken {
	var named []api.TakenThing
	for _, m := range f.members {
		if slices.Contains(ids, m.Fields.ID) {
			named = append(named, api.TakenThing{ID: m.Fields.ID, Title: m.Fields.Name})
		}
	}
	return api.NewTaken("tokens", len(ids), named...)
}

// expiredTokens returns the ids of the tokens of the family that have expired.
func (f tokenFamily) expiredTokens(now time.Time) (ids []string) {
	for _, m := range f.members {
		if ends := f.ends[m.Fields.ID]; !ends.IsZero() && !now.Before(ends.Time) {
			ids = append(ids, m.Fields.ID)
		}
	}
	return ids
}

// revoke deletes the tokens of the family with the given ids. Tokens that do not exist are ignored.
func (f tokenFamily) revoke(tx *store.Tx, ids []string) error {
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
	return rest.RetryPlan(func() (rest.Result[api.Token], error) {
		f, err := s.loadFamily(ctx, c.Caller.User, c.Caller.Root)
		if err == nil {
			err = s.checkTokenQuota(ctx, f)
		}
		var since api.Time
		var bounds ageBounds
		if err == nil {
			since, bounds, err = s.loadTokenBounds(ctx, c.Caller.User, boundOrganization(c.Caller, in.Body))
		}
		if err != nil {
			return rest.Result[api.Token]{}, err
		}
		made := tokenChange{organization: boundOrganization(c.Caller, in.Body), endedIn: c.Caller.EndedIn}
		return withTokenEvents(ctx, s, c, made, func() (rest.Result[api.Token], error) {
			return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Token], error) {
				made.note(c)
				return s.newChildToken(ctx, tx, c.Caller, f, in.Body, since, bounds)
			})
		})
	})
}

// newChildToken creates a token that is limited by the caller's token, which must still exist at commit.
func (s *Service) newChildToken(ctx context.Context, tx *store.Tx, caller *access.Caller, f tokenFamily, body api.TokenCreate,
	since api.Time, bounds ageBounds,
) (none rest.Result[api.Token], err error) {
	o, err := childTokenOptions(caller, body, tx.Now(), bounds)
	if err != nil {
		return none, err
	}
	o.BoundSince = since
	token, text, err := addToken(ctx, tx, caller, f, o)
	if err != nil {
		return none, err
	}
	r, err := rest.ObjectResult[api.Token](rest.ExtendObject(token.Public).Set("token", text))
	id := tokenIDOf(text)
	return r.WithLocation(id, s.PublicURL+"/v1/user/tokens/"+id), err
}

// addToken stores a token that descends from the caller's token.
func addToken(ctx context.Context, tx *store.Tx, caller *access.Caller, f tokenFamily, o TokenOptions) (
	token txn.Record, text string, err error,
) {
	parent, err := tx.Token(caller.User, caller.Token)
	if err != nil {
		return token, "", err
	}
	if parent.Version == 0 {
		return token, "", auth.Unauthenticated()
	}
	if err := errors.Join(f.userTokens.checkUnchanged(tx, store.TokensKey(f.user)), f.checkCapacity(ctx, tx)); err != nil {
		return token, "", err
	}
	if slices.Contains(parent.Private.EndedIn, o.Organization) {
		return token, "", auth.TokenEndedHere()
	}
	if o.Organization == "" {
		o.endedIn = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.endedIn, parent.Private.EndedIn))))
	}
	return NewToken(tx, caller.User, o)
}

// CreateTemporaryToken creates a child of the caller's token that expires after the given time, or with its parent if that
// is sooner. The calling package has to check that the caller may have it.
func (s *Service) CreateTemporaryToken(ctx context.Context, c *rest.Call, lasts time.Duration,
	o TokenOptions,
) (rest.Result[api.TemporaryToken], error) {
	return rest.RetryPlan(func() (none rest.Result[api.TemporaryToken], err error) {
		f, err := s.loadFamily(ctx, c.Caller.User, c.Caller.Root)
		if err == nil {
			err = s.checkTokenQuota(ctx, f)
		}
		if err == nil {
			o.BoundSince, err = boundTokenStart(ctx, s.Store, c.Caller.User, o.Organization)
		}
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, store.User(c.Caller.User), func(tx *store.Tx) (none rest.Result[api.TemporaryToken], err error) {
			o.parent, o.ExpiresAt = c.Caller, c.Caller.ExpiryFor(api.At(tx.Now().Add(lasts)))
			_, text, err := addToken(ctx, tx, c.Caller, f, o)
			if err != nil {
				return none, err
			}
			r, err := rest.Value(api.TemporaryToken{Token: text})
			r.ID = tokenIDOf(text)
			return r, err
		})
	})
}

// checkCapacity returns an error if the family is full. It first revokes expired tokens of a full family, unless
// removals by age are held.
func (f tokenFamily) checkCapacity(ctx context.Context, tx *store.Tx) error {
	if err := f.checkUnchanged(tx); err != nil || f.size < maxFamilySize {
		return err
	}
	expired, err := f.removableTokens(ctx, tx)
	if err != nil {
		return err
	}
	if len(expired) == 0 {
		return api.WrongState("At most %d tokens may come of one.", maxFamilySize).WithHint("Delete those that are not used any more.")
	}
	return f.revoke(tx, expired)
}

// removableTokens returns the ids of the tokens of the family that may be removed because they have expired.
func (f tokenFamily) removableTokens(ctx context.Context, tx *store.Tx) (ids []string, err error) {
	for _, m := range f.members {
		ends := f.ends[m.Fields.ID]
		if ends.IsZero() {
			continue
		}
		switch delay, err := tx.RemovalDelay(ctx, ends.Time); {
		case errors.Is(err, redis.ErrRemovalHeld):
			return nil, nil
		case err != nil:
			return nil, err
		case delay == 0:
			ids = append(ids, m.Fields.ID)
		}
	}
	return ids, nil
}

// childTokenOptions returns the options of a new token. It returns an error if the request exceeds the limits of the
// caller's token; omitted fields are inherited from it.
func childTokenOptions(caller *access.Caller, body api.TokenCreate, now time.Time, bounds ageBounds) (o TokenOptions, err error) {
	for i, scope := range body.Scopes {
		if !caller.HasScope(scope) {
			return o, api.InvalidField(fmt.Sprintf("scopes[%d]", i), "is more than this token itself may do")
		}
		if slices.Contains(body.Scopes[:i], scope) {
			return o, api.InvalidField(fmt.Sprintf("scopes[%d]", i), "is given twice")
		}
	}
	organization := boundOrganization(caller, body)
	if !caller.CanAccessTokensOf(organization) {
		return o, api.InvalidField("organization", "must be %s, as for the token that makes it", caller.Organization)
	}
	ends, given := body.ExpiresAt.Get()
	if ends, err = bounds.limit(caller, ends, now); err != nil {
		return o, err
	}
	if !given {
		ends = caller.ExpiryFor(ends)
	}
	if !caller.ExpiresAt.IsZero() && ends.After(caller.ExpiresAt.Time) {
		return o, api.InvalidField("expiresAt", "must not be after %s, when the token that creates it expires", caller.ExpiresAt)
	}
	o = TokenOptions{
		Name: body.Name, Scopes: body.Scopes, Organization: organization, ExpiresAt: ends, Agent: body.Agent ||
			caller.IsAgent, parent: caller,
	}
	if o.Scopes == nil {
		o.Scopes = caller.Scopes
	}
	return o, CheckExpiry(body.ExpiresAt, now)
}

// boundOrganization returns the only organization in which a requested token works, or "".
func boundOrganization(caller *access.Caller, body api.TokenCreate) string {
	if organization, given := body.Organization.Get(); given {
		return organization
	}
	return caller.Organization
}

// deleteToken revokes a token and its descendants.
func (s *Service) deleteToken(ctx context.Context, c *rest.Call, in api.TokenRef) (rest.Result[api.None], error) {
	return rest.RetryPlan(func() (rest.Result[api.None], error) {
		f, err := s.loadTokenFamily(ctx, c.Caller.User, in.Token)
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		return withTokenEvents(ctx, s, c, tokenChange{organization: f.organization, revokes: true}, func() (rest.Result[api.None], error) {
			return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
				return f.deleteToken(tx, c, in.Token)
			})
		})
	})
}

// deleteToken revokes a token of the caller and its descendants.
func (f tokenFamily) deleteToken(tx *store.Tx, c *rest.Call, id string) (none rest.Result[api.None], err error) {
	token, err := tx.Token(f.user, id)
	if err != nil || token.Version == 0 || !c.Caller.CanAccessTokensOf(token.Private.Organization) {
		return none, rest.NotFoundIfNil(err)
	}
	if c.Caller.IsService && id != c.Caller.Token {
		return none, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "A token of a service account deletes only itself.").
			WithHint("An admin of the organization deletes it: wsctl member-tokens delete %s --user %s", id, f.user)
	}
	if err := f.checkUnchanged(tx); err != nil {
		return none, err
	}
	tokenChange{organization: token.Private.Organization, endedIn: token.Private.EndedIn}.note(c)
	tx.DeleteToken(f.user, token)
	made := f.descendants(id)
	return rest.Removed(api.Removal{ID: id, Title: token.Fields.Name, With: []api.Taken{f.revokedTokens(made)}}), f.revoke(tx, made)
}

// loadTokenFamily reads the family of a token of a user, with the token itself. It is empty if the token does not exist.
func (s *Service) loadTokenFamily(ctx context.Context, user, token string) (tokenFamily, error) {
	found, err := s.LoadTokens(ctx, user, []string{token})
	if err != nil || len(found) == 0 {
		return tokenFamily{user: user, root: token}, err
	}
	f, err := s.loadFamily(ctx, user, cmp.Or(found[0].Private.Root, token))
	f.organization = found[0].Private.Organization
	if found[0].Private.Root == "" {
		f.members = append(found, f.members...) // the index has only the descendants of the root
	}
	if err == nil {
		f.ends, err = s.loadEnds(ctx, user, f.members)
	}
	return f, err
}

// rotateToken gives a token a new secret. Its limits and its descendants are unchanged.
func (s *Service) rotateToken(ctx context.Context, c *rest.Call, in api.RotateTokenInput) (rest.Result[api.Token], error) {
	// return a stored response before the current secret is checked, because an earlier attempt of this request may have
	// replaced it
	if err := c.StoredAnswer(); err != nil {
		return rest.Result[api.Token]{}, err
	}
	rotated, err := s.checkMayRotate(ctx, c, in.Token)
	if err != nil {
		return rest.Result[api.Token]{}, err
	}
	overlap := time.Duration(in.Body.OldValidFor) * time.Second
	if longest := time.Duration(s.Budgets.TokenOverlap); overlap > longest {
		return rest.Result[api.Token]{}, api.InvalidField("oldValidFor", "must be at most %d seconds here", int(longest.Seconds()))
	}
	return withTokenEvents(ctx, s, c, rotated, func() (rest.Result[api.Token], error) {
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Token], error) {
			rotated.note(c)
			return s.putNewSecret(tx, c.Caller, in.Token, overlap)
		})
	})
}

// putNewSecret gives a token of the caller a new secret. The old one remains valid for overlap.
func (s *Service) putNewSecret(tx *store.Tx, caller *access.Caller, id string, overlap time.Duration) (
	none rest.Result[api.Token], err error,
) {
	token, err := tx.Token(caller.User, id)
	if err != nil || token.Version == 0 || !caller.CanAccessTokensOf(token.Private.Organization) {
		return none, rest.NotFoundIfNil(err)
	}
	if token.Private.Login != nil {
		return none, api.WrongState("This token was made by a sign-in: its secret is not rotated.").
			WithHint("A login gets new secrets from the server by itself. To replace it, end it and sign in again.")
	}
	now, err := tx.Time()
	if err != nil {
		return none, err
	}
	text := replaceSecret(&token, caller.User, now, overlap)
	record, err := tx.PutToken(caller.User, token)
	if err != nil {
		return none, err
	}
	used := api.Time{}
	if id == caller.Token {
		used = api.At(now)
	}
	o, err := s.tokenObject(record, used)
	if err != nil {
		return none, err
	}
	r, err := rest.ObjectResult[api.Token](o.Set("token", text))
	r.ID = id
	return r.WithVersion(rest.RecordVersion(record)), err
}

// replaceSecret gives a token a new secret and returns its text. The old secret remains valid for overlap.
func replaceSecret(token *store.TokenDocument, user string, now time.Time, overlap time.Duration) (text string) {
	made := auth.Credential{User: user, Token: token.Fields.ID, Secret: rand.Text()}
	old := &store.OldSecret{Digest: token.Private.Digest, Until: api.At(now.Add(overlap))}
	token.Private.Digest, token.Private.Old = auth.TokenDigest(token.Private, made.Secret), old
	token.Fields.RotatedAt, token.Fields.OldValidTo = api.At(now), old.Until
	if overlap == 0 {
		token.Private.Old, token.Fields.OldValidTo = nil, api.Time{}
	}
	return made.String()
}

// checkMayRotate returns an error unless the token is the caller's own or a descendant of it. Other tokens might have
// more access than the caller's or outlive it.
func (s *Service) checkMayRotate(ctx context.Context, c *rest.Call, token string) (t tokenChange, err error) {
	if c.Caller.SecretReplaced {
		return t, api.Errorf(http.StatusForbidden, api.ReasonForbidden,
			"This secret was replaced and works until %s: only the new one can be rotated.", c.Caller.ExpiresAt)
	}
	if token == c.Caller.Token {
		return tokenChange{organization: c.Caller.Organization, endedIn: c.Caller.EndedIn, revokes: true}, nil
	}
	if err := c.RequireScope(api.ScopeAdmin); err != nil {
		return t, err
	}
	found, err := s.LoadTokens(ctx, c.Caller.User, []string{token})
	switch {
	case err != nil:
		return t, err
	case len(found) == 0, !c.Caller.CanAccessTokensOf(found[0].Private.Organization):
		return t, api.NotFound()
	}
	f, err := s.loadFamily(ctx, c.Caller.User, c.Caller.Root)
	if err == nil && !slices.Contains(f.descendants(c.Caller.Token), token) {
		err = api.Errorf(http.StatusForbidden, api.ReasonForbidden,
			"A token rotates itself and those that come of it; it did not make this one.").
			WithHint("Rotate it with its own secret, or delete it and make another.")
	}
	private := found[0].Private
	return tokenChange{organization: private.Organization, endedIn: private.EndedIn, revokes: true}, err
}
