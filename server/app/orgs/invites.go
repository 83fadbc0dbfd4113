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

func (s *Invites) inviteEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListInvites, auth.InOrganization(api.RoleAdmin), s.listInvites),
		rest.Planned(api.CreateInvite, auth.InOrganization(api.RoleAdmin), s.planInvites, s.createInvite).Of(rest.Organization),
		rest.Write(api.DeleteInvite, auth.InOrganization(api.RoleAdmin), s.deleteInvite).Of(rest.Invite).AbsentTo(auth.InOrganization(api.RoleAdmin)),
		rest.Op(api.JoinOrganization, auth.Self(), s.joinOrganization).WithScopeAdmin().Of(rest.Organization),
		rest.Op(api.AcceptInvite, auth.Public(), s.acceptInvite).WithScopeAdmin(),
		rest.Op(api.JoinInvite, auth.Self(), s.joinByID).WithScopeAdmin().Of(rest.Organization),
	}
}

// inviteTime is how long an invite is open.
const inviteTime = 7 * 24 * time.Hour

func (s *Invites) listInvites(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListInvitesInput) rest.Finish[api.Page[api.Invite]] {
	return rest.ListIndexed[api.Invite](ctx, c, b, in.ListOptions, rest.Indexed{
		Index: store.InvitesKey(in.Organization),
		Key:   func(id string) redis.Key { return store.InviteKey(in.Organization, id) },
		Write: func(_ string, r txn.Record) ([]byte, error) { return r.Public, nil },
	})
}

// invitesPlan is who is to be invited.
type invitesPlan struct {
	emails []string
	roles  map[string]api.Optional[api.Role] // of those who get another role than all
	proven map[string]bool                   // members have the address, all of them with a proven one: an invite would give them nothing
}

// planInvites checks the addresses, and looks whether the members who have one could prove it by an invite.
func (s *Invites) planInvites(ctx context.Context, c *rest.Call, in api.CreateInviteInput) (plan invitesPlan, err error) {
	if plan.emails, plan.roles, err = invitedEmails(in.Body.Emails); err != nil {
		return plan, err
	}
	b, members := s.Store.Pipeline(), map[string][]*txn.Future[txn.Record]{}
	c.Access(func(model *access.Model) {
		known := model.ByEmail()
		for _, email := range plan.emails {
			for _, user := range known[email] {
				members[email] = append(members[email], b.Record(store.UserKey(user)))
			}
		}
	})
	if err := b.Do(ctx); err != nil {
		return plan, fmt.Errorf("read members: %w", err)
	}
	plan.proven = map[string]bool{}
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
			plan.proven[email] = plan.proven[email] || IsVouched(u)
		}
	}
	return plan, nil
}

// createInvite invites everybody or, when an address is wrong, nobody. Members are told of and not invited, but for those
// whose address counts for nothing yet and would by an invite, because its domain is the organization's.
func (s *Invites) createInvite(_ context.Context, c *rest.Call, tx *store.Tx, in api.CreateInviteInput, plan invitesPlan) (none rest.Result[api.Invited], err error) {
	o, err := tx.Organization(c.Org)
	if err != nil || o.Version == 0 {
		return none, rest.Missing(err)
	}
	role := o.Fields.DefaultRole
	ApplyPointer(in.Body.Role, &role)
	users := []string{}
	var invited [][]byte
	var ids, strangers []string
	for _, email := range plan.emails {
		people, err := s.membersWith(c, tx, o, email, plan)
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

// membersWith are the members whom an invite to an address would give nothing, because they have it.
func (s *Invites) membersWith(c *rest.Call, tx *store.Tx, o store.OrganizationDocument, email string, plan invitesPlan) (people []string, err error) {
	if !plan.proven[email] {
		if gives, err := LetsIn(tx, o, DomainOf(email)); err != nil || gives {
			return nil, err
		}
	}
	c.Access(func(model *access.Model) {
		people = append(people, model.ByEmail()[email]...)
	})
	return people, nil
}

func invitedEmails(invitees []api.Invitee) (emails []string, roles map[string]api.Optional[api.Role], err error) {
	var wrong []api.FieldError
	roles = map[string]api.Optional[api.Role]{}
	for i, invitee := range invitees {
		text, role, _ := invitee.Read() // the contract has looked at it
		email, ok := NormalEmail(text)
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

// newInvite makes an invite and writes it out with its secret.
func newInvite(tx *store.Tx, c *rest.Call, email string, role *api.Role) (id string, item []byte, err error) {
	made := invitation{org: c.Org, invite: tx.NewID(store.InvitePrefix), secret: rand.Text()}
	d, err := tx.Invite(c.Org, made.invite)
	if err != nil {
		return "", nil, err
	}
	d.Fields = api.InviteFields{
		Object: "invite", ID: made.invite, Email: email, Role: role,
		CreatedAt: api.At(tx.Now()), ExpiresAt: c.Caller.Until(api.At(tx.Now().Add(inviteTime))),
	}
	d.Private = makerOf(c, made.secret)
	record, err := tx.PutInvite(c.Org, d)
	if err != nil {
		return "", nil, err
	}
	item, err = rest.Extend(record.Public).Set("secret", made.String()).Bytes()
	return made.invite, item, err
}

func (s *Invites) deleteInvite(_ context.Context, _ *rest.Call, tx *store.Tx, in api.InviteRef) (rest.Result[api.None], error) {
	d, err := tx.Invite(in.Organization, in.Invite)
	if err != nil || d.Version == 0 {
		return rest.Result[api.None]{}, rest.Missing(err)
	}
	tx.DeleteInvite(in.Organization, in.Invite)
	return rest.None(in.Invite), nil
}
