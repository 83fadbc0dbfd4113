package orgs

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// eventIdentityLinked is the kind of the event of an identity that was linked with an account.
const eventIdentityLinked = "identities.create"

// eventProviderTried is the kind of the event of a provider by which an admin has signed in for the first time.
const eventProviderTried = "providers.activate"

// enroll makes an account a member that signs in by an identity, with the teams that the provider names. A provider that no admin has
// signed in by admits only admins.
func (l *Logins) enroll(ctx context.Context, c *rest.Call, plan signInPlan, user api.UserFields) (m store.MemberDocument, err error) {
	err = l.Orgs.Store.Update(ctx, store.Organization(plan.Organization), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		m, err = enroll(c, tx, plan, user)
		return err
	})
	if errors.Is(err, errOtherIdentity) {
		return m, l.requestIdentity(ctx, c, plan, signInRefused(
			"The account with the address %s signs in by another identity of this provider.", plan.email).
			WithHint("If both are yours, sign in here with a token of the account first, and then once more by the provider."))
	}
	return m, err
}

func enroll(c *rest.Call, tx *store.Tx, plan signInPlan, user api.UserFields) (m store.MemberDocument, err error) {
	o, err := tx.Organization(plan.Organization)
	if err != nil || store.IsOrganizationGone(o) {
		return m, rest.NotFoundIfNil(err)
	}
	m, joined, err := join(tx, o, user, RoleOrGuest(plan.provider.DefaultRole))
	if err != nil {
		return m, err
	}
	if m.Private.Disabled || m.Private.IsService() {
		return m, signInRefused("This account cannot sign in by a provider.")
	}
	linked, err := linkIdentity(tx, plan, &m)
	if err != nil {
		return m, err
	}
	changed, err := setTeams(tx, plan, &m, joined)
	if err != nil {
		return m, err
	}
	activated, err := plan.provider.activate(tx, m.Private, joined)
	if err != nil {
		return m, err
	}
	if joined || linked || changed {
		if _, err = tx.PutMember(plan.Organization, m); err != nil {
			return m, err
		}
	}
	for kind, happened := range map[string]bool{eventIdentityLinked: linked, eventProviderTried: activated} {
		if !happened {
			continue
		}
		if err := noteSignIn(c, tx, plan, kind, user.ID, joined); err != nil {
			return m, err
		}
	}
	return m, nil
}

// noteSignIn adds an event to the log of the organization.
func noteSignIn(c *rest.Call, tx *store.Tx, plan signInPlan, kind, user string, joined bool) error {
	fields, err := c.Event(tx, plan.identityID())
	if err != nil {
		return err
	}
	fields[eventlog.Type], fields[eventlog.Actor], fields["provider"], fields["user"] = kind, user, plan.Provider, user
	if fields[eventlog.After], err = shownValues(map[string]any{"provider": plan.Provider, "joined": joined}); err != nil {
		return err
	}
	tx.Event(fields)
	return nil
}

// shownValues returns the field eventlog.After of an event about a sign-in, with ids and keywords. Other fields of its own are not shown.
func shownValues(values map[string]any) (string, error) {
	data, err := json.Marshal(values)
	return string(data), err
}

// errOtherIdentity is the error for an account that signs in by another identity of the provider.
var errOtherIdentity = errors.New("the account signs in by another identity of the provider")

// linkIdentity links the identity with the member. It returns an error if it is linked with another one meanwhile, or if the member signs
// in by another identity of the provider, unless the member has confirmed this one, which replaces it: an address that the provider has
// given to somebody else opens nothing.
func linkIdentity(tx *store.Tx, plan signInPlan, m *store.MemberDocument) (linked bool, err error) {
	id, user := plan.identityID(), m.Private.User.ID
	d, err := tx.Identity(plan.Organization, id)
	if err != nil {
		return false, err
	}
	isLinked := d.Private.User != ""
	switch {
	case isLinked && d.Private.User != user, !isLinked && plan.identity.Private.User != "":
		return false, store.ErrHeadMoved
	case isLinked && !m.Private.Identities[id].IsZero():
		return false, confirmIdentity(tx, plan, &d)
	}
	if !isLinked {
		d = plan.describe(tx, d)
	}
	others, err := otherIdentities(tx, plan.Organization, *m, d.Fields)
	if err != nil {
		return false, err
	}
	if len(others) > 0 && !plan.IsConfirmed {
		return false, errOtherIdentity
	}
	d.Private.User = user
	plan.setRefresh(tx, &d)
	_, err = putIdentityOf(tx, plan.Organization, d, m, others)
	return true, err
}

// setTeams puts a member into the teams that the provider names, and takes them out of the others of the list of the provider. A new
// member comes into the default team, too. Teams that were deleted are left out.
func setTeams(tx *store.Tx, plan signInPlan, m *store.MemberDocument, joined bool) (changed bool, err error) {
	wanted := map[string]bool{}
	listed := plan.provider.Teams
	if plan.provider.Attributes.Team == "" { // the provider says nothing about teams
		listed = nil
	}
	for _, t := range listed {
		wanted[t.Team] = wanted[t.Team] || slices.Contains(plan.Identity.Teams, t.Team)
	}
	if team := plan.provider.DefaultTeam; joined && team != "" {
		wanted[team] = true
	}
	existing, err := existingTeams(tx, plan.Organization, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return false, err
	}
	teams := maps.Clone(m.Private.Teams)
	if teams == nil {
		teams = map[string]api.TeamRole{}
	}
	for team, isWanted := range wanted {
		_, has := teams[team]
		switch {
		case isWanted == has:
		case isWanted && existing[team]:
			teams[team], changed = api.TeamMember, true
		case !isWanted:
			delete(teams, team)
			changed = true
		}
	}
	if changed {
		m.Private.Teams = teams
	}
	return changed, nil
}
