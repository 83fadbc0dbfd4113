package orgs

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The open invites and invite links of a member end with the membership: the transaction that ends it deletes up to
// maxInvitesWithMember of them, and a job the rest. Until then they are refused, because their author is not a member.

// maxInvitesWithMember is the number of invites and invite links that are deleted in the transaction that ends the membership of
// their author.
const maxInvitesWithMember = 150

// authoredPageSize is the number of invites that are read at once to find those of an author.
const authoredPageSize = 500

// authoredInvite is an open invite or invite link.
type authoredInvite struct {
	id, title string // the title is the address of an invite and the role or level of a link
	isLink    bool
	expiresAt api.Time // zero for a link that does not expire
	private   store.InvitePrivate
}

// key returns the key of the record.
func (i authoredInvite) key(org string) redis.Key {
	if i.isLink {
		return store.LinkInviteKey(org, i.id)
	}
	return store.InviteKey(org, i.id)
}

// authoredInvites are the open invites and invite links of one author in an organization.
type authoredInvites []authoredInvite

// loadAuthoredInvites reads the open invites and invite links that a user made. It reads all those of the organization, in
// pages.
func loadAuthoredInvites(ctx context.Context, s *store.Store, org, user string) (mine authoredInvites, err error) {
	for _, isLink := range []bool{false, true} {
		err := walkInvites(ctx, s, org, isLink, func(page authoredInvites) error {
			for _, i := range page {
				if i.private.CreatedBy == user {
					mine = append(mine, i)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return mine, nil
}

// CountInvitesOf returns the number of open invites and invite links that a user made in an organization.
func CountInvitesOf(ctx context.Context, s *store.Store, org, user string) (int, error) {
	mine, err := loadAuthoredInvites(ctx, s, org, user)
	return len(mine), err
}

// walkInvites calls visit with the invites or the invite links of an organization, a page at a time.
func walkInvites(ctx context.Context, s *store.Store, org string, isLink bool, visit func(page authoredInvites) error) error {
	return walkInvitesAfter(ctx, s, org, isLink, "", visit)
}

// walkInvitesAfter is walkInvites for those whose ids are greater than after.
func walkInvitesAfter(
	ctx context.Context, s *store.Store, org string, isLink bool, after string, visit func(page authoredInvites) error,
) error {
	index := store.InvitesKey(org)
	if isLink {
		index = store.LinkInvitesKey(org)
	}
	for {
		b := s.NewBatch()
		members := b.Range(index, after, authoredPageSize, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read invites of %s: %w", org, err)
		}
		ids := members.Value()
		page, err := readInvites(ctx, s, org, isLink, ids)
		if err == nil {
			err = visit(page)
		}
		if err != nil || len(ids) < authoredPageSize {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// readInvites reads invites or invite links in one trip. Deleted ones are left out.
func readInvites(ctx context.Context, s *store.Store, org string, isLink bool, ids []string) (page authoredInvites, err error) {
	b := s.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(authoredInvite{id: id, isLink: isLink}.key(org))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read invites of %s: %w", org, err)
	}
	for i, id := range ids {
		r, there, err := records[i].Get()
		if err == nil && !there {
			continue
		}
		invite := authoredInvite{id: id, isLink: isLink}
		if err == nil {
			err = invite.decode(r)
		}
		if err != nil {
			return nil, fmt.Errorf("invite %s: %w", id, err)
		}
		page = append(page, invite)
	}
	return page, nil
}

// decode sets the fields of an invite from its record.
func (i *authoredInvite) decode(r txn.Record) error {
	if !i.isLink {
		var d store.InviteDocument
		err := d.Decode(r)
		i.title, i.expiresAt, i.private = d.Fields.Email, d.Fields.ExpiresAt, d.Private
		return err
	}
	var d store.LinkInviteDocument
	err := d.Decode(r)
	role, _ := d.Fields.Role.Get()
	if d.Fields.Content() != "" {
		role = d.Fields.Level
	}
	i.title, i.expiresAt, i.private = string(role), d.Fields.ExpiresAt, d.Private
	return err
}

// taken describes the invites and the invite links that end with a membership.
func (a authoredInvites) taken() []api.Taken {
	var invites, links []api.TakenThing
	for _, i := range a {
		if i.isLink {
			links = append(links, api.TakenThing{ID: i.id, Title: i.title})
		} else {
			invites = append(invites, api.TakenThing{ID: i.id, Title: i.title})
		}
	}
	return []api.Taken{api.NewTaken("invites", len(invites), invites...), api.NewTaken("invite-links", len(links), links...)}
}

// endMembership ends a membership that tx has read, and deletes the invites of the member, as many as the transaction allows. A job
// deletes the rest, and those that were made since invites was read.
func endMembership(tx *store.Tx, org string, m store.MemberDocument, invites authoredInvites) error {
	if err := invites.delete(tx, org, m.Private.User.ID); err != nil {
		return err
	}
	tx.Schedule(org, txn.JobName(store.InvitesKind, m.Private.User.ID), 0)
	return tx.DeleteMember(org, m)
}

// delete deletes up to maxInvitesWithMember of the invites, except those that were deleted or have another author now.
func (a authoredInvites) delete(tx *store.Tx, org, author string) error {
	some := a[:min(len(a), maxInvitesWithMember)]
	keys := make([]redis.Key, 0, 2*len(some))
	for _, invite := range some {
		if keys = append(keys, invite.key(org)); !invite.isLink {
			keys = append(keys, store.InvitedKey(org).Field(store.InvitedField(invite.title)))
		}
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, invite := range some {
		if err := deleteAuthored(tx, org, author, invite); err != nil {
			return err
		}
	}
	return nil
}

// deleteAuthored deletes an invite or invite link if the user is still its author.
func deleteAuthored(tx *store.Tx, org, author string, i authoredInvite) error {
	if i.isLink {
		d, err := tx.LinkInvite(org, i.id)
		if err == nil && d.Version > 0 && d.Private.CreatedBy == author {
			tx.DeleteLinkInvite(org, i.id)
		}
		return err
	}
	d, err := tx.Invite(org, i.id)
	if err == nil && d.Version > 0 && d.Private.CreatedBy == author {
		err = tx.DeleteInvite(org, d)
	}
	return err
}

// RemoveOfFormerMember is the job that deletes the open invites and invite links of a member who left. If the user is a member
// again, it deletes those that were made before.
func (iv *Invites) RemoveOfFormerMember(ctx context.Context, lease store.Lease) error {
	org, user := lease.Organization, lease.Arg
	invites, err := loadAuthoredInvites(ctx, iv.Store, org, user)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(invites, maxInvitesWithMember) {
		err := iv.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, user)
			if err != nil {
				return err
			}
			old := slices.DeleteFunc(slices.Clone(some), func(i authoredInvite) bool { return m.Version > 0 && !i.private.IsBefore(m) })
			if err := authoredInvites(old).delete(tx, org, user); err != nil {
				return err
			}
			return lease.Require(tx.Tx)
		})
		if err != nil {
			return err
		}
	}
	return iv.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}
