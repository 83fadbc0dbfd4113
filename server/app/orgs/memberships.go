package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Membership is what an organization is to a caller whom the path does not place in it.
type Membership struct {
	ID     string
	record txn.Record
	exists bool
	Member bool
	Role   api.Role
	teams  map[string]api.TeamRole
}

// Memberships reads what organizations are to the caller, in one pipeline. queue may add other reads to it.
func (s *Service) Memberships(ctx context.Context, caller *access.Caller, ids []string, queue func(*txn.Batch)) (map[string]Membership, error) {
	b := s.Store.Pipeline()
	records, members := map[string]*txn.Future[txn.Record]{}, map[string]*txn.Future[txn.Record]{}
	for _, id := range ids {
		if records[id] == nil {
			records[id], members[id] = b.Record(store.OrganizationKey(id)), b.Record(store.MemberKey(id, caller.User))
		}
	}
	if queue != nil {
		queue(b)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	found := make(map[string]Membership, len(records))
	for id := range records {
		record, exists, err := records[id].Get()
		if err != nil {
			return nil, err
		}
		membership, member, err := members[id].Get()
		if err != nil {
			return nil, err
		}
		var private store.OrganizationPrivate
		if exists {
			if err := json.Unmarshal(record.Private, &private); err != nil {
				return nil, fmt.Errorf("organization %s: %w", id, err)
			}
		}
		exists = exists && private.Deleted == nil
		at := Membership{ID: id, record: record, exists: exists}
		if member && exists {
			var m store.MemberDocument
			if err := m.Decode(membership); err != nil {
				return nil, fmt.Errorf("member %s of %s: %w", caller.User, id, err)
			}
			if caller.WorksIn(id, m.Fields.JoinedAt) {
				at.Member, at.Role, at.teams = true, m.Private.Role, m.Private.Teams
			}
		}
		found[id] = at
	}
	return found, s.dropDeletedTeams(ctx, found)
}

// dropDeletedTeams leaves the teams that exist. It makes a trip for those who are in teams only.
func (s *Service) dropDeletedTeams(ctx context.Context, known map[string]Membership) error {
	b := s.Store.Pipeline()
	existing := map[string]*txn.Reply[map[string]string]{}
	for id, at := range known {
		existing[id] = b.Fields(txn.EntriesKey(id), slices.Collect(maps.Keys(at.teams))...)
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read teams: %w", err)
	}
	for id, at := range known {
		entries := existing[id].Value()
		maps.DeleteFunc(at.teams, func(team string, _ api.TeamRole) bool { return entries[team] == "" })
	}
	return nil
}

// Seen writes out an organization as the caller may see it: who is no member sees what a public page
// would say of it, and nothing of how it is run.
func (s *Service) Seen(at Membership) ([]byte, error) {
	if at.Member {
		o, err := s.organizationObject(at.ID, at.record, &access.Caller{IsMember: true, Role: at.Role, Teams: at.teams})
		if err != nil {
			return nil, err
		}
		return o.Bytes()
	}
	var o store.OrganizationDocument
	if at.exists {
		if err := o.Decode(at.record); err != nil {
			return nil, fmt.Errorf("organization %s: %w", at.ID, err)
		}
	} else {
		o.Fields = goneFields()
	}
	r, err := rest.Value(api.Organization{
		OrganizationFields: api.OrganizationFields{
			Object: o.Fields.Object, ID: at.ID, Title: o.Fields.Title, CreatedAt: o.Fields.CreatedAt, EmailDomains: []string{},
			Type: o.Fields.Type, Plan: o.Fields.Plan, Trial: o.Fields.Trial, IsOnNewTrial: o.Fields.IsOnNewTrial,
		},
		URLs: s.organizationURLs(at.ID, o.Private.Logo),
	})
	return r.JSON, err
}

// goneFields are those of an organization that is not there any more and is still spoken of.
func goneFields() api.OrganizationFields {
	return api.OrganizationFields{
		Object: "organization", Title: "Deleted organization", Type: api.OrganizationBusiness, Plan: api.PlanFree,
		Trial: api.Trial{Status: api.TrialNotApplicable}, IsOnNewTrial: true,
	}
}

// Exists reports whether the organization is there: one in the trash is not.
func (at Membership) Exists() bool { return at.exists }

// MembershipIn is what the organization with an id or a hostname is to the caller.
func (s *Service) MembershipIn(ctx context.Context, c *rest.Call, name string) (Membership, error) {
	id := name
	if !strings.HasPrefix(name, txn.OrganizationPrefix) && api.Patterns["subdomain"].MatchString(name) {
		claim, _, err := s.Store.Claim(ctx, store.HostnameKey(name))
		if err != nil {
			return Membership{}, fmt.Errorf("hostname: %w", err)
		}
		id = claim.Owner
	}
	if !redis.ValidID(id) {
		return Membership{}, nil
	}
	known, err := s.Memberships(ctx, c.Caller, []string{id}, nil)
	if err != nil {
		return Membership{}, err
	}
	at := known[id]
	if id != name && !at.isAt(name) {
		return Membership{}, nil
	}
	return at, nil
}

// isAt reports whether the organization has a hostname: one that it gave up may be claimed for a while.
func (at Membership) isAt(hostname string) bool {
	var o store.OrganizationDocument
	return at.exists && o.Decode(at.record) == nil && o.Fields.Hostname == hostname
}
