package orgs

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

func (s *Service) subdomainEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.GetSubdomain, auth.Self(), s.getSubdomain),
	}
}

// getSubdomain returns the organization with a hostname. It returns not_found to callers who are not members.
func (s *Service) getSubdomain(ctx context.Context, c *rest.Call, in api.SubdomainRef) (rest.Result[api.Subdomain], error) {
	membership, err := s.ResolveMembership(ctx, c, in.Subdomain)
	if err == nil && !membership.IsMember {
		err = api.NotFound()
	}
	if err != nil {
		return rest.Result[api.Subdomain]{}, err
	}
	result, err := rest.Value(api.Subdomain{
		Object: "subdomain", Subdomain: in.Subdomain, IsActive: true,
		Target: api.SubdomainTarget{Type: api.TargetOfOrganization, Organization: membership.ID},
	})
	return result.WithVersion(rest.RecordVersion(membership.record)), err
}
