package orgs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// membership identifies the membership of a user in an organization at a time.
type membership struct {
	org         string
	person      store.Person
	maxAge      time.Duration // of tokens of people in the organization; 0 = none
	requiresSSO bool
	providers   []string // by which people can sign in
	now         time.Time
}

// accepts reports whether a token of the user, which ends at a time, works in the organization.
func (m membership) accepts(d store.TokenDocument, ends api.Time) bool {
	caller := access.Caller{
		Token: d.Fields.ID, Organization: d.Private.Organization, EndedIn: d.Private.EndedIn, SignIn: d.Private.SignIn,
		BoundSince: api.Time{Time: cmp.Or(d.Private.BoundSince.Time, d.Fields.CreatedAt.Time)}, MaySkip: d.Private.BreakGlass,
		IsService: d.Private.Service != nil,
	}
	ends = m.endOf(d, ends)
	if d.Private.Installation == nil && caller.NeedsSignIn(m.requiresSSO, m.person) {
		return false
	}
	if caller.SignIn != nil && !slices.Contains(m.providers, caller.SignIn.Provider) {
		return false
	}
	return caller.ValidForMembership(m.org, m.person) && (ends.IsZero() || m.now.Before(ends.Time))
}

// endOf returns the time at which a token, which ends at a time, does not work in the organization any more.
func (m membership) endOf(d store.TokenDocument, ends api.Time) api.Time {
	if m.maxAge == 0 || !d.Private.IsOfPerson() {
		return ends
	}
	oldest := api.At(d.Private.AgeFrom(d.Fields.CreatedAt).Add(m.maxAge))
	if ends.IsZero() || ends.After(oldest.Time) {
		return oldest
	}
	return ends
}

// memberShown returns the membership of a user in the organization of the call, and the member as shown there, or a not_found error.
func (s *Service) memberShown(c *rest.Call, user string) (current membership, shown json.RawMessage, err error) {
	err = api.NotFound()
	c.Access(func(model *access.Model) {
		if p := model.Member(user); p != nil {
			current = membership{
				org: c.Org, person: p.Person, maxAge: model.TokenMaxAge(), requiresSSO: model.RequiresSSO(), providers: model.Providers(),
				now: s.Clock(),
			}
			shown, err = s.View.User(model.Org, user, p.PublicFields), nil
		}
	})
	return current, shown, err
}

// listMemberTokens lists the tokens of a member that work in the organization.
func (s *Service) listMemberTokens(ctx context.Context, c *rest.Call, in api.ListMemberTokensInput) (
	none rest.Result[api.Page[api.MemberToken]], err error,
) {
	w := c.NewPager(in.ListOptions, false, in.User)
	if w.Err != nil {
		return none, w.Err
	}
	current, shown, err := s.memberShown(c, in.User)
	if err != nil {
		return none, err
	}
	b := s.Store.NewBatch()
	index := b.Range(store.TokensKey(in.User), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read tokens: %w", err)
	}
	all, err := s.LoadTokens(ctx, in.User, index.Value())
	if err != nil {
		return none, err
	}
	ends, err := s.loadEnds(ctx, in.User, all)
	if err != nil {
		return none, err
	}
	found, ids := map[string]store.TokenDocument{}, make([]string, 0, len(all))
	for _, d := range all {
		id := d.Fields.ID
		if !current.accepts(d, ends[id]) {
			continue
		}
		d.Fields.ExpiresAt = current.endOf(d, ends[id])
		ids, found[id] = append(ids, id), d
	}
	page, next := w.Slice(ids, rest.OldestFirst)
	items, err := s.encodeMemberTokens(ctx, c.Org, shown, found, page)
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.MemberToken](items, len(ids), next)
}

// encodeMemberTokens returns the JSON of tokens of a member with their last use in the organization.
func (s *Service) encodeMemberTokens(ctx context.Context, org string, user json.RawMessage, found map[string]store.TokenDocument,
	ids []string,
) ([][]byte, error) {
	b := s.Store.NewBatch()
	used := make([]*txn.Reply[string], len(ids))
	for i, id := range ids {
		used[i] = b.Value(store.UsedHereKey(org, id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the use of tokens: %w", err)
	}
	items := make([][]byte, len(ids))
	for i, id := range ids {
		t := newMemberToken(found[id].Fields)
		var err error
		if t.LastUsedAt, err = store.ParseUse(used[i].Value()); err != nil {
			return nil, fmt.Errorf("last use of %s: %w", id, err)
		}
		data, err := json.Marshal(t)
		if err == nil {
			items[i], err = rest.ExtendObject(data).Set("user", user).Bytes()
		}
		if err != nil {
			return nil, fmt.Errorf("token %s: %w", id, err)
		}
	}
	return items, nil
}

// newMemberToken returns a token as the admins of an organization see it.
func newMemberToken(f api.TokenFields) api.MemberToken {
	t := api.MemberToken{
		Object: "member-token", ID: f.ID, Type: f.Type, Scopes: f.Scopes, Organization: f.Organization,
		CreatedAt: f.CreatedAt, ExpiresAt: f.ExpiresAt,
	}
	if f.Organization != "" {
		t.Spaces, t.Groups = f.Spaces, f.Groups
		t.Name, t.Agent, t.Installation, t.Parent, t.RotatedAt = f.Name, f.Agent, f.Installation, f.Parent, f.RotatedAt
	}
	return t
}

// deleteMemberToken ends a token of a member for the organization of the call. The commit in the organization schedules the job that
// ends the token, which is then done at once: the job completes it if the process stops.
func (s *Service) deleteMemberToken(ctx context.Context, c *rest.Call, in api.MemberTokenRef) (none rest.Result[api.None], err error) {
	current, _, err := s.memberShown(c, in.User)
	if err != nil {
		return none, err
	}
	if err := c.StoredAnswer(); err != nil {
		replay, answered := errors.AsType[*txn.ReplayError](err)
		if answered && !c.DryRun && replay.Fingerprint == c.Idempotency().Fingerprint { // the first attempt may have failed
			err = cmp.Or(s.endToken(ctx, c.Org, in.User, in.Token), err)
		}
		return none, err
	}
	f, err := s.loadTokenFamily(ctx, in.User, in.Token)
	if err != nil {
		return none, err
	}
	ended := f.endedFor(in.Token, func(d store.TokenDocument) bool { return current.accepts(d, f.ends[d.Fields.ID]) })
	if len(ended) == 0 || ended[0].Fields.ID != in.Token {
		return none, api.NotFound()
	}
	result, err := rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
		tx.Schedule(c.Org, store.EndTokenJob(in.User, in.Token), store.UserJobTime)
		return rest.Removed(removalOf(ended)), nil
	})
	if err != nil || c.DryRun {
		return result, err
	}
	return result, s.endToken(ctx, c.Org, in.User, in.Token)
}

