package orgs

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Users become members in three ways: by an invite to their e-mail address, by an invite link, or because the
// organization admits the domain of their address.

// join makes a user a member with a role. An existing member is left unchanged and joined is false.
func join(tx *store.Tx, o store.OrganizationDocument, user api.UserFields, role api.Role) (m store.MemberDocument, joined bool, err error) {
	m, err = tx.Member(o.Fields.ID, user.ID)
	if err != nil || m.Version > 0 {
		return m, false, err
	}
	tx.Schedule(o.Fields.ID, store.UserJob(user.ID), store.UserJobTime) // the account may be changing concurrently
	m, err = NewMember(tx, o.Fields.ID, user, role)
	return m, true, err
}

// joinOrganization makes the caller a member by their e-mail domain. It returns a not_found error if the organization
// does not admit the domain.
func (iv *Invites) joinOrganization(ctx context.Context, c *rest.Call, in api.OrganizationRef) (none rest.Result[api.Organization],
	err error,
) {
	if err := requireJoinScope(c); err != nil {
		return none, err
	}
	u, err := iv.Orgs.LoadUser(ctx, c.Caller.User)
	if err != nil {
		return none, err
	}
	domain, ok := VerifiedEmailDomain(u)
	if !ok || c.Caller.Organization != "" && c.Caller.Organization != c.Org {
		return none, api.NotFound()
	}
	if err := c.CheckTokenHere(); err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Organization], error) {
		o, err := tx.Organization(c.Org)
		if err != nil {
			return none, err
		}
		if open, err := AdmitsDomain(tx, o, domain); err != nil || !open {
			return none, rest.NotFoundIfNil(err)
		}
		m, joined, err := join(tx, o, u.Fields, RoleOrGuest(o.Fields.DefaultRole))
		if err != nil {
			return none, err
		}
		record, _, err := tx.Record(store.OrganizationKey(c.Org))
		if err != nil {
			return none, err
		}
		result, err := iv.Orgs.OrganizationResult(c.Org, record, &access.Caller{IsMember: true, Role: m.Private.Role})
		result.Unchanged = !joined
		return result, err
	})
}

// inviteSecret is a parsed invite secret. Its text is wsi_<organization>_<invite>_<secret> for an invite to an
// address, with ids without their prefixes, and begins with wsl for an invite link.
type inviteSecret struct {
	org, invite, secret string
	email               string // verified address of a caller who gives the invite's id only
}

func parseInviteSecret(text string) (inviteSecret, bool) {
	parts := strings.Split(text, "_")
	prefix := map[string]string{auth.InvitePrefix: store.InvitePrefix, auth.LinkInvitePrefix: store.LinkInvitePrefix}[parts[0]]
	if len(parts) != 4 || prefix == "" {
		return inviteSecret{}, false
	}
	i := inviteSecret{org: txn.OrganizationPrefix + parts[1], invite: prefix + parts[2], secret: parts[3]}
	return i, redis.ValidID(i.org) && redis.ValidID(i.invite) && i.secret != ""
}

func (i inviteSecret) isLink() bool { return strings.HasPrefix(i.invite, store.LinkInvitePrefix) }

// String returns the text of the secret.
func (i inviteSecret) String() string {
	brand, prefix := auth.InvitePrefix, store.InvitePrefix
	if i.isLink() {
		brand, prefix = auth.LinkInvitePrefix, store.LinkInvitePrefix
	}
	return strings.Join([]string{
		brand, strings.TrimPrefix(i.org, txn.OrganizationPrefix), strings.TrimPrefix(i.invite, prefix), i.secret,
	}, "_")
}

// matches reports whether the secret has a stored digest.
func (i inviteSecret) matches(d store.InvitePrivate) bool {
	digest := []byte(auth.Digest(i.secret))
	return subtle.ConstantTimeCompare([]byte(d.Digest), digest)|subtle.ConstantTimeCompare([]byte(d.Second), digest) == 1
}

// opens reports whether d exists, has not expired, and has the secret or the verified e-mail address of the caller.
func (i inviteSecret) opens(d store.InviteDocument, now time.Time) bool {
	mine := i.email != "" && i.email == d.Fields.Email
	return d.Version > 0 && now.Before(d.Fields.ExpiresAt.Time) && (mine || i.matches(d.Private))
}

func inviteNotOpenError() *api.Error {
	return api.InvalidField("secret", "is not that of an open invite: it may have been accepted or taken back, have expired, or have "+
		"ended with the membership of its author").
		WithHint("If you have joined by it, sign in with your token; whoever runs the server makes another (wsd token create --user " +
			"EMAIL). Otherwise an admin of the organization can invite you again.")
}

// acceptInvite makes a user a member by an invite to an e-mail address or by an invite link.
func (iv *Invites) acceptInvite(ctx context.Context, c *rest.Call, in api.AcceptInviteInput) (none rest.Result[api.Accepted], err error) {
	if err := requireJoinScope(c); err != nil {
		return none, err
	}
	if c.HTTP.Header.Get("If-Match") != "" {
		return none, api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
	}
	given, ok := parseInviteSecret(in.Body.Secret)
	if !ok {
		return none, inviteNotOpenError()
	}
	c.LogID("invite", given.invite)
	c.SetOrganization(given.org) // the shard of the organization stores the result of an idempotent request
	if given.isLink() {
		return iv.acceptLink(ctx, c, given, in.Body.DisplayName)
	}
	return iv.acceptEmail(ctx, c, given, in.Body.DisplayName)
}

