package orgs

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// loginOrigin contains the tokens that a new login depends on: the session in which it is approved, and the token of which that was made.
type loginOrigin struct {
	session store.TokenDocument
	parent  store.TokenDocument // zero if the session descends from no token
	family  tokenFamily         // of the parent
	maxAge  time.Duration       // of a sign-in by a provider
}

// approveLogin stores a login that a client can complete with a code. The login descends from the token with which the person signed in,
// not from the session, so that it goes on when the session ends.
func (l *Logins) approveLogin(ctx context.Context, c *rest.Call, in ApproveLoginInput) (none rest.Result[ApprovedLogin], err error) {
	if err := checkApproval(c.Caller, in.Body); err != nil {
		return none, err
	}
	if err := l.removeExpired(ctx, c.Caller.User); err != nil {
		return none, err
	}
	return rest.RetryPlan(func() (none rest.Result[ApprovedLogin], err error) {
		origin, err := l.loadOrigin(ctx, c.Caller)
		if err != nil {
			return none, err
		}
		since, err := boundTokenStart(ctx, l.Orgs.Store, c.Caller.User, in.Body.Organization)
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[ApprovedLogin], error) {
			c.Note(eventlog.Organization, cmp.Or(in.Body.Organization, c.Caller.Organization))
			return origin.approve(ctx, tx, c.Caller, in.Body, since)
		})
	})
}

// checkApproval returns an error if a login would have more access than the session in which it is approved.
func checkApproval(caller *access.Caller, in LoginApproval) error {
	for i, scope := range in.Scopes {
		if !caller.HasScope(scope) {
			return api.InvalidField(fmt.Sprintf("scopes[%d]", i), "is more than the session may do, which is: %s",
				caller.Scopes[len(caller.Scopes)-1])
		}
	}
	if in.Organization != "" && !caller.CanAccessTokensOf(in.Organization) {
		return api.InvalidField("organization", "must be %s, as for the session", caller.Organization)
	}
	return nil
}

func (l *Logins) loadOrigin(ctx context.Context, caller *access.Caller) (o loginOrigin, err error) {
	found, err := l.Orgs.LoadTokens(ctx, caller.User, []string{caller.Token})
	if err != nil {
		return o, err
	}
	if len(found) == 0 {
		return o, auth.Unauthenticated()
	}
	o.session, o.maxAge = found[0], l.signInMaxAge()
	parent := o.session.Private.Parent
	o.family, err = l.Orgs.loadFamily(ctx, caller.User, cmp.Or(o.session.Private.Root, caller.Token))
	if err == nil {
		err = l.Orgs.checkTokenQuota(ctx, o.family)
	}
	if err != nil || parent == "" {
		return o, err
	}
	found, err = l.Orgs.LoadTokens(ctx, caller.User, []string{parent})
	if err == nil && len(found) == 0 {
		err = auth.Unauthenticated()
	}
	if err == nil {
		o.parent = found[0]
	}
	return o, err
}

// approve stores the login.
func (o loginOrigin) approve(ctx context.Context, tx *store.Tx, caller *access.Caller, in LoginApproval, since api.Time) (
	none rest.Result[ApprovedLogin], err error,
) {
	secret := rand.Text()
	code := &store.LoginCode{
		Digest: auth.Digest(secret), Until: api.At(tx.Now().Add(CodeTime)), Challenge: in.Challenge, RedirectURI: in.RedirectURI,
	}
	limit := o.parent.Private.ExpiresAt
	if o.parent.Private.IdleMillis > 0 { // it moves with each use
		limit = api.Time{}
	}
	signIn := o.session.Private.SignIn
	if signIn != nil {
		limit = store.EarlierEnd(limit, api.At(signIn.At.Add(o.maxAge)))
	}
	isDevice := in.CodeDigest != ""
	if isDevice {
		code.Digest, code.Until = in.CodeDigest, in.CodeUntil
	}
	options := TokenOptions{
		Name: in.Client, Scopes: in.Scopes, Organization: cmp.Or(in.Organization, caller.Organization), ExpiresAt: code.Until,
		BoundSince: since, Client: in.Client, Address: in.Address,
		login: &store.TokenLogin{Type: api.LoginToken, Code: code, Limit: limit}, signIn: signIn,
	}
	text, err := o.add(ctx, tx, caller, options)
	if err != nil {
		return none, err
	}
	made, _ := auth.ParseCredential(text)
	answer := ApprovedLogin{User: made.User, Token: made.Token}
	if !isDevice {
		made.Secret = secret
		answer.Code = made.Code()
	}
	r, err := rest.Value(answer)
	r.ID = made.Token
	return r, err
}

