package orgs

import (
	"context"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// createSession makes the session of a browser from the caller's token, which limits it.
func (l *Logins) createSession(ctx context.Context, c *rest.Call, in CreateSessionInput) (none rest.Result[Session], err error) {
	if err := checkSignsIn(c.Caller); err != nil {
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

// checkSignsIn returns an error if the caller's token cannot be used to sign in with a browser.
func checkSignsIn(caller *access.Caller) error {
	if caller.Installation == nil && !caller.IsAgent {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Tokens of installations and of agents do not sign in.").
		WithHint("Use a token of the person.")
}

// newSession stores a session that descends from the caller's token or replaces it.
func newSession(ctx context.Context, tx *store.Tx, caller *access.Caller, f tokenFamily, in SessionCreate) (
	none rest.Result[Session], err error,
) {
	o := TokenOptions{
		Name: "Browser", Scopes: caller.Scopes, Organization: caller.Organization, Client: in.Client, Address: in.Address, parent: caller,
		ExpiresAt: caller.ExpiryFor(api.At(tx.Now().Add(SessionTime))), login: &store.TokenLogin{Type: api.TokenSession},
	}
	var text string
	if in.Replace {
		text, err = replaceBySession(tx, caller, o)
	} else {
		_, text, err = addToken(ctx, tx, caller, f, o)
	}
	if err != nil {
		return none, err
	}
	session, _ := auth.ParseCredential(text)
	r, err := rest.Value(Session{Session: session.Session(), ExpiresAt: o.ExpiresAt})
	r.ID = session.Token
	return r, err
}

// replaceBySession stores a session and deletes the caller's token, which must have no parent and no descendants.
func replaceBySession(tx *store.Tx, caller *access.Caller, o TokenOptions) (text string, err error) {
	d, err := tx.Token(caller.User, caller.Token)
	if err != nil {
		return "", err
	}
	if d.Version == 0 || d.Private.Parent != "" {
		return "", auth.Unauthenticated()
	}
	o.parent, o.BoundSince, o.endedIn = nil, d.Private.BoundSince, d.Private.EndedIn
	tx.DeleteToken(caller.User, d)
	_, text, err = NewToken(tx, caller.User, o)
	return text, err
}

// endSession ends the session of the caller, whatever its scopes.
func (l *Logins) endSession(ctx context.Context, c *rest.Call, _ api.NoInput) (rest.Result[api.None], error) {
	return l.Orgs.deleteToken(ctx, c, api.TokenRef{Token: c.Caller.Token})
}
