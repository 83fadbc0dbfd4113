package orgs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A login by an OIDC provider ends some time after the sign-in. Where the provider has sent a refresh token, the login is renewed beyond
// that when the provider confirms that the person may still sign in. A provider that does not answer is no refusal: the login goes on for
// ProviderGrace.

// Confirmer asks identity providers whether somebody may still sign in.
type Confirmer interface {
	// Confirm sends a refresh token to the provider of its subject. The error wraps ErrProviderUnavailable if the provider does not
	// answer, and ErrSignInRevoked if the token does not work any more.
	Confirm(ctx context.Context, p Provider, subject, refresh string) (Confirmation, error)
}

// Errors of Confirmer.
var (
	ErrProviderUnavailable = errors.New("the identity provider does not answer")
	ErrSignInRevoked       = errors.New("the identity provider has ended the sign-in")
)

// Confirmation is the answer of a provider that somebody may still sign in.
type Confirmation struct {
	Refresh  string   // the refresh token for the next time
	Teams    []string // ids, see Provider.TeamsOf
	HasTeams bool     // the provider has sent the groups of the person
}

// Times of confirmations.
const (
	ProviderGrace       = time.Hour        // for which logins go on if the provider does not answer
	graceFrom           = 5 * time.Minute  // before the end of a login from which ProviderGrace is granted
	maxConfirmationTime = 55 * time.Second // that the requests to a provider and the answer take
	confirmationTime    = time.Minute      // in which a provider is asked once about a person
)

// Kinds of events of confirmations.
const (
	eventSignInExtended = "identities.extend" // the provider did not answer
	eventSignInRevoked  = "identities.refuse" // the provider has ended the sign-in
	eventTeamsConfirmed = "identities.change-teams"
)

// signInMaxAge returns the time for which a sign-in by a provider lasts.
func (l *Logins) signInMaxAge() time.Duration {
	if l.SignInMaxAge > 0 {
		return l.SignInMaxAge
	}
	return DefaultSignInMaxAge
}

// maxRefreshLength is the maximum length of a refresh token that is kept, in bytes.
const maxRefreshLength = 4096

// SealRefresh returns a refresh token of an identity encrypted, or "" if it cannot be kept: logins of the person end without it at their
// time.
func (l *Logins) SealRefresh(ctx context.Context, identity, refresh string) string {
	if refresh == "" {
		return ""
	}
	sealed, err := "", fmt.Errorf("it has %d bytes, at most %d are kept", len(refresh), maxRefreshLength)
	if len(refresh) <= maxRefreshLength {
		sealed, err = l.Orgs.Sealer.Encrypt(ctx, refresh, auth.RefreshTokenPurpose(identity)...)
	}
	if err != nil {
		l.Orgs.Log.Warn("refresh token not kept", "identity", identity, "reason", err)
		return ""
	}
	return sealed
}

// confirmation holds the records that are read before a provider is asked about a login.
type confirmation struct {
	login    login
	org      string
	identity store.IdentityDocument
	provider Provider
	end      api.Time // of the login, without an answer of the provider
	refresh  string   // refresh token, decrypted
}

// confirm returns the time until which a provider confirms a login that ends soon, or that has ended. It returns zero if the end of the
// login does not change. A login that descends from another token ends with it.
func (l *Logins) confirm(ctx context.Context, c *rest.Call, login login) (until api.Time, err error) {
	token := login.document.Private
	now := l.Orgs.now()
	if !isRenewable(token) || token.Login.Limit.After(now.Add(AccessTime)) {
		return until, nil
	}
	f, err := l.loadConfirmation(ctx, login)
	if err != nil || f.identity.Version == 0 {
		return until, err
	}
	last := token.SignIn.At
	if f.identity.Private.ConfirmedAt.After(last.Time) {
		last = f.identity.Private.ConfirmedAt
	}
	f.end = api.At(last.Add(l.signInMaxAge()))
	if f.end.After(now.Add(AccessTime)) || f.identity.Private.Refresh == "" {
		return later(f.end, token.Login.Limit), nil
	}
	isFirst, err := l.Orgs.Store.PutOnce(ctx, store.ConfirmationKey(f.identity.Fields.ID), "1", confirmationTime)
	if err != nil {
		return until, err
	}
	if !isFirst && token.Login.Limit.After(now) {
		return until, nil // another request asks
	}
	if !isFirst {
		e := api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable, "The identity provider is being asked.")
		e.RetryAfter = time.Second
		return until, e
	}
	// The provider may replace the refresh token with its answer, which has to be stored although the client disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxConfirmationTime)
	defer cancel()
	until, err = l.askProvider(ctx, c, f)
	return until, errors.Join(err, l.Orgs.Store.Forget(ctx, store.ConfirmationKey(f.identity.Fields.ID)))
}

