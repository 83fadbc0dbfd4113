package orgs

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// A refresh secret consists of two random parts and a number: the first part is the same in all secrets of a login, and each renewal
// replaces the second and increases the number. A secret with the right first part that is not the present one was replaced before, and
// somebody has copied it, unless its number is higher: then the data has lost its renewal.

// randomLength is the length of the random parts: that of the result of rand.Text.
const randomLength = 26

// splitRefresh returns the first part and the number of a refresh secret.
func splitRefresh(secret string) (chain string, generation int, ok bool) {
	if len(secret) <= 2*randomLength {
		return "", 0, false
	}
	generation, err := strconv.Atoi(secret[2*randomLength:])
	return secret[:randomLength], generation, err == nil
}

// eventLoginReused is the kind of the event of a login that was ended because a replaced secret was used again.
const eventLoginReused = "logins.reuse"

// login is a login that a request names, with the tokens that descend from it.
type login struct {
	service *Service
	user    string
	token   string
	family  tokenFamily
	change  tokenChange

	document store.TokenDocument
	until    api.Time // latest end that the provider has confirmed, for a login by one; zero = unchanged
}

// noteRefusal counts a refused request with the login for its log.
func (l login) noteRefusal(c *rest.Call, err error) {
	if api.IsReason(err, api.ReasonUnauthenticated) {
		c.CountRefusal(l.user, l.document)
	}
}

// find reads a login. It returns invalidGrant if there is none.
func (l *Logins) find(ctx context.Context, given auth.Credential) (found login, err error) {
	found = login{service: l.Orgs, user: given.User, token: given.Token}
	found.family, err = l.Orgs.loadTokenFamily(ctx, given.User, given.Token)
	if err != nil {
		return found, err
	}
	for _, d := range found.family.members {
		if d.Fields.ID == given.Token && d.Private.Login != nil && d.Private.Login.Type == api.LoginToken {
			found.document = d
			found.change = tokenChange{
				user: given.User, organization: d.Private.Organization, endedIn: d.Private.EndedIn, revokes: true,
			}
			return found, nil
		}
	}
	return found, invalidGrant()
}

// read reads the login in a transaction. It returns an error if the login or the account has ended.
func (l login) read(tx *store.Tx, c *rest.Call) (d store.TokenDocument, err error) {
	user, err := tx.User(l.user)
	if err != nil {
		return d, err
	}
	d, err = tx.Token(l.user, l.token)
	if err == nil && (d.Version == 0 || d.Private.Login == nil || user.Private.IsDisabled()) {
		err = invalidGrant()
	}
	c.Note(eventlog.Actor, l.user)
	l.change.note(c)
	return d, err
}

// endReused ends the login because one of its replaced secrets was used. Its event is of another kind than that of the operation.
func (l login) endReused(tx *store.Tx, c *rest.Call, d store.TokenDocument) (r rest.Result[LoginSecrets], err error) {
	fields, err := c.Event(tx, l.token)
	if err != nil {
		return r, err
	}
	fields[eventlog.Type] = eventLoginReused
	tx.Event(fields)
	return rest.Result[LoginSecrets]{Quiet: true}, l.delete(tx, d)
}

// delete deletes the login and the tokens that descend from it.
func (l login) delete(tx *store.Tx, d store.TokenDocument) error {
	if err := l.family.checkUnchanged(tx); err != nil {
		return err
	}
	tx.DeleteToken(l.user, d)
	return l.family.revoke(tx, l.family.descendants(l.token))
}

// completeLogin gives a login its first secrets.
func completeLogin(tx *store.Tx, given auth.Credential, d *store.TokenDocument) (rest.Result[LoginSecrets], error) {
	chain := rand.Text()
	d.Private.Login.Chain = auth.Digest(chain)
	return putLoginSecrets(tx, given, d, chain)
}

