package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Server) inviteEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListInvites, auth.InOrganization(api.RoleAdmin), s.listInvites),
		write(api.CreateInvite, auth.InOrganization(api.RoleAdmin), s.createInvite),
		write(api.DeleteInvite, auth.InOrganization(api.RoleAdmin), s.deleteInvite),
		op(api.AcceptInvite, auth.Public(), s.acceptInvite).withScopeAdmin(),
	}
}

// inviteTime is how long an invite is open.
const inviteTime = 7 * 24 * time.Hour

// normalEmail is an e-mail address as it is claimed.
func normalEmail(text string) (email string, ok bool) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name != "" {
		return "", false
	}
	return strings.ToLower(address.Address), true
}

func (s *Server) listInvites(ctx context.Context, c *call, b *store.Batch, in api.ListInvitesInput) finish[api.Page[api.Invite]] {
	return listIndexed[api.Invite](ctx, c, s, b, in.ListOptions, indexed{
		index: store.InvitesKey(in.Organization),
		key:   func(id string) redis.Key { return store.InviteKey(in.Organization, id) },
		write: func(_ string, r store.Record) ([]byte, error) { return r.Public, nil },
	})
}

// createInvite invites everybody or, when an address is wrong, nobody.
func (s *Server) createInvite(ctx context.Context, c *call, tx *store.Tx, in api.CreateInviteInput) (Result[api.Invited], error) {
	var none Result[api.Invited]
	emails, err := invitedEmails(in.Body.Emails)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(c.org)
	if err != nil || o.Version == 0 {
		return none, missing(err)
	}
	if o.Fields.SSO {
		return none, joinedBySSO()
	}
	role := o.Fields.DefaultRole
	applyPointer(in.Body.Role, &role)
	var users, invited [][]byte
	var ids []string
	var strangers []string
	c.withShape(func(sh *access.Model) {
		members := sh.ByEmail()
		for _, email := range emails {
			for _, user := range members[email] {
				users = append(users, s.person(sh, user))
			}
			if len(members[email]) == 0 {
				strangers = append(strangers, email)
			}
		}
	})
	for _, email := range strangers {
		id, item, err := newInvite(tx, c, email, role)
		if err != nil {
			return none, err
		}
		ids, invited = append(ids, id), append(invited, item)
	}
	return Result[api.Invited]{
		json:      slices.Concat([]byte(`{"invited":[`), joined(invited), []byte(`],"users":[`), joined(users), []byte(`]}`)),
		id:        strings.Join(ids, ", "),
		unchanged: len(ids) == 0,
	}, nil
}

func invitedEmails(texts []string) (emails []string, err error) {
	var wrong []api.FieldError
	for i, text := range texts {
		email, ok := normalEmail(text)
		path := fmt.Sprintf("emails[%d]", i)
		switch {
		case !ok:
			wrong = append(wrong, api.FieldError{Path: path, Message: "must be an e-mail address"})
		case slices.Contains(emails, email):
			wrong = append(wrong, api.FieldError{Path: path, Message: "is given twice"})
		}
		emails = append(emails, email)
	}
	if len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	return emails, nil
}

// newInvite makes an invite and writes it out with its secret.
func newInvite(tx *store.Tx, c *call, email string, role *api.Role) (id string, item []byte, err error) {
	made := invitation{org: c.org, invite: tx.NewID(store.InvitePrefix), secret: rand.Text()}
	d, err := tx.Invite(c.org, made.invite)
	if err != nil {
		return "", nil, err
	}
	d.Fields = api.InviteFields{
		Object: "invite", ID: made.invite, Email: email, Role: role,
		CreatedAt: api.At(tx.Now()), ExpiresAt: c.caller.Until(api.At(tx.Now().Add(inviteTime))),
	}
	d.Private = c.maker(made.secret)
	record, err := tx.PutInvite(c.org, d)
	if err != nil {
		return "", nil, err
	}
	item, err = extend(record.Public).set("secret", made.String()).bytes()
	return made.invite, item, err
}

func (s *Server) deleteInvite(_ context.Context, _ *call, tx *store.Tx, in api.InviteRef) (Result[api.None], error) {
	d, err := tx.Invite(in.Organization, in.Invite)
	if err != nil || d.Version == 0 {
		return Result[api.None]{}, missing(err)
	}
	tx.DeleteInvite(in.Organization, in.Invite)
	return none(in.Invite), nil
}
