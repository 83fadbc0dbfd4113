package orgs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// An invite is limited by the current access of its author: it gives at most the author's role, nothing after the
// author has left or the token that created it was revoked, and it does not outlive that token. The resulting account
// and its tokens belong to the new member. Invites that were stored without an author are not limited.

// newInvitePrivate returns the stored private part of an invite that the caller creates at the time now. It is not older than the
// membership of the caller, whose time comes from another clock.
func newInvitePrivate(c *rest.Call, digests store.Digests, now time.Time) store.InvitePrivate {
	made := api.At(now)
	c.Access(func(model *access.Model) {
		if p := model.Member(c.Caller.User); p != nil && p.JoinedAt.After(now) {
			made = p.JoinedAt
		}
	})
	return store.InvitePrivate{Digests: digests, CreatedBy: c.Caller.User, Token: c.Caller.Token, MadeAt: made}
}

// inviter is the state of the author of an invite outside of its organization. The zero inviter does not limit it.
type inviter struct {
	disabled   bool // the account of the author
	tokenEnded bool // the token that made the invite
}

// err returns an error if the author limits an invite to nothing.
func (i inviter) err() error {
	switch {
	case i.disabled:
		return inviterLeftError()
	case i.tokenEnded:
		return inviterTokenEndedError()
	}
	return nil
}

// readInviter returns the author of an invite to an organization.
func (iv *Invites) readInviter(ctx context.Context, org string, p store.InvitePrivate) (inviter, error) {
	authors, err := iv.readInviters(ctx, org, []store.InvitePrivate{p})
	if err != nil {
		return inviter{}, err
	}
	return authors[0], nil
}

// readInviters returns the authors of invites to an organization, in the same order, in one trip.
func (iv *Invites) readInviters(ctx context.Context, org string, invites []store.InvitePrivate) ([]inviter, error) {
	b := iv.Store.NewBatch()
	users, tokens := make([]*txn.Future[txn.Record], len(invites)), make([]*txn.Future[txn.Record], len(invites))
	for i, p := range invites {
		users[i], tokens[i] = b.Record(store.UserKey(p.CreatedBy)), b.Record(store.TokenKey(p.CreatedBy, p.Token))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read who made an invite: %w", err)
	}
	authors := make([]inviter, len(invites))
	for i, p := range invites {
		if p.CreatedBy == "" {
			continue
		}
		var err error
		if authors[i], err = newInviter(org, users[i], tokens[i]); err != nil {
			return nil, err
		}
	}
	return authors, nil
}

// newInviter returns the author of an invite to an organization from the records of the account and of the token.
func newInviter(org string, user, token *txn.Future[txn.Record]) (i inviter, err error) {
	var t store.TokenDocument
	record, there, err := token.Get()
	if there && err == nil {
		err = t.Decode(record)
	}
	if err != nil {
		return i, err
	}
	i.tokenEnded = !there || slices.Contains(t.Private.EndedIn, org)
	var u store.UserDocument
	r, there, err := user.Get()
	if there && err == nil {
		err = u.Decode(r)
	}
	i.disabled = u.Private.IsDisabled()
	return i, err
}

func inviteRevokedError(reason string) *api.Error {
	return api.WrongState("%s", reason).WithHint("An admin of the organization can invite you again.")
}

// inviterLeftError returns the error for an invite whose author has no access any more.
func inviterLeftError() *api.Error {
	return inviteRevokedError("Whoever made this invite has no access any more to what it leads into.")
}

// inviterTokenEndedError returns the error for an invite whose token has ended.
func inviterTokenEndedError() *api.Error {
	return inviteRevokedError("The token that made this invite was revoked.")
}

// cappedRole returns the role that an invite into the organization gives now: role, limited by the current role of
// the invite's author.
func cappedRole(tx *store.Tx, org string, p store.InvitePrivate, role api.Role) (api.Role, error) {
	if p.CreatedBy == "" {
		return role, nil
	}
	m, err := tx.Member(org, p.CreatedBy)
	switch {
	case err != nil:
		return role, err
	case m.Version == 0 || m.Private.Disabled || p.IsBefore(m):
		return role, inviterLeftError()
	}
	return api.Lowest(role, m.Private.Role), nil
}

// cappedTeams returns the teams that an invite gives now: those that exist and in which its author may put people.
func cappedTeams(tx *store.Tx, org string, d store.InviteDocument) (teams []string, err error) {
	if len(d.Fields.Teams) == 0 { // so have invites without an author
		return nil, nil
	}
	author, err := tx.Member(org, d.Private.CreatedBy)
	if err != nil {
		return nil, err
	}
	existing, err := existingTeams(tx, org, d.Fields.Teams)
	for _, team := range d.Fields.Teams {
		mayGive := author.Private.Role == api.RoleAdmin || author.Private.Teams[team] == api.TeamOwner
		if existing[team] && mayGive {
			teams = append(teams, team)
		}
	}
	return teams, err
}

// existingTeams returns which teams of a list exist; texts that are no ids do not.
func existingTeams(tx *store.Tx, org string, teams []string) (existing map[string]bool, err error) {
	teams = slices.DeleteFunc(slices.Clone(teams), func(team string) bool { return !redis.ValidID(team) })
	keys := make([]redis.Key, len(teams))
	for i, team := range teams {
		keys[i] = store.TeamKey(org, team)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return nil, err
	}
	existing = map[string]bool{}
	for _, team := range teams {
		t, err := tx.Team(org, team)
		if err != nil {
			return nil, err
		}
		existing[team] = t.Version > 0
	}
	return existing, nil
}

// cappedLevel is cappedRole for a link into a space or collection.
func cappedLevel(c *rest.Call, tx *store.Tx, p store.InvitePrivate, content string, level api.Role) (api.Role, error) {
	if p.CreatedBy == "" {
		return level, nil
	}
	m, err := tx.Member(c.Org, p.CreatedBy)
	if err != nil {
		return level, err
	}
	if p.IsBefore(m) {
		return level, inviterLeftError()
	}
	role, err := memberRole(c, tx, m, content)
	if err == nil && !role.AtLeast(api.RoleRead) {
		err = inviterLeftError()
	}
	return api.Lowest(level, role), err
}

// cappedLink returns the fields of an invite link with the role or level that it gives now.
func cappedLink(c *rest.Call, tx *store.Tx, d store.LinkInviteDocument) (f api.LinkInviteFields, err error) {
	f = d.Fields
	if content := f.Content(); content != "" {
		f.Level, err = cappedLevel(c, tx, d.Private, content, f.Level)
		return f, err
	}
	role, _ := f.Role.Get()
	if role, err = cappedRole(tx, c.Org, d.Private, role); role == api.RoleGuest {
		f.Role = api.Null[api.Role]()
	} else {
		f.Role = api.Some(role)
	}
	return f, err
}

// inviterLostAccess reports whether the author of an invite link has no access any more to the content that it gives.
func inviterLostAccess(m *access.Model, d store.LinkInviteDocument) bool {
	if d.Private.CreatedBy == "" {
		return false
	}
	p := m.Member(d.Private.CreatedBy)
	if p == nil || p.Member.Disabled || !d.Private.MadeAt.IsZero() && d.Private.MadeAt.Before(p.JoinedAt.Time) {
		return true
	}
	content := d.Fields.Content()
	return content != "" && !m.Role(m.CallerOf(&access.Caller{User: p.User.ID}, p), content).AtLeast(api.RoleRead)
}