// isRenewable reports whether a token is a login that a provider can confirm. One that descends from another token ends with that.
func isRenewable(token store.TokenPrivate) bool {
	return token.SignIn != nil && token.SignIn.IsRenewable && token.Parent == "" && token.Login != nil && token.Login.Type == api.LoginToken
}

// later returns the end of a login after its identity was confirmed by another sign-in, or zero if it does not change.
func later(end, present api.Time) api.Time {
	if end.After(present.Time) {
		return end
	}
	return api.Time{}
}

// loadConfirmation reads the identity and the provider of a login. The identity has no version if the login works no more, whatever the
// provider says, and no refresh token if that is of another issuer or client than the provider is now.
func (l *Logins) loadConfirmation(ctx context.Context, login login) (f confirmation, err error) {
	token := login.document.Private
	f = confirmation{login: login, org: token.Organization}
	b := l.Orgs.Store.NewBatch()
	identity := b.Record(store.IdentityKey(f.org, token.SignIn.Identity))
	member := b.Record(store.MemberKey(f.org, login.user))
	if err := b.Do(ctx); err != nil {
		return f, fmt.Errorf("read identity %s: %w", token.SignIn.Identity, err)
	}
	r, _, err := identity.Get()
	if err != nil || r.Version == 0 {
		return f, err
	}
	memberRecord, there, err := member.Get()
	if err != nil || !there {
		return f, err
	}
	var d store.IdentityDocument
	var m store.MemberDocument
	if err := errors.Join(d.Decode(r), m.Decode(memberRecord)); err != nil {
		return f, fmt.Errorf("identity %s of %s: %w", token.SignIn.Identity, login.user, err)
	}
	user, err := l.Orgs.LoadUser(ctx, login.user)
	if err != nil {
		return f, err
	}
	caller := access.Caller{Organization: f.org, BoundSince: token.BoundSince, SignIn: token.SignIn, EndedIn: token.EndedIn}
	isValid := caller.ValidForMembership(f.org, store.PersonOf(m)) && !m.Private.Disabled && !user.Private.IsDisabled()
	if !isValid || d.Private.User != login.user {
		return f, nil
	}
	f.provider, err = l.LoadProvider(ctx, f.org, token.SignIn.Provider, TriedSettings)
	if refused, ok := api.AsError(err); ok && refused.Code < http.StatusInternalServerError { // nobody signs in by it any more
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.identity = d
	if o := f.provider.OIDC; o == nil || o.Issuer != d.Fields.Issuer || o.ClientID != d.Private.Client {
		f.identity.Private.Refresh = ""
	}
	if f.identity.Private.Refresh == "" {
		return f, nil
	}
	f.refresh, err = l.Orgs.Sealer.Decrypt(d.Private.Refresh, auth.RefreshTokenPurpose(d.Fields.ID)...)
	if err != nil && !api.IsReason(err, api.ReasonSecret) { // no key opens it any more
		l.Orgs.Log.Warn("refresh token cannot be used", "identity", d.Fields.ID, "reason", err)
		f.identity.Private.Refresh, err = "", nil
	}
	return f, err
}

// askProvider asks the provider, and stores its answer.
func (l *Logins) askProvider(ctx context.Context, c *rest.Call, f confirmation) (until api.Time, err error) {
	id := f.identity.Fields.ID
	answer, refusal := l.Confirmer.Confirm(ctx, f.provider, f.identity.Fields.Subject, f.refresh)
	if refusal != nil {
		l.Orgs.Log.Warn("sign-in not confirmed", "organization", f.org, "provider", f.provider.ID, "user", f.login.user, "reason", refusal)
	}
	next := f.identity.Private
	if answer.Refresh != "" && answer.Refresh != f.refresh { // also if the rest of the answer cannot be used
		next.Refresh = l.SealRefresh(ctx, id, answer.Refresh)
	}
	now := l.Orgs.now()
	kind := ""
	switch {
	case errors.Is(refusal, ErrProviderUnavailable):
		grace := api.At(f.end.Add(ProviderGrace))
		isGranted := !grace.After(f.login.document.Private.Login.Limit.Time)
		if !isGranted && !f.end.After(now.Add(graceFrom)) && grace.After(now) {
			until, kind = grace, eventSignInExtended
		}
	case errors.Is(refusal, ErrSignInRevoked):
		next.Refresh, kind = "", eventSignInRevoked
	case refusal == nil:
		next.ConfirmedAt = api.At(now)
		until = api.At(now.Add(l.signInMaxAge()))
	}
	return until, l.storeConfirmation(ctx, c, f, kind, next, answer)
}

// storeConfirmation stores the answer of the provider, with an event if kind is not "" or the person comes into other teams. It changes
// nothing if somebody has signed in by the identity, or it was unlinked, since it was read.
func (l *Logins) storeConfirmation(
	ctx context.Context, c *rest.Call, f confirmation, kind string, next store.IdentityPrivate, answer Confirmation,
) error {
	return l.Orgs.Store.Update(ctx, store.Organization(f.org), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		d, err := tx.Identity(f.org, f.identity.Fields.ID)
		if err != nil || d.Version == 0 || !l.isSame(d, f) {
			return err
		}
		next, kind := next, kind
		if next.Refresh == f.identity.Private.Refresh { // or another key encrypts it meanwhile
			next.Refresh = d.Private.Refresh
		}
		changed := d.Private != next
		if next.ConfirmedAt != d.Private.ConfirmedAt && answer.HasTeams {
			moved, err := f.setTeams(tx, answer)
			if err != nil {
				return err
			}
			if moved {
				kind = eventTeamsConfirmed
			}
		}
		if kind != "" {
			if err := f.addEvent(c, tx, kind); err != nil {
				return err
			}
		}
		if !changed {
			return nil
		}
		d.Private = next
		_, err = tx.PutIdentity(f.org, d)
		return err
	})
}