// removalOf describes the end of a token of a member and those that it made.
func removalOf(ended []store.TokenDocument) api.Removal {
	var named []api.TakenThing
	for _, d := range ended[1:] {
		named = append(named, api.TakenThing{ID: d.Fields.ID, Title: newMemberToken(d.Fields).Name})
	}
	first := newMemberToken(ended[0].Fields)
	return api.Removal{ID: first.ID, Title: first.Name, With: []api.Taken{api.NewTaken("tokens", len(named), named...)}}
}

// endedFor returns the token and its descendants, the token first, as far as they satisfy a condition.
func (f tokenFamily) endedFor(token string, satisfies func(store.TokenDocument) bool) (found []store.TokenDocument) {
	for _, id := range append([]string{token}, f.descendants(token)...) {
		for _, d := range f.members {
			if d.Fields.ID == id && satisfies(d) {
				found = append(found, d)
			}
		}
	}
	return found
}

// RunTokenEnd is the job that ends a token of a member for an organization.
func (s *Service) RunTokenEnd(ctx context.Context, lease store.Lease) error {
	user, token := store.SplitEndTokenArg(lease.Arg)
	if err := s.endToken(ctx, lease.Organization, user, token); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Finish(tx.Tx)
	})
}

// endToken deletes a token and its descendants that are bound to an organization, and ends the others of them for it. It goes on until
// none is left, because a token may make others meanwhile.
func (s *Service) endToken(ctx context.Context, org, user, token string) error {
	for {
		changed := false
		_, err := rest.RetryPlan(func() (none rest.Result[api.None], err error) {
			f, err := s.loadTokenFamily(ctx, user, token)
			if err != nil || len(f.members) == 0 {
				return none, err
			}
			return none, s.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
				changed, err = f.endFor(tx, org, token)
				return err
			})
		})
		if err != nil || !changed {
			return err
		}
	}
}

// endFor ends a token and its descendants for an organization. It reports whether one of them was changed or deleted.
func (f tokenFamily) endFor(tx *store.Tx, org, token string) (changed bool, err error) {
	if err := f.checkUnchanged(tx); err != nil {
		return false, err
	}
	all := f.endedFor(token, func(store.TokenDocument) bool { return true })
	keys := make([]redis.Key, len(all))
	for i, d := range all {
		keys[i] = store.TokenKey(f.user, d.Fields.ID)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return false, err
	}
	for _, d := range all {
		ended, err := endTokenIn(tx, org, f.user, d.Fields.ID)
		if err != nil {
			return false, err
		}
		changed = changed || ended
	}
	if changed {
		tx.Event(endedTokenEvent(tx.Now(), org, f.user, token))
	}
	return changed, nil
}

// endTokenIn ends one token for an organization. It reports whether the token was changed or deleted.
func endTokenIn(tx *store.Tx, org, user, id string) (bool, error) {
	d, err := tx.Token(user, id)
	if err != nil || d.Version == 0 {
		return false, err
	}
	switch bound := d.Private.Organization; {
	case bound == org:
		tx.DeleteToken(user, d)
		return true, nil
	case bound != "", slices.Contains(d.Private.EndedIn, org):
		return false, nil
	}
	d.Private.EndedIn = append(slices.Clip(d.Private.EndedIn), org)
	d.Fields.EndedIn = d.Private.EndedIn
	_, err = tx.PutToken(user, d)
	return err == nil, err
}

// endedTokenEvent returns the event of the end of a token in the log of its user.
func endedTokenEvent(now time.Time, org, user, token string) map[string]string {
	fields := operatorEvent(now, api.DeleteMemberToken.Name, token)
	fields[eventlog.User], fields[eventlog.Organization] = user, org
	return fields
}
