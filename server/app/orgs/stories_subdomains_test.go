package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestGetSubdomain checks that a subdomain resolves to the organization that has it as its hostname, for members
// only.
func TestGetSubdomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := api.SubdomainRef{Subdomain: "acme"}
		gone := func(as string) {
			t.Helper()
			servertest.Refused(w, as, api.GetSubdomain, ref, http.StatusNotFound, api.ReasonNotFound)
		}
		gone("admin")
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme")})
		servertest.Equal(t, "for a guest", api.Subdomain{
			Object: "subdomain", Subdomain: "acme", IsActive: true,
			Target: api.SubdomainTarget{Type: api.TargetOfOrganization, Organization: w.Org},
		}, servertest.Do(w, "guest", api.GetSubdomain, ref))
		gone("stranger")
		bound := servertest.Do(w, "admin", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.OtherOrg)},
		})
		w.Tokens["bound"] = bound.Token
		gone("bound")
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme-ltd")})
		gone("admin")
		servertest.Do(w, "stranger", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.OtherOrg, Body: api.OrganizationPatch{Hostname: api.Some("acme")},
		})
		gone("admin")
		servertest.Equal(t, "for the next owner", w.OtherOrg, servertest.Do(w, "stranger", api.GetSubdomain, ref).Target.Organization)
		site := api.SiteRef{
			Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org}).ID,
		}
		servertest.Do(w, "admin", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{Hostname: api.Some("docs.acme.example")},
		})
		w.Call("admin", http.MethodGet, "/v1/subdomains/docs.acme.example", nil, http.StatusBadRequest)
	})
}