// putLoginSecrets gives a login new secrets and stores it.
func putLoginSecrets(tx *store.Tx, given auth.Credential, d *store.TokenDocument, chain string) (none rest.Result[LoginSecrets],
	err error,
) {
	login := d.Private.Login
	login.Generation++
	now, access, refresh := tx.Now(), rand.Text(), chain+rand.Text()+strconv.Itoa(login.Generation)
	if d.Private.Digest != "" {
		d.Private.Old = &store.OldSecret{Digest: d.Private.Digest, Until: login.AccessUntil}
	}
	d.Private.ExpiresAt = store.EarlierEnd(api.At(now.Add(LoginTime)), login.Limit)
	d.Fields.ExpiresAt = d.Private.ExpiresAt
	login.AccessUntil = store.EarlierEnd(api.At(now.Add(AccessTime)), d.Private.ExpiresAt)
	login.Refresh = auth.Digest(refresh)
	d.Private.Digest = auth.TokenDigest(d.Private, access)
	answer := LoginSecrets{AccessUntil: login.AccessUntil, Scopes: d.Private.Scopes, Organization: d.Private.Organization}
	credential := auth.Credential{User: given.User, Token: given.Token, Secret: access}
	answer.Access = credential.String()
	credential.Secret = refresh
	answer.Refresh = credential.Refresh()
	if login.Renewed != nil {
		if login.Renewed.Sealed, err = sealAnswer(given, answer); err != nil {
			return none, err
		}
	}
	if _, err := tx.PutToken(given.User, *d); err != nil {
		return none, err
	}
	r, err := rest.Value(answer)
	r.ID = given.Token
	return r, err
}

// renewLogin replaces the secrets of a login. The refresh secret that was replaced last gets the same answer for a minute, for clients
// that did not receive it and for processes that renew at the same time; later it ends the login, as all older ones do.
func (l *Logins) renewLogin(ctx context.Context, c *rest.Call, in LoginSecretInput) (none rest.Result[LoginSecrets], err error) {
	given, ok := auth.ParseRefresh(in.Body.Secret)
	if !ok {
		return none, invalidGrant()
	}
	return rest.RetryPlan(func() (none rest.Result[LoginSecrets], err error) {
		login, err := l.find(ctx, given)
		if err != nil {
			return none, err
		}
		match := login.match(given.Secret, l.Orgs.now())
		wasReused := match == refreshReused
		if match == refreshCurrent {
			if login.until, err = l.confirm(ctx, c, login); err != nil {
				return none, err
			}
		}
		commit := func() (rest.Result[LoginSecrets], error) {
			return rest.Commit(ctx, c, store.User(given.User), func(tx *store.Tx) (rest.Result[LoginSecrets], error) {
				return login.renew(tx, c, given, wasReused)
			})
		}
		if !wasReused {
			result, err := commit()
			login.noteRefusal(c, err)
			return result, err
		}
		if result, err := withTokenEvents(ctx, l.Orgs, c, login.change, commit); err != nil {
			return result, err
		}
		return none, invalidGrant()
	})
}

// match returns the relation of a refresh secret to the login as it was found.
func (l login) match(secret string, now time.Time) refreshMatch {
	return matchRefresh(*l.document.Private.Login, secret, api.At(now))
}

// renew renews the login, or ends it if wasReused is set. It returns store.ErrHeadMoved if that is not so any more.
func (l login) renew(tx *store.Tx, c *rest.Call, given auth.Credential, wasReused bool) (none rest.Result[LoginSecrets], err error) {
	d, err := l.read(tx, c)
	if err != nil {
		return none, err
	}
	match := matchRefresh(*d.Private.Login, given.Secret, api.At(tx.Now()))
	if !l.until.IsZero() && match == refreshCurrent {
		d.Private.Login.Limit, d.Private.ExpiresAt = l.until, l.until
	}
	switch {
	case (match == refreshReused) != wasReused:
		return none, store.ErrHeadMoved
	case wasReused:
		return l.endReused(tx, c, d)
	case match == refreshUnknown || !l.service.effectiveEnd(d, api.Time{}).After(tx.Now()):
		return none, invalidGrant()
	case match == refreshReplaced:
		return repeatRenewal(*d.Private.Login.Renewed, given)
	}
	return renew(tx, given, &d)
}

