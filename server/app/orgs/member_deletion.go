package orgs

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// memberDeletion holds what is read before the transaction that ends a membership.
type memberDeletion struct {
	invites authoredInvites // deleted with the membership
	stays   []api.Taken     // what the member made and stays; only for a dry run
}

// planMemberDeletion reads the invites that the member made and, for a dry run, what else the member made.
func (s *Service) planMemberDeletion(ctx context.Context, c *rest.Call, in api.MemberRef) (plan memberDeletion, err error) {
	if err := requireSelfOrRole(api.RoleAdmin, c, in.User); err != nil {
		return plan, err
	}
	if plan.invites, err = loadAuthoredInvites(ctx, s.Store, c.Org, in.User); err != nil || !c.DryRun {
		return plan, err
	}
	plan.stays, err = Accounts{Store: s.Store}.MadeBy(ctx, c.Org, in.User)
	return plan, err
}

// deleteMember ends a membership, for an admin or the member. The access of the member ends with the next request, and the
// open invites that the member made; content keeps the member's name as author.
func (s *Service) deleteMember(_ context.Context, c *rest.Call, tx *store.Tx, in api.MemberRef, plan memberDeletion,
) (none rest.Result[api.None], err error) {
	m, err := tx.Member(c.Org, in.User)
	if err != nil || m.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	if m.Private.IsService() {
		return none, api.WrongState("This is a service account.").
			WithHint("wsctl service-accounts delete %s ends it and its tokens.", in.User)
	}
	if err := checkAdminRemains(tx, c.Org, m.Private); err != nil {
		return none, err
	}
	removal := api.Removal{ID: in.User, Title: m.Private.User.DisplayName, Stays: plan.stays}
	c.Access(func(model *access.Model) {
		var teams []api.TakenThing
		for _, id := range slices.Sorted(maps.Keys(m.Private.Teams)) {
			if team := model.Team(id); team != nil {
				teams = append(teams, api.TakenThing{ID: id, Title: team.Title})
			}
		}
		removal.With = []api.Taken{api.NewTaken("teams", len(teams), teams...), api.NewTaken("grants", len(m.Private.Grants))}
	})
	removal.With = append(removal.With, plan.invites.taken()...)
	return rest.Removed(removal), endMembership(tx, c.Org, m, plan.invites)
}