// acceptEmail creates the account, its first token and the membership, in this order, and deletes the invite with the
// last step: after an interruption the same secret resumes.
func (iv *Invites) acceptEmail(ctx context.Context, c *rest.Call, given inviteSecret, name string) (none rest.Result[api.Accepted],
	err error,
) {
	o, err := iv.loadOpenInvite(ctx, c, given)
	if err != nil {
		return none, err
	}
	user, made, err := iv.userForInvite(ctx, c, o, name)
	if err != nil {
		return none, err
	}
	var token firstToken
	if made {
		err := iv.Store.Update(ctx, store.User(user.ID), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) (err error) {
			token, err = iv.createFirstToken(tx, user.ID, o.scopes)
			return err
		})
		if err != nil {
			return none, err
		}
	}
	return rest.Commit(ctx, c, store.Organization(given.org), func(tx *store.Tx) (rest.Result[api.Accepted], error) {
		noteJoin(c, given, user)
		return iv.joinByInvite(tx, given, user, token)
	})
}

// noteJoin adds the invite and the user who joined to the event. A request without a token has no other actor.
func noteJoin(c *rest.Call, given inviteSecret, user api.UserFields) {
	c.Note(eventlog.Actor, user.ID)
	c.Note("invite", given.invite)
}

// firstToken is the first token of an account that an invite has created. The zero value is none.
type firstToken struct {
	text      string
	scopes    []api.Scope
	expiresAt api.Time // if it is not used
}

// createFirstToken creates the token of an account that was created by an invite.
func (iv *Invites) createFirstToken(tx *store.Tx, user string, scopes []api.Scope) (made firstToken, err error) {
	o := iv.Orgs.WithIdleEnd(TokenOptions{Name: store.InviteTokenName, Scopes: scopes}, tx.Now())
	made.scopes, made.expiresAt = o.Scopes, o.ExpiresAt
	_, made.text, err = NewToken(tx, user, o)
	return made, err
}

// checkEmailUnused returns an error if a member of the organization has the address: addresses identify its members.
func (iv *Invites) checkEmailUnused(c *rest.Call, email string) (err error) {
	c.Access(func(model *access.Model) {
		if len(model.MembersByEmail()[email]) > 0 {
			err = api.WrongState("A member of the organization has this e-mail address.").
				WithHint("If that is you, you are in already: use the token of that account.")
		}
	})
	return err
}

// joinByInvite makes a user a member with at most the current role of the author of the invite, and deletes the invite. An
// existing member is left unchanged. It returns an error if the invite is not open.
func (iv *Invites) joinByInvite(tx *store.Tx, given inviteSecret, user api.UserFields, token firstToken) (none rest.Result[api.Accepted],
	err error,
) {
	d, err := tx.Invite(given.org, given.invite)
	if err == nil && !given.opens(d, tx.Now()) {
		err = inviteNotOpenError()
	}
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(given.org)
	if err == nil && store.IsOrganizationGone(o) {
		err = inviteNotOpenError()
	}
	var role api.Role
	if err == nil {
		role, err = cappedRole(tx, given.org, d.Private, RoleOrGuest(d.Fields.Role))
	}
	if err == nil {
		err = joinWithTeams(tx, o, user, role, d)
	}
	if err == nil {
		err = tx.DeleteInvite(given.org, d)
	}
	if err != nil {
		return none, err
	}
	return iv.acceptedResult(given.org, user, token)
}

// joinWithTeams makes a user a member with a role and the teams of an invite, as far as they exist and its author may give them.
// An existing member is left unchanged.
func joinWithTeams(tx *store.Tx, o store.OrganizationDocument, user api.UserFields, role api.Role, d store.InviteDocument) error {
	m, joined, err := join(tx, o, user, role)
	if err != nil || !joined {
		return err
	}
	teams, err := cappedTeams(tx, o.Fields.ID, d)
	if err != nil || len(teams) == 0 && !d.Private.SSO {
		return err
	}
	m.Fields.SSO = d.Private.SSO
	m.Private.Teams = map[string]api.TeamRole{}
	for _, team := range teams {
		m.Private.Teams[team] = api.TeamMember
	}
	_, err = tx.PutMember(o.Fields.ID, m)
	return err
}

// acceptedResult returns the response to an accepted invite.
func (iv *Invites) acceptedResult(org string, user api.UserFields, token firstToken) (rest.Result[api.Accepted], error) {
	fields, err := json.Marshal(user)
	if err != nil {
		return rest.Result[api.Accepted]{}, fmt.Errorf("encode user %s: %w", user.ID, err)
	}
	result, err := rest.ObjectResult[api.Accepted](rest.ExtendObject([]byte(`{}`)).
		Set("id", user.ID).Set("organization", org).
		Set("user", iv.View.User(org, user.ID, fields)).
		SetIf(token.text != "", "token", token.text).
		SetIf(token.text != "", "tokenScopes", token.scopes).
		SetIf(token.text != "", "tokenExpiresAt", token.expiresAt))
	result.ID = user.ID
	return result, err
}
