package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// standing is what an organization is to a caller whom the path does not place in it.
type standing struct {
	id     string
	record txn.Record
	exists bool
	member bool
	role   api.Role
	teams  map[string]api.TeamRole
}

// standings reads what organizations are to the caller, in one pipeline. queue may add other reads to it.
func (s *Server) standings(ctx context.Context, caller *access.Caller, ids []string, queue func(*txn.Batch)) (map[string]standing, error) {
	b := s.store.Pipeline()
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
	found := make(map[string]standing, len(records))
	for id := range records {
		record, exists, err := records[id].Get()
		membership, member, err2 := members[id].Get()
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		at := standing{id: id, record: record, exists: exists}
		if member && exists {
			var m store.MemberDocument
			if err := m.Decode(membership); err != nil {
				return nil, fmt.Errorf("member %s of %s: %w", caller.User, id, err)
			}
			if caller.WorksIn(id, m.Fields.JoinedAt) {
				at.member, at.role, at.teams = true, m.Private.Role, m.Private.Teams
			}
		}
		found[id] = at
	}
	return found, s.dropDeletedTeams(ctx, found)
}

// dropDeletedTeams leaves the teams that exist. It makes a trip for those who are in teams only.
func (s *Server) dropDeletedTeams(ctx context.Context, known map[string]standing) error {
	b := s.store.Pipeline()
	existing := map[string]*txn.Future[map[string]string]{}
	for id, at := range known {
		existing[id] = b.Fields(txn.ShapesKey(id), slices.Collect(maps.Keys(at.teams))...)
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read teams: %w", err)
	}
	for id, at := range known {
		entries, _, err := existing[id].Get()
		if err != nil {
			return err
		}
		maps.DeleteFunc(at.teams, func(team string, _ api.TeamRole) bool { return entries[team] == "" })
	}
	return nil
}

// organizationSeen writes out an organization as the caller may see it: who is no member sees what a public page
// would say of it, and nothing of how it is run.
func (s *Server) organizationSeen(at standing) ([]byte, error) {
	if at.member {
		o, err := s.organizationObject(at.id, at.record, &access.Caller{IsMember: true, Role: at.role, Teams: at.teams})
		if err != nil {
			return nil, err
		}
		return o.Bytes()
	}
	var o store.OrganizationDocument
	if err := o.Decode(at.record); err != nil {
		return nil, fmt.Errorf("organization %s: %w", at.id, err)
	}
	r, err := rest.Value(api.Organization{
		OrganizationFields: api.OrganizationFields{
			Object: o.Fields.Object, ID: at.id, Title: o.Fields.Title, CreatedAt: o.Fields.CreatedAt, EmailDomains: []string{},
			Type: o.Fields.Type, Plan: o.Fields.Plan, Trial: o.Fields.Trial, IsOnNewTrial: o.Fields.IsOnNewTrial,
		},
		URLs: s.organizationURLs(at.id, o.Private.Logo),
	})
	return r.JSON, err
}

// standingIn is what the organization with an id or a hostname is to the caller.
func (s *Server) standingIn(ctx context.Context, c *rest.Call, name string) (standing, error) {
	id := name
	if !strings.HasPrefix(name, txn.OrganizationPrefix) && api.Patterns["subdomain"].MatchString(name) {
		claim, _, err := s.store.Claim(ctx, store.HostnameKey(name))
		if err != nil {
			return standing{}, fmt.Errorf("hostname: %w", err)
		}
		id = claim.Owner
	}
	if !redis.ValidID(id) {
		return standing{}, nil
	}
	known, err := s.standings(ctx, c.Caller, []string{id}, nil)
	if err != nil {
		return standing{}, err
	}
	at := known[id]
	if id != name && !at.isAt(name) {
		return standing{}, nil
	}
	return at, nil
}

// isAt reports whether the organization has a hostname: one that it gave up may be claimed for a while.
func (at standing) isAt(hostname string) bool {
	var o store.OrganizationDocument
	return at.exists && o.Decode(at.record) == nil && o.Fields.Hostname == hostname
}
