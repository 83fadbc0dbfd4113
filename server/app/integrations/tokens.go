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

// tokenTime is how long the token of an installation works.
const tokenTime = time.Hour

// createInstallationToken makes a token for what runs an integration. It acts for the admin who made it, bounded by the
// scopes of the integration and by what the installation is for, as they are with every request.
func (s *Service) createInstallationToken(ctx context.Context, c *rest.Call, in api.InstallationRef) (none rest.Result[api.TemporaryToken], err error) {
	at, err := s.installedOnNow(ctx, c, in, store.InstalledSpaces)
	if err != nil {
		return none, err
	}
	if role := at.c.Caller.Role; !role.AtLeast(api.RoleAdmin) {
		return none, rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "the organization that it is installed in", role)
	}
	if at.of.Private.Unpublished {
		return none, api.WrongState("%s is not published: its installations have no tokens.", in.Integration)
	}
	return s.Orgs.TemporaryToken(ctx, c, tokenTime, orgs.TokenOptions{
		Name: in.Integration, Scopes: []api.Scope{api.ScopeWrite}, Organization: at.Fields.Target.Organization,
		Installation: &store.TokenInstallation{Integration: in.Integration, ID: in.Installation, Withdrawn: at.of.Private.Withdrawn},
	})
}
