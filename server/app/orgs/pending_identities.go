package orgs

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// An identity is pending while it is not known whose it is: its sign-in was refused because a member has the same address, or because the
// account signs in by another identity of the provider. An admin can link it. It is linked, too, when the person confirms it.

// maxPendingIdentities is the maximum number of pending identities of a provider. Further ones are refused and not stored.
const maxPendingIdentities = 100

// eventIdentityRequested is the kind of the event of a new pending identity.
const eventIdentityRequested = "identities.request"

// requestIdentity stores the identity of a refused sign-in as pending, and returns the refusal. Its hint names the admins if they can link
// the identity. Nothing is stored of a provider by whose settings no admin has signed in.
func (l *Logins) requestIdentity(ctx context.Context, c *rest.Call, plan signInPlan, refusal *api.Error) error {
	if !plan.provider.IsTried {
		return refusal
	}
	isStored := false
	err := l.Orgs.Store.Update(ctx, store.Organization(plan.Organization), txn.UpdateOptions{DryRun: c.DryRun},
		func(tx *store.Tx) (err error) {
			isStored, err = requestIdentity(c, tx, plan)
			return err
		})
	if err != nil {
		return err
	}
	if isStored {
		return refusal.WithHint("%s Or ask an admin of the organization to link your identity with your account (wsctl identities list "+
			"--status pending; wsctl identities update ID --user EMAIL).", refusal.Hint)
	}
	return refusal
}

// requestIdentity stores a pending identity. isStored is false if the provider has too many. It returns an error if the identity was linked
// meanwhile.
func requestIdentity(c *rest.Call, tx *store.Tx, plan signInPlan) (isStored bool, err error) {
	o, err := tx.Organization(plan.Organization)
	if err != nil || store.IsOrganizationGone(o) {
		return false, rest.NotFoundIfNil(err)
	}
	if _, there, err := tx.Record(providerKey(plan.Organization, plan.Provider)); err != nil || !there {
		return false, rest.NotFoundIfNil(err)
	}
	d, err := tx.Identity(plan.Organization, plan.identityID())
	if err != nil {
		return false, err
	}
	if d.Private.User != "" {
		return false, store.ErrHeadMoved
	}
	described := plan.describe(tx, d)
	if d.Version > 0 {
		if described.Fields != d.Fields {
			_, err = tx.PutIdentity(plan.Organization, described)
		}
		return true, err
	}
	count, err := tx.Cardinality(store.PendingIdentitiesKey(plan.Organization, plan.Provider))
	if err != nil || count >= maxPendingIdentities {
		return false, err
	}
	if _, err := tx.PutIdentity(plan.Organization, described); err != nil {
		return false, err
	}
	fields, err := c.Event(tx, described.Fields.ID)
	if err != nil {
		return false, err
	}
	fields[eventlog.Type], fields["provider"] = eventIdentityRequested, plan.Provider
	if fields[eventlog.After], err = shownValues(map[string]any{"provider": plan.Provider}); err != nil {
		return false, err
	}
	tx.Event(fields)
	return true, nil
}

// describe returns an identity that is not linked as the provider describes it now. d has version 0 if it is not stored yet.
func (p signInPlan) describe(tx *store.Tx, d store.IdentityDocument) store.IdentityDocument {
	if d.Version == 0 {
		d.Fields = api.IdentityFields{
			Object: "identity", ID: p.identityID(), Provider: p.Provider, Issuer: p.Identity.Issuer, Subject: p.Identity.Subject,
			CreatedAt: api.At(tx.Now()),
		}
	}
	d.Fields.Email, d.Fields.Name = p.email, p.Identity.Name
	return d
}

// otherIdentities returns the other identities of the provider and the issuer of an identity by which a member signs in.
func otherIdentities(tx *store.Tx, org string, m store.MemberDocument, f api.IdentityFields) (others []store.IdentityDocument, err error) {
	for _, id := range slices.Sorted(maps.Keys(m.Private.Identities)) {
		if id == f.ID {
			continue
		}
		d, err := tx.Identity(org, id)
		if err != nil {
			return nil, err
		}
		if d.Version > 0 && d.Fields.Provider == f.Provider && d.Fields.Issuer == f.Issuer {
			others = append(others, d)
		}
	}
	return others, nil
}

// putIdentityOf writes an identity by which a member signs in from now on, in place of others. The caller writes the member.
func putIdentityOf(tx *store.Tx, org string, d store.IdentityDocument, m *store.MemberDocument, others []store.IdentityDocument) (
	txn.Record, error,
) {
	m.Private.Identities = maps.Clone(m.Private.Identities)
	if m.Private.Identities == nil {
		m.Private.Identities = map[string]api.Time{}
	}
	for _, other := range others {
		tx.DeleteIdentity(org, other)
		delete(m.Private.Identities, other.Fields.ID)
	}
	m.Private.Identities[d.Fields.ID] = api.At(tx.Now())
	return tx.PutIdentity(org, d)
}

// removeIdentityOf takes an identity from a member, whose sign-ins by it end.
func removeIdentityOf(tx *store.Tx, org, user, id string) error {
	m, err := tx.Member(org, user)
	if err != nil || m.Version == 0 || m.Private.Identities[id].IsZero() {
		return err
	}
	m.Private.Identities = maps.Clone(m.Private.Identities)
	delete(m.Private.Identities, id)
	_, err = tx.PutMember(org, m)
	return err
}
