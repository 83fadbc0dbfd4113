package orgs

import (
	"context"
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// People sign in by an identity provider of an organization: see docs/decisions.md#sign-in. Package signin speaks with the provider, and
// calls these internal endpoints with what it has verified. The sessions work in that organization only.

// SignInInput is the input of SignIn.
type SignInInput struct{ Body SignInRequest }

// SignInRequest is the body of SignIn.
type SignInRequest struct {
	Organization string   `json:"organization" pattern:"id"`
	Provider     string   `json:"provider" pattern:"id"`
	Settings     string   `json:"settings" len:"1..64"` // Provider.Settings of the settings by which the identity was verified
	Identity     Identity `json:"identity"`
	Refresh      string   `json:"refresh,omitzero" len:"0..8192"` // of Logins.SealRefresh; "" = none
	Client       string   `json:"client,omitzero" len:"0..64"`
	Address      string   `json:"address,omitzero" len:"0..64"`
	// IsConfirmed is set if the caller has confirmed that the identity is theirs.
	IsConfirmed bool `json:"isConfirmed,omitzero"`
}

// Identity describes a person as a provider does. The provider, the issuer and the subject identify the person.
type Identity struct {
	Issuer          string   `json:"issuer" len:"1..1024"`
	Subject         string   `json:"subject" len:"1..1024"`
	Email           string   `json:"email,omitzero" len:"0..320"`
	IsEmailVerified bool     `json:"isEmailVerified,omitzero"`
	Name            string   `json:"name,omitzero" len:"0..256"`
	Teams           []string `json:"teams,omitempty" len:"0..100"` // ids, see Provider.TeamsOf
}

// SignedIn is the answer of SignIn.
type SignedIn struct {
	Session

	User string `json:"user"`
}

// FindIdentityInput is the input of FindIdentity.
type FindIdentityInput struct {
	Organization string `query:"organization" pattern:"id"`
	Identity     string `query:"identity" pattern:"id"`
}

// FoundIdentity is the answer of FindIdentity.
type FoundIdentity struct {
	User string `json:"user,omitempty"` // "" = nobody has signed in by it
}

// RefuseSignInInput is the input of RefuseSignIn.
type RefuseSignInInput struct{ Body SignInRefusal }

// SignInRefusal is the body of RefuseSignIn.
type SignInRefusal struct {
	Organization string `json:"organization" pattern:"id"`
	Provider     string `json:"provider" pattern:"id"`
	Reason       string `json:"reason" len:"1..64"` // a keyword
}

// signInPlan holds what is read before a person signs in.
type signInPlan struct {
	SignInRequest

	provider     Provider
	organization store.OrganizationDocument
	email        string // normalized; "" = none
	isVouched    bool   // the organization, or its domain, vouches for the address
	isProven     bool   // the domain of the address counts as that of the organization
	identity     store.IdentityDocument
}

// identityID returns the id of the identity that signs in.
func (p signInPlan) identityID() string { return IdentityID(p.Provider, p.Identity) }

// IdentityID returns the id of an identity of a provider.
func IdentityID(provider string, i Identity) string {
	return store.IdentityID(provider, i.Issuer, i.Subject)
}

// signIn makes the session of somebody whom a provider has identified. The first time, the identity is linked with an account, which is
// created if there is none, and which becomes a member.
func (l *Logins) signIn(ctx context.Context, c *rest.Call, in SignInInput) (none rest.Result[SignedIn], err error) {
	return rest.RetryPlan(func() (none rest.Result[SignedIn], err error) {
		plan, err := l.planSignIn(ctx, c, in.Body)
		if err != nil {
			return none, err
		}
		user, err := l.accountOf(ctx, c, plan)
		if err != nil {
			return none, err
		}
		member, err := l.enroll(ctx, c, plan, user)
		if err != nil {
			return none, err
		}
		return l.createProviderSession(ctx, c, plan, member)
	})
}

// planSignIn reads the organization, the provider and the identity.
func (l *Logins) planSignIn(ctx context.Context, c *rest.Call, in SignInRequest) (plan signInPlan, err error) {
	plan.SignInRequest = in
	c.SetOrganization(in.Organization)
	if plan.provider, err = l.LoadProvider(ctx, in.Organization, in.Provider, in.Settings); err != nil {
		return plan, err
	}
	b := l.Orgs.Store.NewBatch()
	c.SetModel(b.Follow(in.Organization))
	organization := b.Record(store.OrganizationKey(in.Organization))
	identity := b.Record(store.IdentityKey(in.Organization, plan.identityID()))
	domains := b.HashAll(store.EmailDomainsKey(in.Organization))
	if err := b.Do(ctx); err != nil {
		return plan, fmt.Errorf("read the organization of a sign-in: %w", err)
	}
	if plan.organization, err = DecodeOrganization(organization); err != nil {
		return plan, err
	}
	if store.IsOrganizationGone(plan.organization) {
		return plan, api.NotFound()
	}
	if r, there, err := identity.Get(); err != nil {
		return plan, err
	} else if there {
		if err := plan.identity.Decode(r); err != nil {
			return plan, fmt.Errorf("identity %s: %w", plan.identityID(), err)
		}
	}
	plan.email, _ = NormalizeEmail(in.Identity.Email)
	domain := EmailAddressDomain(plan.email)
	if plan.email == "" || !in.Identity.IsEmailVerified && !plan.provider.TrustsEmail {
		return plan, nil
	}
	plan.isProven, err = store.DomainCounts(plan.organization, domain, domains.Value()[domain], l.Orgs.now())
	plan.isVouched = plan.isProven || plan.provider.TrustsEmail
	return plan, err
}

// createProviderSession makes the session of a member.
func (l *Logins) createProviderSession(ctx context.Context, c *rest.Call, plan signInPlan, m store.MemberDocument) (
	none rest.Result[SignedIn], err error,
) {
	user := m.Private.User.ID
	if err := l.removeExpired(ctx, user); err != nil {
		return none, err
	}
	family := tokenFamily{user: user}
	b := l.Orgs.Store.NewBatch()
	tokens := queueUserQuota(b, l.Orgs.Budgets, user, quotaTokens)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read the tokens of %s: %w", user, err)
	}
	family.userTokens = tokens()
	if err := l.Orgs.checkTokenQuota(ctx, family); err != nil {
		return none, err
	}
	scopes, err := l.Orgs.LeastScopes(ctx, user, plan.Organization)
	if err != nil {
		return none, err
	}
	made := tokenChange{user: user, organization: plan.Organization}
	shown, err := shownValues(map[string]any{"provider": plan.Provider})
	if err != nil {
		return none, err
	}
	return withTokenEvents(ctx, l.Orgs, c, made, func() (rest.Result[SignedIn], error) {
		return rest.Commit(ctx, c, store.User(user), func(tx *store.Tx) (none rest.Result[SignedIn], err error) {
			c.Note(eventlog.Actor, user)
			c.Note(eventlog.After, shown)
			made.note(c)
			u, err := tx.User(user)
			if err != nil {
				return none, err
			}
			if u.Version == 0 || u.Private.IsDisabled() {
				return none, auth.AccountDisabled()
			}
			if err := family.userTokens.checkUnchanged(tx, store.TokensKey(user)); err != nil {
				return none, err
			}
			return l.newProviderSession(tx, plan, m, scopes)
		})
	})
}

