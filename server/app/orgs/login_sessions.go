package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// createSession makes the session of a browser from the caller's token, which limits it.
func (l *Logins) createSession(ctx context.Context, c *rest.Call, in CreateSessionInput) (none rest.Result[Session], err error) {
	if err := checkSignsIn(c.Caller); err != nil {
		return none, err
	}
	if err := l.removeExpired(ctx, c.Caller.User); err != nil {
		return none, err
	}
	return rest.RetryPlan(func() (none rest.Result[Session], err error) {
		f, err := l.Orgs.loadFamily(ctx, c.Caller.User, c.Caller.Root)
		if err == nil {
			err = l.Orgs.checkTokenQuota(ctx, f)
		}
		if err != nil {
			return none, err
		}
		made := tokenChange{organization: c.Caller.Organization, endedIn: c.Caller.EndedIn}
		return withTokenEvents(ctx, l.Orgs, c, made, func() (rest.Result[Session], error) {
			return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[Session], error) {
				made.note(c)
				return newSession(ctx, tx, c.Caller, f, in.Body)
			})
		})
	})
}

// checkSignsIn returns an error if the caller's token cannot be used to sign in with a browser. A session lasts longer than the secret of a
// login and than one that was replaced.
func checkSignsIn(caller *access.Caller) error {
	refused := func(what string) error {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "%s does not sign in with a browser.", what).
			WithHint("Use another token of the person: wsctl tokens create --name browser")
	}
	switch {
	case caller.Installation != nil:
		return refused("A token of an installation")
	case caller.IsAgent:
		return refused("A token of an agent")
	case caller.Login != "":
		return refused("The token of a " + string(caller.Login))
	case caller.SecretReplaced:
		return refused("A secret that was replaced")
	}
	return nil
}

// newSession stores a session that descends from the caller's token.
func newSession(ctx context.Context, tx *store.Tx, caller *access.Caller, f tokenFamily, in SessionCreate) (
	none rest.Result[Session], err error,
) {
	o := TokenOptions{
		Name: "Browser", Scopes: caller.Scopes, Organization: caller.Organization, Client: in.Client, Address: in.Address, parent: caller,
		ExpiresAt: caller.ExpiryFor(api.At(tx.Now().Add(SessionTime))), login: &store.TokenLogin{Type: api.SessionToken},
	}
	_, text, err := addToken(ctx, tx, caller, f, o)
	if err != nil {
		return none, err
	}
	session, _ := auth.ParseCredential(text)
	r, err := rest.Value(Session{Session: session.Session(), ExpiresAt: o.ExpiresAt})
	r.ID = session.Token
	return r, err
}

// removeExpired deletes the sessions and logins of a user that have expired, unless removals by age are held.
func (l *Logins) removeExpired(ctx context.Context, user string) error {
	all, err := l.all(ctx, user)
	if err != nil {
		return err
	}
	var expired []string
	for _, d := range all {
		if ends := renewableUntil(d.Private); d.Private.Login != nil && !ends.IsZero() && !ends.After(l.Orgs.now()) {
			expired = append(expired, d.Fields.ID)
		}
	}
	if len(expired) == 0 {
		return nil
	}
	return l.Orgs.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for _, id := range expired {
			d, err := tx.Token(user, id)
			if err != nil {
				return err
			}
			if d.Version == 0 {
				continue // it was deleted meanwhile
			}
			switch delay, err := tx.RemovalDelay(ctx, renewableUntil(d.Private).Time); {
			case errors.Is(err, redis.ErrRemovalHeld):
				return nil
			case err != nil:
				return err
			case delay == 0:
				tx.DeleteToken(user, d)
			}
		}
		return nil
	})
}

// renewableUntil returns the time after which a session or login cannot be renewed; zero = none.
func renewableUntil(token store.TokenPrivate) api.Time {
	if !isRenewable(token) || token.ExpiresAt.IsZero() {
		return token.ExpiresAt
	}
	return api.At(token.ExpiresAt.Add(LoginTime))
}

// all returns the tokens of a user.
func (l *Logins) all(ctx context.Context, user string) ([]store.TokenDocument, error) {
	b := l.Orgs.Store.NewBatch()
	index := b.Range(store.TokensKey(user), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return l.Orgs.LoadTokens(ctx, user, index.Value())
}

// getSession returns what the session of the request may do.
func (l *Logins) getSession(_ context.Context, c *rest.Call, _ api.NoInput) (rest.Result[SessionAccess], error) {
	return rest.Value(SessionAccess{
		Scopes: c.Caller.Scopes, Organization: c.Caller.Organization, IsByProvider: c.Caller.SignIn != nil,
	})
}

// listScopes returns the scopes that the roles of the caller need, in an organization or in all.
func (l *Logins) listScopes(ctx context.Context, c *rest.Call, in ListScopesInput) (none rest.Result[SessionAccess], err error) {
	organization := cmp.Or(in.Organization, c.Caller.Organization)
	if !c.Caller.CanAccessTokensOf(organization) {
		return none, api.NotFound()
	}
	scopes, err := l.Orgs.LeastScopes(ctx, c.Caller.User, organization)
	if err != nil {
		return none, err
	}
	return rest.Value(SessionAccess{Scopes: scopes, Organization: organization})
}

// endSession ends sessions and logins of the caller, whatever the scopes of the session. Tokens that were made in another way take
// api.DeleteToken.
func (l *Logins) endSession(ctx context.Context, c *rest.Call, in EndSessionInput) (none rest.Result[api.None], err error) {
	ids := []string{c.Caller.Token}
	if in.Body.All || in.Body.Token != "" {
		all, err := l.all(ctx, c.Caller.User)
		if err != nil {
			return none, err
		}
		ids = nil
		for _, d := range all {
			isOther := d.Private.Login != nil && d.Fields.ID != c.Caller.Token && c.Caller.CanAccessTokensOf(d.Private.Organization)
			if isOther && in.Body.All || d.Private.Login != nil && d.Fields.ID == in.Body.Token {
				ids = append(ids, d.Fields.ID)
			}
		}
		if in.Body.All {
			ids = append(ids, c.Caller.Token)
		}
	}
	if len(ids) == 0 {
		return none, api.NotFound()
	}
	for _, id := range ids {
		result, err := l.Orgs.deleteToken(ctx, c, api.TokenRef{Token: id})
		if err != nil && (id == c.Caller.Token || !api.IsReason(err, api.ReasonNotFound)) { // others may have ended meanwhile
			return none, err
		}
		none = result
	}
	return none, nil
}
