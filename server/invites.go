package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

var inviteEndpoints = []Endpoint{
	read(api.ListInvites, inOrganization(api.RoleAdmin), (*Server).listInvites),
	write(api.CreateInvite, inOrganization(api.RoleAdmin), (*Server).createInvite),
	write(api.DeleteInvite, inOrganization(api.RoleAdmin), (*Server).deleteInvite),
	op(api.AcceptInvite, public(), (*Server).acceptInvite),
}

// inviteTime is how long an invite is open.
const inviteTime = 7 * 24 * time.Hour

// invitation is the secret of an invite taken apart: wsi_<organization>_<invite>_<secret>, ids without their prefixes.
type invitation struct{ org, invite, secret string }

const invitationBrand = "wsi"

func parseInvitation(text string) (invitation, bool) {
	parts := strings.Split(text, "_")
	if len(parts) != 4 || parts[0] != invitationBrand {
		return invitation{}, false
	}
	i := invitation{org: store.OrganizationPrefix + parts[1], invite: store.InvitePrefix + parts[2], secret: parts[3]}
	return i, store.ValidID(i.org) && store.ValidID(i.invite) && i.secret != ""
}

func (i invitation) String() string {
	return strings.Join([]string{
		invitationBrand, strings.TrimPrefix(i.org, store.OrganizationPrefix), strings.TrimPrefix(i.invite, store.InvitePrefix), i.secret,
	}, "_")
}

// opens reports whether the secret is that of an invite that is open.
func (i invitation) opens(d store.InviteDocument, now time.Time) bool {
	return d.Version > 0 && now.Before(d.Fields.ExpiresAt.Time) &&
		subtle.ConstantTimeCompare([]byte(d.Private.Digest), []byte(digest(i.secret))) == 1
}

func notOpen() *api.Error {
	return api.InvalidField("secret", "is not that of an open invite: it may have been accepted, taken back, or be older than %d days", inviteTime/(24*time.Hour)).
		WithHint("An admin of the organization can invite you again.")
}

// normalEmail is an e-mail address as it is claimed.
func normalEmail(text string) (email string, ok bool) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name != "" {
		return "", false
	}
	return strings.ToLower(address.Address), true
}

func (s *Server) listInvites(ctx context.Context, b *store.Batch, in api.ListInvitesInput) finish[api.Page[api.Invite]] {
	w := newWindow(callFrom(ctx), in.ListOptions, false)
	index := store.InvitesKey(in.Organization)
	members, count := b.Range(index, w.after, w.size+1, false), b.Card(index)
	return func(ctx context.Context) (Result[api.Page[api.Invite]], error) {
		var none Result[api.Page[api.Invite]]
		if w.err != nil {
			return none, w.err
		}
		ids, _, _ := members.Get()
		page, next := w.cut(ids)
		records, err := s.records(ctx, page, func(id string) store.Key { return store.InviteKey(in.Organization, id) })
		if err != nil {
			return none, err
		}
		items := make([][]byte, 0, len(page))
		for _, id := range page {
			if r, ok := records[id]; ok {
				items = append(items, r.Public)
			}
		}
		total, _, _ := count.Get()
		return list[api.Invite](items, int(total), next)
	}
}