// isSame reports whether an identity is as it was read, whatever key encrypts its refresh token.
func (l *Logins) isSame(d store.IdentityDocument, f confirmation) bool {
	refresh, err := l.Orgs.Sealer.Decrypt(d.Private.Refresh, auth.RefreshTokenPurpose(d.Fields.ID)...)
	return err == nil && refresh == f.refresh && d.Private.User == f.identity.Private.User &&
		d.Private.ConfirmedAt == f.identity.Private.ConfirmedAt
}

// addEvent adds an event about the login to the log of the organization.
func (f confirmation) addEvent(c *rest.Call, tx *store.Tx, kind string) error {
	fields, err := c.Event(tx, f.identity.Fields.ID)
	if err != nil {
		return err
	}
	fields[eventlog.Type], fields[eventlog.Actor] = kind, f.login.user
	fields["provider"], fields["user"] = f.provider.ID, f.login.user
	if fields[eventlog.After], err = shownValues(map[string]any{"provider": f.provider.ID}); err != nil {
		return err
	}
	tx.Event(fields)
	return nil
}

// setTeams puts the member into the teams that the provider has named, and reports whether that changed something.
func (f confirmation) setTeams(tx *store.Tx, answer Confirmation) (changed bool, err error) {
	m, err := tx.Member(f.org, f.login.user)
	if err != nil || m.Version == 0 {
		return false, err
	}
	plan := signInPlan{provider: f.provider}
	plan.Organization, plan.Identity.Teams = f.org, answer.Teams
	changed, err = setTeams(tx, plan, &m, false)
	if err == nil && changed {
		_, err = tx.PutMember(f.org, m)
	}
	return changed, err
}

// setRefresh sets the refresh token that a provider has sent with a sign-in, and reports whether there is one.
func (p signInPlan) setRefresh(tx *store.Tx, d *store.IdentityDocument) bool {
	if p.Refresh == "" || p.provider.OIDC == nil {
		return false
	}
	d.Private.Refresh, d.Private.Client, d.Private.ConfirmedAt = p.Refresh, p.provider.OIDC.ClientID, api.At(tx.Now())
	return true
}

// confirmIdentity stores that a provider has confirmed an identity, with a new refresh token. It does nothing if there is none.
func confirmIdentity(tx *store.Tx, plan signInPlan, d *store.IdentityDocument) error {
	if !plan.setRefresh(tx, d) {
		return nil
	}
	_, err := tx.PutIdentity(plan.Organization, *d)
	return err
}
