package orgs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Membership is an organization together with the caller's role in it, for operations whose path does not name the
// organization. Fields other than ID are zero if the caller is not a member.
type Membership struct {
	ID       string
	record   txn.Record
	exists   bool
	IsMember bool
	Role     api.Role
	teams    map[string]api.TeamRole
	refusal  *api.Error // why the token does not work in the organization of which the caller is a member; nil = it works
}

// LoadMemberships reads organizations and the caller's roles in them in one pipeline, by id. queue, if not nil, may add
// other reads to the pipeline.
func (s *Service) LoadMemberships(ctx context.Context, caller *access.Caller, ids []string, queue func(
	*txn.Batch,
),
) (map[string]Membership, error) {
	b := s.Store.NewBatch()
	records, members := map[string]*txn.Future[txn.Record]{}, map[string]*txn.Future[txn.Record]{}
	for _, id := range ids {
		if records[id] == nil {
			records[id], members[id] = b.Record(store.OrganizationKey(id)), b.Record(store.MemberKey(id, caller.User))
		}
	}
	var provider *txn.Reply[string]
	if caller.SignIn != nil {
		provider = b.Field(txn.EntriesKey(caller.Organization), caller.SignIn.Provider)
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
		memberRecord, isMember, err := members[id].Get()
		if err != nil {
			return nil, err
		}
		var o store.OrganizationDocument
		if exists {
			if err := o.Decode(record); err != nil {
				return nil, fmt.Errorf("organization %s: %w", id, err)
			}
		}
		exists = exists && o.Private.Deletion == nil
		membership := Membership{ID: id, record: record, exists: exists}
		if isMember && exists {
			var m store.MemberDocument
			if err := m.Decode(memberRecord); err != nil {
				return nil, fmt.Errorf("member %s of %s: %w", caller.User, id, err)
			}
			membership.refusal = s.refusalOf(caller, o, m)
			isValid := caller.ValidForMembership(id, store.PersonOf(m)) && (provider == nil || provider.Value() != "")
			if isValid && membership.refusal == nil {
				membership.IsMember, membership.Role, membership.teams = true, m.Private.Role, m.Private.Teams
			}
		}
		found[id] = membership
	}
	return found, s.dropDeletedTeams(ctx, found)
}

// refusalOf returns why the token of a member does not work in an organization although it has not ended, or nil.
func (s *Service) refusalOf(caller *access.Caller, o store.OrganizationDocument, m store.MemberDocument) *api.Error {
	maxAge := store.TokenMaxAge(o.Fields.TokenMaxAgeDays)
	switch {
	case caller.Organization != "" && caller.Organization != o.Fields.ID:
		return nil // it opens nothing of this organization, and is shown nothing of it
	case slices.Contains(caller.EndedIn, o.Fields.ID):
		return auth.TokenEndedHere()
	case caller.IsOlderThan(maxAge, s.now()):
		return auth.TokenTooOldHere(caller.AgeFrom, maxAge, s.now())
	case caller.NeedsSignIn(o.Private.EnforcesSSO, store.PersonOf(m)):
		return auth.SSORequired(auth.SignInURL(s.PublicURL, o.Fields.ID))
	}
	return nil
}

// dropDeletedTeams removes deleted teams from the memberships. It needs a trip only if there are teams.
func (s *Service) dropDeletedTeams(ctx context.Context, known map[string]Membership) error {
	b := s.Store.NewBatch()
	existing := map[string]*txn.Reply[map[string]string]{}
	for id, m := range known {
		existing[id] = b.Fields(txn.EntriesKey(id), slices.Collect(maps.Keys(m.teams))...)
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read teams: %w", err)
	}
	for id, m := range known {
		entries := existing[id].Value()
		maps.DeleteFunc(m.teams, func(team string, _ api.TeamRole) bool { return entries[team] == "" })
	}
	return nil
}

// EncodeVisible returns the JSON of an organization as visible to the caller: without its settings if the caller is not a
// member.
func (s *Service) EncodeVisible(at Membership) ([]byte, error) {
	if at.IsMember {
		o, err := s.encodeOrganization(at.ID, at.record, &access.Caller{IsMember: true, Role: at.Role, Teams: at.teams})
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
		o.Fields = deletedOrganizationFields()
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

// deletedOrganizationFields returns the fields that are shown for an organization that was deleted but is still
// referenced.
func deletedOrganizationFields() api.OrganizationFields {
	return api.OrganizationFields{
		Object: "organization", Title: "Deleted organization", Type: api.OrganizationBusiness, Plan: api.PlanFree,
		Trial: api.Trial{Status: api.TrialNotApplicable}, IsOnNewTrial: true,
	}
}

// Exists reports whether the organization exists and is not in the trash.
func (m Membership) Exists() bool { return m.exists }

// ResolveMembership returns the membership of the caller in the organization with an id or a hostname. It returns the zero
// value if there is no such organization.
func (s *Service) ResolveMembership(ctx context.Context, c *rest.Call, name string) (Membership, error) {
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
	known, err := s.LoadMemberships(ctx, c.Caller, []string{id}, nil)
	if err != nil {
		return Membership{}, err
	}
	membership := known[id]
	if id != name && !membership.hasHostname(name) {
		return Membership{}, nil
	}
	return membership, nil
}

// hasHostname reports whether the organization has a hostname. A hostname that it released may still be claimed for a
// while.
func (m Membership) hasHostname(hostname string) bool {
	var o store.OrganizationDocument
	return m.exists && o.Decode(m.record) == nil && o.Fields.Hostname == hostname
}