// createInvite invites everybody or, when an address is wrong, nobody.
func (s *Server) createInvite(ctx context.Context, tx *store.Tx, in api.CreateInviteInput) (Result[api.Invited], error) {
	var none Result[api.Invited]
	c := callFrom(ctx)
	emails, err := invitedEmails(in.Body.Emails)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(c.org)
	if err != nil || o.Version == 0 {
		return none, missing(err)
	}
	if o.Fields.SSO {
		return none, api.WrongState("This organization is joined by single sign-on.")
	}
	role := o.Fields.DefaultRole
	applyPointer(in.Body.Role, &role)
	var users, invited [][]byte
	var ids []string
	var strangers []string
	c.withShape(func(sh *shape) {
		members := sh.byEmail()
		for _, email := range emails {
			if user := members[email]; user != "" {
				users = append(users, s.person(sh, user))
			} else {
				strangers = append(strangers, email)
			}
		}
	})
	for _, email := range strangers {
		id, item, err := newInvite(tx, c.org, email, role)
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
func newInvite(tx *store.Tx, org, email string, role *api.Role) (id string, item []byte, err error) {
	made := invitation{org: org, invite: tx.NewID(store.InvitePrefix), secret: rand.Text()}
	d, err := tx.Invite(org, made.invite)
	if err != nil {
		return "", nil, err
	}
	d.Fields = api.InviteFields{
		Object: "invite", ID: made.invite, Email: email, Role: role,
		CreatedAt: api.At(tx.Now()), ExpiresAt: api.At(tx.Now().Add(inviteTime)),
	}
	d.Private.Digest = digest(made.secret)
	record, err := tx.PutInvite(org, d)
	if err != nil {
		return "", nil, err
	}
	item, err = extend(record.Public).set("secret", made.String()).bytes()
	return made.invite, item, err
}

func (s *Server) deleteInvite(_ context.Context, tx *store.Tx, in api.InviteRef) (Result[api.None], error) {
	d, err := tx.Invite(in.Organization, in.Invite)
	if err != nil || d.Version == 0 {
		return Result[api.None]{}, missing(err)
	}
	tx.DeleteInvite(in.Organization, in.Invite)
	return none(in.Invite), nil
}

// acceptInvite makes the account, its first token and the membership, in this order, and the invite goes with the last:
// wherever it is cut off, the same secret goes on from there.
func (s *Server) acceptInvite(ctx context.Context, in api.AcceptInviteInput) (Result[api.Accepted], error) {
	var none Result[api.Accepted]
	c := callFrom(ctx)
	if c.request.Header.Get("If-Match") != "" {
		return none, api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
	}
	given, ok := parseInvitation(in.Body.Secret)
	if !ok {
		return none, notOpen()
	}
	c.org = given.org // where the answer is remembered
	d, err := s.invite(ctx, given)
	if err != nil {
		return none, err
	}
	user, made, err := s.invitedUser(ctx, given, d.Fields.Email, in.Body.DisplayName)
	if err != nil {
		return none, err
	}
	var token string
	if made {
		err := s.store.Update(ctx, store.User(user.ID), store.UpdateOptions{DryRun: c.dryRun}, func(tx *store.Tx) (err error) {
			_, token, err = NewToken(tx, user.ID, TokenOptions{Name: "From an invite", Scopes: []api.Scope{api.ScopeAdmin}})
			return err
		})
		if err != nil {
			return none, err
		}
	}
	return commit(ctx, s, store.Organization(given.org), func(tx *store.Tx) (Result[api.Accepted], error) {
		return s.joinByInvite(tx, given, user, token)
	})
}

// invite reads an invite that a secret opens.
func (s *Server) invite(ctx context.Context, given invitation) (d store.InviteDocument, err error) {
	b := s.store.Pipeline()
	record := b.Record(store.InviteKey(given.org, given.invite))
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("read invite: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil {
		return d, err
	}
	if ok {
		err = d.Decode(r)
	}
	if err == nil && !given.opens(d, s.clock()) {
		err = notOpen()
	}
	return d, err
}

// invitedUser finds the user with an e-mail address, or makes one. An account that this invite did not make is its
// owner's: whoever invites has seen the secret, and must not come into it that way.
func (s *Server) invitedUser(ctx context.Context, given invitation, email, name string) (user api.UserFields, made bool, err error) {
	c := callFrom(ctx)
	claim, claimed, err := s.store.Claim(ctx, store.EmailKey(email))
	if err != nil {
		return user, false, fmt.Errorf("look up the address: %w", err)
	}
	id := claim.Owner
	if !claimed {
		id = s.ids.New(store.UserPrefix)
	}
	var u store.UserDocument
	err = s.store.Update(ctx, store.User(id), store.UpdateOptions{DryRun: c.dryRun}, func(tx *store.Tx) error {
		if u, err = tx.User(id); err != nil || u.Version > 0 {
			return err
		}
		u.Fields = api.UserFields{Object: "user", ID: id, Email: email, DisplayName: orDefault(name, email)}
		u.Private = store.UserPrivate{VouchedBy: given.org, Invite: given.invite}
		tx.Claim(store.EmailKey(email), id)
		_, err := tx.PutUser(u)
		return err
	})
	if errors.Is(err, store.ErrExists) && !claimed { // somebody else was faster
		return s.invitedUser(ctx, given, email, name)
	}
	if err != nil {
		return user, false, err
	}
	made = u.Private.Invite == given.invite && u.Private.VouchedBy == given.org
	if !made && c.caller.User != id {
		return user, false, api.WrongState("This e-mail address has an account.").
			WithHint("Accept the invite with a token of that account.")
	}
	return u.Fields, made, nil
}

// joinByInvite makes a user a member by an invite, which goes. Who is a member already stays as they are.
func (s *Server) joinByInvite(tx *store.Tx, given invitation, user api.UserFields, token string) (Result[api.Accepted], error) {
	var none Result[api.Accepted]
	d, err := tx.Invite(given.org, given.invite)
	if err == nil && !given.opens(d, tx.Now()) {
		err = notOpen()
	}
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(given.org)
	if err != nil {
		return none, err
	}
	if o.Fields.SSO {
		return none, api.WrongState("This organization is joined by single sign-on.")
	}
	m, err := tx.Member(given.org, user.ID)
	if err == nil && m.Version == 0 {
		err = NewMember(tx, given.org, user, roleOrGuest(d.Fields.Role))
	}
	if err != nil {
		return none, err
	}
	tx.DeleteInvite(given.org, given.invite)
	fields, err := json.Marshal(user)
	if err != nil {
		return none, fmt.Errorf("encode user %s: %w", user.ID, err)
	}
	result, err := stored[api.Accepted](extend([]byte(`{}`)).
		set("id", user.ID).set("organization", given.org).
		set("user", s.userObject(given.org, user.ID, fields)).
		setIf(token != "", "token", token))
	result.id = user.ID
	return result, err
}
