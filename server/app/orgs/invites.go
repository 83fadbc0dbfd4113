package orgs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (iv *Invites) inviteEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListInvites, auth.InOrganization(api.RoleAdmin), iv.listInvites),
		rest.Planned(api.CreateInvite, auth.InOrganization(api.RoleAdmin), iv.planInvites,
			iv.createInvite).ForPeople().On(rest.Organization),
		rest.Write(api.DeleteInvite, auth.InOrganization(api.RoleAdmin),
			iv.deleteInvite).On(rest.Invite).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		// Joining takes the scope admin, except for tokens that wsd has created for their user: see requireJoinScope.
		rest.Op(api.JoinOrganization, auth.Self(), iv.joinOrganization).WithScope(api.ScopeRead).ForPeople().On(rest.Organization),
		rest.Op(api.AcceptInvite, auth.Public(), iv.acceptInvite).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(api.JoinInvite, auth.Self(), iv.joinByID).WithScope(api.ScopeRead).ForPeople().On(rest.Organization),
	}
}

// inviteLifetime is the time after which an invite expires.
const inviteLifetime = 7 * 24 * time.Hour

func (iv *Invites) listInvites(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListInvitesInput,
) rest.Finish[api.Page[api.Invite]] {
	return rest.ListIndexed[api.Invite](r, b, in.ListOptions, rest.IndexedList{
		Index:  store.InvitesKey(in.Organization),
		Key:    func(id string) redis.Key { return store.InviteKey(in.Organization, id) },
		Encode: func(_ *rest.Call, _ string, r txn.Record) ([]byte, error) { return r.Public, nil },
	})
}

// invitePlan holds the people to invite, checked before the transaction.
type invitePlan struct {
	people []api.Invitation // with normalized addresses
	// verifiedMembers is true for an address that is verified for every member who has it, so that an invite would not change
	// anything.
	verifiedMembers map[string]bool
	open            map[string][]string // ids of the open invites of an address, oldest first
}

// planInvites checks the addresses and whether an invite would verify those of existing members.
func (iv *Invites) planInvites(ctx context.Context, c *rest.Call, in api.CreateInviteInput) (plan invitePlan, err error) {
	if plan.people, err = invitedPeople(in.Body); err != nil {
		return plan, err
	}
	if plan.open, err = iv.loadOpenInvites(ctx, c.Org, plan.people); err != nil {
		return plan, err
	}
	b, members := iv.Store.NewBatch(), map[string][]*txn.Future[txn.Record]{}
	c.Access(func(model *access.Model) {
		known := model.MembersByEmail()
		for _, p := range plan.people {
			for _, user := range known[p.Email] {
				members[p.Email] = append(members[p.Email], b.Record(store.UserKey(user)))
			}
		}
	})
	if err := b.Do(ctx); err != nil {
		return plan, fmt.Errorf("read members: %w", err)
	}
	plan.verifiedMembers = map[string]bool{}
	for email, records := range members {
		for _, record := range records {
			r, ok, err := record.Get()
			var u store.UserDocument
			if ok && err == nil {
				err = u.Decode(r)
			}
			if err != nil {
				return plan, err
			}
			plan.verifiedMembers[email] = plan.verifiedMembers[email] || u.Private.HasVerifiedEmail()
		}
	}
	return plan, nil
}

// createInvite invites all addresses, or none if one is invalid. Existing members are reported instead of invited,
// unless an invite would verify their address because the organization has proven its domain. An address has one open invite: if
// there is one, it is changed. Only admins, who may give everything, may do so.
func (iv *Invites) createInvite(_ context.Context, c *rest.Call, tx *store.Tx, in api.CreateInviteInput,
	plan invitePlan,
) (none rest.Result[api.Invited], err error) {
	o, err := tx.Organization(c.Org)
	if err != nil || o.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	if err := checkInvitedTeams(tx, c.Org, in.Body, plan.people); err != nil {
		return none, err
	}
	if in.Body.SSO {
		if err := checkSSOAvailable(c); err != nil {
			return none, err
		}
	}
	users := []string{}
	var strangers []api.Invitation
	for _, p := range plan.people {
		members, err := iv.membersWithEmail(c, tx, o, p.Email, plan)
		if err != nil {
			return none, err
		}
		if users = append(users, members...); len(members) == 0 {
			strangers = append(strangers, p)
		}
	}
	if err := prefetchInvites(tx, c.Org, strangers, plan.open); err != nil {
		return none, err
	}
	var items [][]byte
	var ids []string
	made, changed := 0, false
	for _, p := range strangers {
		i, err := invite(tx, c, p, in.Body, o.Fields.DefaultRole, plan.open[p.Email])
		if err != nil {
			return none, err
		}
		if !i.existing {
			made++
		}
		ids, items, changed = append(ids, i.id), append(items, i.item), changed || i.changed
	}
	known, err := json.Marshal(users)
	if err != nil {
		return none, fmt.Errorf("encode members: %w", err)
	}
	return rest.Result[api.Invited]{
		JSON:      fmt.Appendf(nil, `{"users":%s,"invited":%d,"invites":[%s]}`, known, made, bytes.Join(items, []byte(","))),
		ID:        strings.Join(ids, ", "),
		Unchanged: !changed,
	}, nil
}

// membersWithEmail returns the members with the given e-mail address whose membership an invite would not change.
func (iv *Invites) membersWithEmail(
	c *rest.Call, tx *store.Tx, o store.OrganizationDocument, email string, plan invitePlan,
) (people []string, err error) {
	if !plan.verifiedMembers[email] {
		if gives, err := AdmitsDomain(tx, o, EmailAddressDomain(email)); err != nil || gives {
			return nil, err
		}
	}
	c.Access(func(model *access.Model) {
		people = append(people, model.MembersByEmail()[email]...)
	})
	return people, nil
}

// invitedPeople returns the people of a request with normalized addresses, and the role and the teams of the request for those
// who have none of their own.
func invitedPeople(body api.InviteCreate) (people []api.Invitation, err error) {
	var wrong []api.FieldError
	known := map[string]bool{}
	for i, invitee := range body.Emails {
		p, _ := invitee.Read() // already validated by the contract
		email, ok := NormalizeEmail(p.Email)
		path := fmt.Sprintf("emails[%d]", i)
		switch {
		case !ok:
			wrong = append(wrong, api.FieldError{Path: path, Message: "must be an e-mail address"})
		case known[email]:
			wrong = append(wrong, api.FieldError{Path: path, Message: "is given twice"})
		}
		p.Email, known[email] = email, true
		if p.Role.IsZero() {
			p.Role = body.Role
		}
		if p.Teams == nil {
			p.Teams = body.Teams
		}
		people = append(people, p)
	}
	if len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	return people, nil
}

func (iv *Invites) deleteInvite(_ context.Context, _ *rest.Call, tx *store.Tx, in api.InviteRef) (rest.Result[api.None], error) {
	d, err := tx.Invite(in.Organization, in.Invite)
	if err != nil || d.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	return rest.None(in.Invite), tx.DeleteInvite(in.Organization, d)
}
