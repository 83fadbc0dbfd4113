package orgs

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxInvitedTeams is the maximum number of different teams in one request: each is a key of the transaction.
const maxInvitedTeams = 200

// loadOpenInvites returns the ids of the open invites of people, oldest first. Builds that do not write store.InvitedKey may
// have made several for one address. All invites of the last days are read, because older ones have expired or are in that
// HASH, which the transaction reads.
func (iv *Invites) loadOpenInvites(ctx context.Context, org string, people []api.Invitation) (map[string][]string, error) {
	now, open := iv.Clock(), map[string][]string{}
	wanted := map[string]bool{}
	for _, p := range people {
		wanted[p.Email] = true
	}
	first := txn.FirstID(store.InvitePrefix, now.Add(-2*inviteLifetime)) // the clocks of nodes differ
	err := walkInvitesAfter(ctx, iv.Store, org, false, first, func(page authoredInvites) error {
		for _, i := range page {
			if wanted[i.title] && now.Before(i.expiresAt.Time) {
				open[i.title] = append(open[i.title], i.id)
			}
		}
		return nil
	})
	return open, err
}

// prefetchInvites reads the open invites of people in one trip.
func prefetchInvites(tx *store.Tx, org string, people []api.Invitation, open map[string][]string) error {
	var keys []redis.Key
	for _, p := range people {
		keys = append(keys, store.InvitedKey(org).Field(store.InvitedField(p.Email)))
		for _, id := range open[p.Email] {
			keys = append(keys, store.InviteKey(org, id))
		}
	}
	return tx.Prefetch(keys...)
}

// checkInvitedTeams returns an error that names the teams of a request that do not exist.
func checkInvitedTeams(tx *store.Tx, org string, body api.InviteCreate, people []api.Invitation) error {
	teams := slices.Clone(body.Teams)
	for _, p := range people {
		teams = append(teams, p.Teams...)
	}
	slices.Sort(teams)
	if teams = slices.Compact(teams); len(teams) > maxInvitedTeams {
		return api.InvalidField("emails", "name %d different teams; one request may name %d", len(teams), maxInvitedTeams)
	}
	existing, err := existingTeams(tx, org, teams)
	if err != nil {
		return err
	}
	var wrong []api.FieldError
	check := func(path string, teams []string) {
		for i, team := range teams {
			if !existing[team] {
				wrong = append(wrong, api.FieldError{Path: fmt.Sprintf("%s[%d]", path, i), Message: "is not a team of the organization"})
			}
		}
	}
	check("teams", body.Teams)
	for i, invitee := range body.Emails {
		p, _ := invitee.Read() // already validated by the contract
		check(fmt.Sprintf("emails[%d].teams", i), p.Teams)
	}
	if len(wrong) > 0 {
		return api.Invalid(wrong...)
	}
	return nil
}

// invitedPerson is the invite of one person in the answer.
type invitedPerson struct {
	id                string
	item              []byte // JSON, with the secret if there is a new one
	existing, changed bool
}

// invite invites a person: the open invite of the address is changed, others to the same address are deleted, and without one a
// new one is made. The caller becomes the author of an invite that is made or changed.
func invite(tx *store.Tx, c *rest.Call, p api.Invitation, body api.InviteCreate, role *api.Role, open []string) (done invitedPerson,
	err error,
) {
	d, deleted, err := takeOpenInvite(tx, c.Org, p.Email, open)
	if err != nil {
		return done, err
	}
	done.existing = d.Version > 0
	made := inviteSecret{org: c.Org, invite: d.Fields.ID}
	if !done.existing {
		made.invite = tx.NewID(store.InvitePrefix)
		if d, err = tx.Invite(c.Org, made.invite); err != nil {
			return done, err
		}
		d.Fields = api.InviteFields{Object: "invite", ID: made.invite, Email: p.Email, Role: role, CreatedAt: api.At(tx.Now())}
	}
	if !done.existing || body.NewSecret {
		made.secret = rand.Text()
		d.Private.Digests = store.Digests{Digest: auth.Digest(made.secret)}
	}
	done.id, done.changed = made.invite, patchInvite(&d.Fields, p) || made.secret != "" || deleted || !isAuthor(c, d.Private) ||
		body.SSO && !d.Private.SSO
	record, _, err := tx.Record(store.InviteKey(c.Org, done.id))
	if err == nil && done.changed {
		isSSO := d.Private.SSO || body.SSO
		d.Private = newInvitePrivate(c, d.Private.Digests, tx.Now())
		d.Private.SSO = isSSO
		d.Fields.ExpiresAt = c.Caller.ExpiryFor(api.At(tx.Now().Add(inviteLifetime)))
		tx.SetInvited(c.Org, d)
		record, err = tx.PutInvite(c.Org, d)
	}
	if err != nil {
		return done, err
	}
	done.item, err = rest.ExtendObject(record.Public).
		SetIf(done.existing, "existing", true).
		SetIf(made.secret != "", "secret", made.String()).Bytes()
	return done, err
}

// takeOpenInvite returns the open invite of an address, the latest if there are several, and deletes the others. Without one, the
// document has version 0.
func takeOpenInvite(tx *store.Tx, org, email string, open []string) (kept store.InviteDocument, deleted bool, err error) {
	current, _, err := tx.Field(store.InvitedKey(org), store.InvitedField(email))
	if err != nil {
		return kept, false, err
	}
	ids := slices.DeleteFunc(slices.Clone(open), func(id string) bool { return id == current })
	if current != "" {
		ids = append(ids, current)
	}
	for _, id := range slices.Backward(ids) {
		d, err := tx.Invite(org, id)
		switch {
		case err != nil:
			return kept, false, err
		case !store.IsInviteOpen(d, email, tx.Now()):
		case kept.Version == 0:
			kept = d
		default:
			if err := tx.DeleteInvite(org, d); err != nil {
				return kept, false, err
			}
			deleted = true
		}
	}
	return kept, deleted, nil
}

// patchInvite applies what is given for a person to an invite, and reports whether it changed the invite.
func patchInvite(f *api.InviteFields, p api.Invitation) (changed bool) {
	changed = ApplyPointer(p.Role, &f.Role)
	if p.Name != "" && p.Name != f.Name {
		f.Name, changed = p.Name, true
	}
	if p.Teams == nil {
		return changed
	}
	teams := slices.Sorted(slices.Values(p.Teams))
	if teams = slices.Compact(teams); !slices.Equal(teams, f.Teams) {
		f.Teams, changed = teams, true
	}
	return changed
}

// isAuthor reports whether the caller is the author of an invite, with the same token and in the same membership.
func isAuthor(c *rest.Call, p store.InvitePrivate) (is bool) {
	c.Access(func(model *access.Model) {
		member := model.Member(c.Caller.User)
		is = member != nil && !p.MadeAt.Before(member.JoinedAt.Time)
	})
	return is && p.CreatedBy == c.Caller.User && p.Token == c.Caller.Token
}