// add stores a token that descends from the parent of the session, if it has one.
func (o loginOrigin) add(ctx context.Context, tx *store.Tx, caller *access.Caller, options TokenOptions) (text string, err error) {
	session, err := tx.Token(caller.User, caller.Token)
	if err == nil && session.Version == 0 {
		err = auth.Unauthenticated()
	}
	if err != nil {
		return "", err
	}
	options.endedIn = session.Private.EndedIn
	if slices.Contains(options.endedIn, options.Organization) {
		return "", auth.TokenEndedHere()
	}
	if o.parent.Version == 0 {
		err = errors.Join(o.family.userTokens.checkUnchanged(tx, store.TokensKey(caller.User)), o.family.checkUnchanged(tx))
		if err != nil {
			return "", err
		}
		if options.BoundSince.IsZero() {
			options.BoundSince = session.Private.BoundSince
		}
		_, text, err = NewToken(tx, caller.User, options)
		return text, err
	}
	parent := *caller
	parent.Token, parent.Root = o.parent.Fields.ID, cmp.Or(o.parent.Private.Root, o.parent.Fields.ID)
	options.parent = &parent
	_, text, err = addToken(ctx, tx, &parent, o.family, options)
	return text, err
}

// createLogin exchanges a code for the secrets of its login. A code that comes again ends the login, since one of the two who have it is
// not the client (RFC 6749, 4.1.2).
func (l *Logins) createLogin(ctx context.Context, c *rest.Call, in CreateLoginInput) (none rest.Result[LoginSecrets], err error) {
	given, ok := auth.ParseCode(in.Body.Code)
	if !ok {
		return none, invalidGrant()
	}
	return rest.RetryPlan(func() (none rest.Result[LoginSecrets], err error) {
		login, err := l.find(ctx, given)
		if err != nil {
			return none, err
		}
		reused := false
		result, err := withTokenEvents(ctx, l.Orgs, c, login.change, func() (rest.Result[LoginSecrets], error) {
			return rest.Commit(ctx, c, store.User(given.User), func(tx *store.Tx) (none rest.Result[LoginSecrets], err error) {
				d, err := login.read(tx, c)
				if err != nil {
					return none, err
				}
				code := d.Private.Login.Code
				if code == nil || subtle.ConstantTimeCompare([]byte(code.Digest), []byte(auth.Digest(given.Secret))) == 0 {
					return none, invalidGrant()
				}
				isRepeat := isRedeemedByDevice(d.Private, api.At(tx.Now()))
				if reused = d.Private.Digest != "" && !isRepeat; reused {
					return login.endReused(tx, c, d)
				}
				if !isRepeat && !code.Until.After(tx.Now()) || !codeMatches(code, in.Body) {
					return none, invalidGrant()
				}
				return completeLogin(tx, given, &d)
			})
		})
		if err == nil && reused {
			return result, invalidGrant()
		}
		login.noteRefusal(c, err)
		return result, err
	})
}

// isRedeemedByDevice reports whether the code of a device was redeemed within the last minute. One client has it, which gets new secrets if
// it has not received the first ones.
func isRedeemedByDevice(token store.TokenPrivate, now api.Time) bool {
	code, since := token.Login.Code, token.Login.AccessUntil.Add(-AccessTime)
	return code.Challenge == "" && code.RedirectURI == "" && token.Digest != "" && now.Before(since.Add(renewalRepeats))
}

// codeMatches reports whether a client that redeems a code is the one that asked for it (RFC 7636, 4.6).
func codeMatches(code *store.LoginCode, in LoginCreate) bool {
	if code.RedirectURI != in.RedirectURI {
		return false
	}
	if code.Challenge == "" {
		return in.Verifier == ""
	}
	sum := sha256.Sum256([]byte(in.Verifier))
	return subtle.ConstantTimeCompare([]byte(code.Challenge), []byte(base64.RawURLEncoding.EncodeToString(sum[:]))) == 1
}
