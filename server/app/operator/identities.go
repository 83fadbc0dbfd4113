package operator

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Identity is an identity of a provider of an organization, by which a user signs in there.
type Identity struct {
	Organization string   `json:"organization"`
	ID           string   `json:"id"`
	Provider     string   `json:"provider"`
	Issuer       string   `json:"issuer"`
	Subject      string   `json:"subject"`
	LinkedAt     api.Time `json:"linkedAt"`
}

// identitiesOf returns the identities by which a user signs in, by organization. Of one whose record is missing, only the id is known.
func (s Service) identitiesOf(ctx context.Context, user string, memberships []Membership) ([]Identity, error) {
	found := []Identity{}
	b := s.Store.NewBatch()
	members := make([]*txn.Future[txn.Record], len(memberships))
	for i, m := range memberships {
		members[i] = b.Record(store.MemberKey(m.Organization, user))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	b = s.Store.NewBatch()
	var records []*txn.Future[txn.Record]
	for i, m := range memberships {
		var d store.MemberDocument
		r, there, err := members[i].Get()
		if err == nil && there {
			err = d.Decode(r)
		}
		if err != nil {
			return nil, fmt.Errorf("membership of %s in %s: %w", user, m.Organization, err)
		}
		for _, id := range slices.Sorted(maps.Keys(d.Private.Identities)) {
			found = append(found, Identity{Organization: m.Organization, ID: id, LinkedAt: d.Private.Identities[id]})
			records = append(records, b.Record(store.IdentityKey(m.Organization, id)))
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read identities of %s: %w", user, err)
	}
	for i, record := range records {
		var d store.IdentityDocument
		r, there, err := record.Get()
		if err == nil && there {
			err = d.Decode(r)
		}
		if err != nil {
			return nil, fmt.Errorf("identity %s: %w", found[i].ID, err)
		}
		found[i].Provider, found[i].Issuer, found[i].Subject = d.Fields.Provider, d.Fields.Issuer, d.Fields.Subject
	}
	return found, nil
}
