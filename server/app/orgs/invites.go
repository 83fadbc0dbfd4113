package orgs

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
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
		rest.Planned(api.CreateInvite, auth.InOrganization(api.RoleAdmin), iv.planInvites, iv.createInvite).On(rest.Organization),
		rest.Write(api.DeleteInvite, auth.InOrganization(api.RoleAdmin),
			iv.deleteInvite).On(rest.Invite).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Op(api.JoinOrganization, auth.Self(), iv.joinOrganization).WithScopeAdmin().On(rest.Organization),
		rest.Op(api.AcceptInvite, auth.Public(), iv.acceptInvite).WithScopeAdmin(),
		rest.Op(api.JoinInvite, auth.Self(), iv.joinByID).WithScopeAdmin().On(rest.Organization),
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

// invitePlan holds the addresses to invite, checked before the transaction.
type invitePlan struct {
	emails []string
	roles  map[string]api.Optional[api.Role] // by address: roles that differ from the default of the request
	// verifiedMembers is true for an address that is verified for every member who has it, so that an invite would not change
	// anything.
	verifiedMembers map[string]bool
}

// planInvites checks the addresses and whether an invite would verify those of existing members.
func (iv *Invites) planInvites(ctx context.Context, c *rest.Call, in api.CreateInviteInput) (plan invitePlan, err error) {
	if plan.emails, plan.roles, err = invitedEmails(in.Body.Emails); err != nil {
		return plan, err
	}
	b, members := iv.Store.NewBatch(), map[string][]*txn.Future[txn.Record]{}
	c.Access(func(model *access.Model) {
		known := model.MembersByEmail()
		for _, email := range plan.emails {
			for _, user := range known[email] {
				members[email] = append(members[email], b.Record(store.UserKey(user)))
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
// unless an invite would verify their address because the organization has proven its domain.
func (iv *Invites) createInvite(_ context.Context, c *rest.Call, tx *store.Tx, in api.CreateInviteInput,
	plan invitePlan,
) (none rest.Result[api.Invited], err error) {
	o, err := tx.Organization(c.Org)
	if err != nil || o.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	role := o.Fields.DefaultRole
	ApplyPointer(in.Body.Role, &role)
	users := []string{}
	var invited [][]byte
	var ids, strangers []string
	for _, email := range plan.emails {
		people, err := iv.membersWithEmail(c, tx, o, email, plan)
		if err != nil {
			return none, err
		}
		if users = append(users, people...); len(people) == 0 {
			strangers = append(strangers, email)
		}
	}
	for _, email := range strangers {
		own := role
		ApplyPointer(plan.roles[email], &own)
		id, item, err := newInvite(tx, c, email, own)
		if err != nil {
			return none, err
		}
		ids, invited = append(ids, id), append(invited, item)
	}
	known, err := json.Marshal(users)
	if err != nil {
		return none, fmt.Errorf("encode members: %w", err)
	}
	return rest.Result[api.Invited]{
		JSON:      fmt.Appendf(nil, `{"users":%s,"invited":%d,"invites":[%s]}`, known, len(ids), bytes.Join(invited, []byte(","))),
		ID:        strings.Join(ids, ", "),
		Unchanged: len(ids) == 0,
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

func invitedEmails(invitees []api.Invitee) (emails []string, roles map[string]api.Optional[api.Role], err error) {
	var wrong []api.FieldError
	roles = map[string]api.Optional[api.Role]{}
	for i, invitee := range invitees {
		text, role, _ := invitee.Read() // already validated by the contract
		email, ok := NormalizeEmail(text)
		path := fmt.Sprintf("emails[%d]", i)
		switch {
		case !ok:
			wrong = append(wrong, api.FieldError{Path: path, Message: "must be an e-mail address"})
		case slices.Contains(emails, email):
			wrong = append(wrong, api.FieldError{Path: path, Message: "is given twice"})
		}
		emails, roles[email] = append(emails, email), role
	}
	if len(wrong) > 0 {
		return nil, nil, api.Invalid(wrong...)
	}
	return emails, roles, nil
}

// newInvite stores an invite and returns its id and its JSON, which includes the secret.
func newInvite(tx *store.Tx, c *rest.Call, email string, role *api.Role) (id string, item []byte, err error) {
	made := inviteSecret{org: c.Org, invite: tx.NewID(store.InvitePrefix), secret: rand.Text()}
	d, err := tx.Invite(c.Org, made.invite)
	if err != nil {
		return "", nil, err
	}
	d.Fields = api.InviteFields{
		Object: "invite", ID: made.invite, Email: email, Role: role,
		CreatedAt: api.At(tx.Now()), ExpiresAt: c.Caller.ExpiryFor(api.At(tx.Now().Add(inviteLifetime))),
	}
	d.Private = newInvitePrivate(c, store.Digests{Digest: auth.Digest(made.secret)}, tx.Now())
	record, err := tx.PutInvite(c.Org, d)
	if err != nil {
		return "", nil, err
	}
	item, err = rest.ExtendObject(record.Public).Set("secret", made.String()).Bytes()
	return made.invite, item, err
}

func (iv *Invites) deleteInvite(_ context.Context, _ *rest.Call, tx *store.Tx, in api.InviteRef) (rest.Result[api.None], error) {
	d, err := tx.Invite(in.Organization, in.Invite)
	if err != nil || d.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	tx.DeleteInvite(in.Organization, in.Invite)
	return rest.None(in.Invite), nil
}
