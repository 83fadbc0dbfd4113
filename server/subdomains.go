package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
)

func (s *Server) subdomainEndpoints() []Endpoint {
	return []Endpoint{
		op(api.GetSubdomain, auth.Self(), s.getSubdomain),
	}
}

// getSubdomain answers members only: to others the organization is not there, whatever its name.
func (s *Server) getSubdomain(ctx context.Context, c *call, in api.SubdomainRef) (Result[api.Subdomain], error) {
	at, err := s.standingIn(ctx, c, in.Subdomain)
	if err == nil && !at.member {
		err = api.NotFound()
	}
	if err != nil {
		return Result[api.Subdomain]{}, err
	}
	result, err := value(api.Subdomain{
		Object: "subdomain", Subdomain: in.Subdomain, IsActive: true,
		Target: api.SubdomainTarget{Type: api.TargetOfOrganization, Organization: at.id},
	})
	return result.versioned(recordVersion(at.record)), err
}
