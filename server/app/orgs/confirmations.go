package orgs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
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
	ProviderGrace    = time.Hour        // for which logins go on if the provider does not answer
	graceFrom        = 5 * time.Minute  // before the end of a login from which ProviderGrace is granted
	confirmationTime = 45 * time.Second // in which a provider is asked once about a person; longer than its answers take
)

// Kinds of events of confirmations.
const (
	eventSignInExtended = "identities.extend" // the provider did not answer
	eventSignInRevoked  = "identities.refuse" // the provider has ended the sign-in
)

// signInMaxAge returns the time for which a sign-in by a provider lasts.
func (l *Logins) signInMaxAge() time.Duration {
	if l.SignInMaxAge > 0 {
		return l.SignInMaxAge
	}
	return DefaultSignInMaxAge
}

// confirmation holds the records that are read before a provider is asked about a login.
type confirmation struct {
	login    login
	org      string
	identity store.IdentityDocument
	provider Provider
	end      api.Time // of the login, without an answer of the provider
}

// confirm returns the time until which a provider confirms a login that ends soon, or that has ended. It returns zero if the end of the
// login does not change.
func (l *Logins) confirm(ctx context.Context, c *rest.Call, login login) (until api.Time, err error) {
	token := login.document.Private
	now := l.Orgs.now()
	if token.SignIn == nil || !token.SignIn.IsRenewable || token.Login.Limit.After(now.Add(AccessTime)) {
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
	until, err = l.askProvider(ctx, c, f)
	return until, errors.Join(err, l.Orgs.Store.Forget(ctx, store.ConfirmationKey(f.identity.Fields.ID)))
}

// later returns the end of a login after its identity was confirmed by another sign-in, or zero if it does not change.
func later(end, present api.Time) api.Time {
	if end.After(present.Time) {
		return end
	}
	return api.Time{}
}

// loadConfirmation reads the identity and the provider of a login. The identity has no version if nobody can sign in by it as the user of
// the login any more.
func (l *Logins) loadConfirmation(ctx context.Context, login login) (f confirmation, err error) {
	signIn := login.document.Private.SignIn
	f = confirmation{login: login, org: login.document.Private.Organization}
	b := l.Orgs.Store.NewBatch()
	identity := b.Record(store.IdentityKey(f.org, signIn.Identity))
	member := b.Record(store.MemberKey(f.org, login.user))
	if err := b.Do(ctx); err != nil {
		return f, fmt.Errorf("read identity %s: %w", signIn.Identity, err)
	}
	r, _, err := identity.Get()
	if err != nil || r.Version == 0 {
		return f, err
	}
	var m store.MemberDocument
	if memberRecord, there, err := member.Get(); err != nil || !there {
		return f, err
	} else if err := m.Decode(memberRecord); err != nil {
		return f, fmt.Errorf("member %s of %s: %w", login.user, f.org, err)
	}
	var d store.IdentityDocument
	if err := d.Decode(r); err != nil {
		return f, fmt.Errorf("identity %s: %w", signIn.Identity, err)
	}
	if d.Private.User != login.user || m.Private.Disabled || m.Private.Identities[signIn.Identity].IsZero() {
		return f, nil
	}
	f.provider, err = l.LoadProvider(ctx, f.org, signIn.Provider, TriedSettings)
	if api.IsReason(err, api.ReasonNotFound) || f.provider.OIDC == nil {
		return f, nil
	}
	f.identity = d
	return f, err
}

// askProvider asks the provider, and stores its answer.
func (l *Logins) askProvider(ctx context.Context, c *rest.Call, f confirmation) (until api.Time, err error) {
	id := f.identity.Fields.ID
	refresh, err := l.Orgs.Sealer.Decrypt(f.identity.Private.Refresh, auth.RefreshTokenPurpose(id)...)
	if err != nil {
		return until, err
	}
	answer, err := l.Confirmer.Confirm(ctx, f.provider, f.identity.Fields.Subject, refresh)
	if err != nil {
		l.Orgs.Log.Warn("sign-in not confirmed", "organization", f.org, "provider", f.provider.ID, "user", f.login.user, "reason", err)
	}
	now := l.Orgs.now()
	switch {
	case errors.Is(err, ErrProviderUnavailable):
		grace := api.At(f.end.Add(ProviderGrace))
		isGranted := !grace.After(f.login.document.Private.Login.Limit.Time)
		if isGranted || f.end.After(now.Add(graceFrom)) || !grace.After(now) {
			return until, nil
		}
		return grace, l.updateIdentity(ctx, c, f, eventSignInExtended, func(*store.Tx, *store.IdentityDocument) error { return nil })
	case errors.Is(err, ErrSignInRevoked):
		return until, l.updateIdentity(ctx, c, f, eventSignInRevoked, func(_ *store.Tx, d *store.IdentityDocument) error {
			d.Private.Refresh = ""
			return nil
		})
	case err != nil:
		return until, nil // the login ends at its time
	}
	sealed := f.identity.Private.Refresh
	if answer.Refresh != refresh {
		if sealed, err = l.Orgs.Sealer.Encrypt(ctx, answer.Refresh, auth.RefreshTokenPurpose(id)...); err != nil {
			return until, err
		}
	}
	err = l.updateIdentity(ctx, c, f, "", func(tx *store.Tx, d *store.IdentityDocument) error {
		d.Private.Refresh, d.Private.ConfirmedAt = sealed, api.At(tx.Now())
		return f.setTeams(tx, answer)
	})
	return api.At(now.Add(l.signInMaxAge())), err
}

// updateIdentity changes the identity, with an event if kind is not "". It changes nothing if somebody has signed in by the identity, or
// it was unlinked, since it was read.
func (l *Logins) updateIdentity(
	ctx context.Context, c *rest.Call, f confirmation, kind string, change func(*store.Tx, *store.IdentityDocument) error,
) error {
	return l.Orgs.Store.Update(ctx, store.Organization(f.org), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		d, err := tx.Identity(f.org, f.identity.Fields.ID)
		if err != nil || d.Version == 0 || d.Private != f.identity.Private {
			return err
		}
		if err := change(tx, &d); err != nil {
			return err
		}
		if kind != "" {
			fields, err := c.Event(tx, d.Fields.ID)
			if err != nil {
				return err
			}
			fields[eventlog.Type], fields[eventlog.Actor] = kind, f.login.user
			fields["provider"], fields["user"] = f.provider.ID, f.login.user
			if fields[eventlog.After], err = shownValues(map[string]any{"provider": f.provider.ID}); err != nil {
				return err
			}
			tx.Event(fields)
		}
		if d.Private == f.identity.Private {
			return nil
		}
		_, err = tx.PutIdentity(f.org, d)
		return err
	})
}

// setTeams puts the member into the teams that the provider has named.
func (f confirmation) setTeams(tx *store.Tx, answer Confirmation) error {
	if !answer.HasTeams {
		return nil
	}
	m, err := tx.Member(f.org, f.login.user)
	if err != nil || m.Version == 0 {
		return err
	}
	plan := signInPlan{provider: f.provider}
	plan.Organization, plan.Identity.Teams = f.org, answer.Teams
	changed, err := setTeams(tx, plan, &m, false)
	if err == nil && changed {
		_, err = tx.PutMember(f.org, m)
	}
	return err
}

// confirmIdentity stores that a provider has confirmed an identity, with a new refresh token. It does nothing if there is none.
func confirmIdentity(tx *store.Tx, plan signInPlan, d *store.IdentityDocument) error {
	if plan.refresh == "" {
		return nil
	}
	d.Private.Refresh, d.Private.ConfirmedAt = plan.refresh, api.At(tx.Now())
	_, err := tx.PutIdentity(plan.Organization, *d)
	return err
}
