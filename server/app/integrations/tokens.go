package integrations

import (
	"context"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// tokenLifetime is the validity of an installation token.
const tokenLifetime = time.Hour

// createInstallationToken creates a token for the code of an integration. It acts for the admin who created it,
// limited by the scopes of the integration and the selection of the installation at the time of each request.
func (s *Service) createInstallationToken(ctx context.Context, c *rest.Call, in api.InstallationRef) (none rest.Result[api.TemporaryToken],
	err error,
) {
	ci, err := s.loadContentInstallation(ctx, c, in, store.InstalledSpaces)
	if err != nil {
		return none, err
	}
	if role := ci.call.Caller.Role; !role.AtLeast(api.RoleAdmin) {
		return none, rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "the organization that it is installed in", role)
	}
	if ci.integration.Private.Unpublished {
		return none, api.WrongState("%s is not published: its installations have no tokens.", in.Integration)
	}
	return s.Orgs.CreateTemporaryToken(ctx, c, tokenLifetime, orgs.TokenOptions{
		Name: in.Integration, Scopes: []api.Scope{api.ScopeWrite}, Organization: ci.Fields.Target.Organization,
		Installation: &store.TokenInstallation{
			Integration: in.Integration, ID: in.Installation, Withdrawn: ci.integration.Private.Withdrawn,
		},
	})
}