// newProviderSession stores the session of a member.
func (l *Logins) newProviderSession(
	tx *store.Tx, plan signInPlan, m store.MemberDocument, scopes []api.Scope,
) (none rest.Result[SignedIn], err error) {
	user, now := m.Private.User.ID, api.At(tx.Now())
	if linked := m.Private.Identities[plan.identityID()]; now.Before(linked.Time) { // another node has linked it, whose clock is ahead
		now = linked
	}
	if joined := m.Fields.JoinedAt; now.Before(joined.Time) {
		now = joined
	}
	o := TokenOptions{
		Name: "Browser", Scopes: scopes, Organization: plan.Organization, BoundSince: now, Client: plan.Client, Address: plan.Address,
		ExpiresAt: api.At(now.Add(l.signInMaxAge())), login: &store.TokenLogin{Type: api.SessionToken},
		signIn: &store.TokenSignIn{
			Provider: plan.Provider, Identity: plan.identityID(), At: now,
			IsRenewable: plan.Refresh != "" || plan.identity.Private.Refresh != "",
		},
	}
	_, text, err := NewToken(tx, user, o)
	if err != nil {
		return none, err
	}
	session, _ := auth.ParseCredential(text)
	r, err := rest.Value(SignedIn{Session: Session{Session: session.Session(), ExpiresAt: o.ExpiresAt}, User: user})
	r.ID = session.Token
	return r, err
}

// findIdentity returns the member who signs in by an identity.
func (l *Logins) findIdentity(ctx context.Context, _ *rest.Call, in FindIdentityInput) (none rest.Result[FoundIdentity], err error) {
	b := l.Orgs.Store.NewBatch()
	record := b.Record(store.IdentityKey(in.Organization, in.Identity))
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read identity %s: %w", in.Identity, err)
	}
	r, there, err := record.Get()
	var d store.IdentityDocument
	if err == nil && there {
		err = d.Decode(r)
	}
	if err != nil {
		return none, fmt.Errorf("identity %s: %w", in.Identity, err)
	}
	return rest.Value(FoundIdentity{User: d.Private.User})
}

// refuseSignIn adds an event about a refused sign-in to the log of an organization.
func (l *Logins) refuseSignIn(ctx context.Context, c *rest.Call, in RefuseSignInInput) (none rest.Result[api.None], err error) {
	c.SetOrganization(in.Body.Organization)
	return rest.Commit(ctx, c, store.Organization(in.Body.Organization), func(tx *store.Tx) (none rest.Result[api.None], err error) {
		o, err := tx.Organization(in.Body.Organization)
		if err != nil || store.IsOrganizationGone(o) {
			return none, rest.NotFoundIfNil(err)
		}
		shown, err := shownValues(map[string]any{"reason": in.Body.Reason})
		if err != nil {
			return none, err
		}
		c.Note("provider", in.Body.Provider)
		c.Note(eventlog.After, shown)
		return rest.None(in.Body.Provider), nil
	})
}

// signInRefused returns the error for somebody whom the provider has identified, and who cannot sign in all the same.
func signInRefused(format string, values ...any) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, format, values...)
}