// renew replaces the secrets of a login whose present refresh secret was given.
func renew(tx *store.Tx, given auth.Credential, d *store.TokenDocument) (rest.Result[LoginSecrets], error) {
	d.Private.Login.Code = nil
	d.Private.Login.Renewed = &store.LoginRenewal{Refresh: d.Private.Login.Refresh, Until: api.At(tx.Now().Add(renewalRepeats))}
	r, err := putLoginSecrets(tx, given, d, given.Secret[:randomLength])
	r.Quiet = true
	return r, err
}

// repeatRenewal returns the answer of the last renewal.
func repeatRenewal(last store.LoginRenewal, given auth.Credential) (none rest.Result[LoginSecrets], err error) {
	answer, err := openAnswer(given, last.Sealed)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(answer)
	r.ID, r.Unchanged = given.Token, true
	return r, err
}

// refreshMatch is the relation of a given refresh secret to those of a login.
type refreshMatch int

const (
	refreshUnknown  refreshMatch = iota
	refreshCurrent               // the present one
	refreshReplaced              // the one before it, within renewalRepeats
	refreshReused                // replaced longer ago
)

func matchRefresh(login store.TokenLogin, secret string, now api.Time) refreshMatch {
	matches := func(digest, text string) bool {
		return digest != "" && subtle.ConstantTimeCompare([]byte(digest), []byte(auth.Digest(text))) == 1
	}
	chain, generation, ok := splitRefresh(secret)
	switch {
	case !ok || !matches(login.Chain, chain) || generation > login.Generation:
		return refreshUnknown
	case matches(login.Refresh, secret):
		return refreshCurrent
	case login.Renewed != nil && matches(login.Renewed.Refresh, secret) && now.Before(login.Renewed.Until.Time):
		return refreshReplaced
	}
	return refreshReused
}

// endLogin ends a login for a client that logs out with its refresh secret or its access token (RFC 7009). A secret that opens nothing is
// no error.
func (l *Logins) endLogin(ctx context.Context, c *rest.Call, in LoginSecretInput) (none rest.Result[api.None], err error) {
	given, ok := auth.ParseRefresh(in.Body.Secret)
	if !ok {
		given, ok = auth.ParseCredential(in.Body.Secret)
	}
	if !ok {
		return none, nil
	}
	return rest.RetryPlan(func() (none rest.Result[api.None], err error) {
		login, err := l.find(ctx, given)
		if api.IsReason(err, api.ReasonUnauthenticated) {
			return none, nil
		}
		if err != nil {
			return none, err
		}
		return withTokenEvents(ctx, l.Orgs, c, login.change, func() (rest.Result[api.None], error) {
			return rest.Commit(ctx, c, store.User(given.User), func(tx *store.Tx) (none rest.Result[api.None], err error) {
				d, err := tx.Token(given.User, given.Token)
				if err != nil || d.Version == 0 || !opensLogin(d.Private, given.Secret, tx.Now()) {
					return rest.Result[api.None]{Unchanged: true}, err
				}
				c.Note(eventlog.Actor, given.User)
				login.change.note(c)
				return rest.None(given.Token), login.delete(tx, d)
			})
		})
	})
}

// opensLogin reports whether a secret is a refresh secret of a login, a replaced one included, or its access token.
func opensLogin(token store.TokenPrivate, secret string, now time.Time) bool {
	if token.Login == nil {
		return false
	}
	_, isAccess := auth.MatchSecret(token, secret, token.ExpiresAt)
	return isAccess || matchRefresh(*token.Login, secret, api.At(now)) != refreshUnknown
}

// renewalPurpose is the purpose of the encrypted answer of a renewal.
const renewalPurpose = "renewal"

// sealAnswer encrypts the answer of a renewal for the holder of the refresh secret that was given.
func sealAnswer(given auth.Credential, answer LoginSecrets) (string, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return "", fmt.Errorf("encode the answer of a renewal: %w", err)
	}
	return auth.EncryptFor(given.Secret, string(data), renewalPurpose, given.Token)
}

func openAnswer(given auth.Credential, sealed string) (answer LoginSecrets, err error) {
	data, err := auth.DecryptFor(given.Secret, sealed, renewalPurpose, given.Token)
	if err == nil {
		err = json.Unmarshal([]byte(data), &answer)
	}
	if err != nil {
		return answer, fmt.Errorf("the stored answer of a renewal cannot be read: %w", err)
	}
	return answer, nil
}
