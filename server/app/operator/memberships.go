package operator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Membership is the membership of a user in an organization.
type Membership struct {
	Organization string   `json:"organization"`
	Title        string   `json:"title"`
	InTrash      bool     `json:"inTrash,omitzero"` // the organization was deleted and can be restored
	Role         string   `json:"role"`             // "guest" without a role
	OnlyAdmin    bool     `json:"onlyAdmin,omitzero"`
	JoinedAt     api.Time `json:"joinedAt"`
	LastSeenAt   api.Time `json:"lastSeenAt,omitzero"`
}

// MadeThings lists what a user made in an organization that works without the user, and stays when the account ends.
type MadeThings struct {
	Organization string      `json:"organization"`
	Title        string      `json:"title"`
	Things       []api.Taken `json:"things"`
}

// madeBy returns what a user made in organizations, those without any left out.
func (s Service) madeBy(ctx context.Context, user string, memberships []Membership) ([]MadeThings, error) {
	found := []MadeThings{}
	for _, m := range memberships {
		all, err := s.accounts().MadeBy(ctx, m.Organization, user)
		if err != nil {
			return nil, fmt.Errorf("what %s made in %s: %w", user, m.Organization, err)
		}
		if things := api.Counts(all...); len(things) > 0 {
			found = append(found, MadeThings{m.Organization, m.Title, things})
		}
	}
	return found, nil
}

// madeByFormer is madeBy for all organizations, because an account that has ended has no memberships.
func (s Service) madeByFormer(ctx context.Context, user string) (found []MadeThings, err error) {
	err = s.ListOrganizations(ctx, func(page []Organization) error {
		organizations := make([]Membership, len(page))
		for i, o := range page {
			organizations[i] = Membership{Organization: o.ID, Title: o.Title}
		}
		things, err := s.madeBy(ctx, user, organizations)
		found = append(found, things...)
		return err
	})
	return append([]MadeThings{}, found...), err
}

// membershipRef identifies a membership.
type membershipRef struct{ org, user string }

// membershipReads holds the queued reads of a membership.
type membershipReads struct {
	organization, member *txn.Future[txn.Record]
	seen                 *txn.Reply[string]
	admins               *txn.Reply[int64]
}

// readMemberships returns memberships in one trip; nil stands for a user who is not a member.
func (s Service) readMemberships(ctx context.Context, refs []membershipRef) ([]*Membership, error) {
	b := s.Store.NewBatch()
	reads := make([]membershipReads, len(refs))
	for i, ref := range refs {
		reads[i] = membershipReads{
			b.Record(store.OrganizationKey(ref.org)), b.Record(store.MemberKey(ref.org, ref.user)),
			b.Field(store.SeenKey(ref.org), ref.user), b.Cardinality(store.AdminsKey(ref.org)),
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	found := make([]*Membership, len(refs))
	for i, ref := range refs {
		m, err := reads[i].membership(ref.org)
		if err != nil {
			return nil, fmt.Errorf("membership of %s in %s: %w", ref.user, ref.org, err)
		}
		found[i] = m
	}
	return found, nil
}

// membership returns the membership that was read, or nil.
func (r membershipReads) membership(org string) (*Membership, error) {
	record, isMember, err := r.member.Get()
	if err != nil || !isMember {
		return nil, err
	}
	var m store.MemberDocument
	if err := m.Decode(record); err != nil {
		return nil, err
	}
	others := r.admins.Value() // without those whose accounts are disabled
	if m.Private.IsActiveAdmin() {
		others--
	}
	membership := &Membership{
		Organization: org, Role: roleName(m.Private.Role), JoinedAt: m.Fields.JoinedAt,
		OnlyAdmin: m.Private.Role == api.RoleAdmin && !m.Private.IsService() && others <= 0,
	}
	if membership.LastSeenAt, err = parseMilliseconds(r.seen.Value()); err != nil {
		return nil, err
	}
	record, there, err := r.organization.Get()
	if err != nil || !there {
		return membership, err
	}
	var o store.OrganizationDocument
	if err := o.Decode(record); err != nil {
		return nil, err
	}
	membership.Title, membership.InTrash = o.Fields.Title, o.Private.Deletion != nil
	return membership, nil
}

// organizationsOf returns the memberships of a user.
func (s Service) organizationsOf(ctx context.Context, user string) ([]Membership, error) {
	b := s.Store.NewBatch()
	index := b.Range(store.UserOrganizationsKey(user), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations of %s: %w", user, err)
	}
	var refs []membershipRef
	for _, org := range index.Value() {
		refs = append(refs, membershipRef{org, user})
	}
	all, err := s.readMemberships(ctx, refs)
	if err != nil {
		return nil, err
	}
	var memberships []Membership
	for _, m := range all {
		if m != nil { // the index may contain organizations that the user has left
			memberships = append(memberships, *m)
		}
	}
	return memberships, nil
}

// roleName returns the name of a role on the command line.
func roleName(role api.Role) string {
	if role == api.RoleGuest {
		return "guest"
	}
	return string(role)
}

// parseMilliseconds parses a Unix time in milliseconds; "" is the zero time.
func parseMilliseconds(text string) (api.Time, error) {
	if text == "" {
		return api.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return api.Time{}, fmt.Errorf("%w: time %q", redis.ErrCorrupt, text)
	}
	return api.At(time.UnixMilli(ms)), nil
}
