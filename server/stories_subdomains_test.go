package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
)

// A subdomain leads its members to the organization whose hostname it is, as long as it is that.
func TestStoryOfSubdomains(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref := api.SubdomainRef{Subdomain: "acme"}
		gone := func(as string) {
			t.Helper()
			refused(w, as, api.GetSubdomain, ref, http.StatusNotFound, api.ReasonNotFound)
		}
		gone("admin")
		settings(w, api.OrganizationPatch{Hostname: api.Some("acme")})
		equal(t, "for a guest", api.Subdomain{
			Object: "subdomain", Subdomain: "acme", IsActive: true,
			Target: api.SubdomainTarget{Type: api.TargetOfOrganization, Organization: w.org},
		}, do(w, "guest", api.GetSubdomain, ref))
		gone("stranger")
		bound := do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.otherOrg)}})
		w.tokens["bound"] = bound.Token
		gone("bound")
		settings(w, api.OrganizationPatch{Hostname: api.Some("acme-ltd")})
		gone("admin")
		do(w, "stranger", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.otherOrg, Body: api.OrganizationPatch{Hostname: api.Some("acme")},
		})
		gone("admin")
		equal(t, "for the next owner", w.otherOrg, do(w, "stranger", api.GetSubdomain, ref).Target.Organization)
		site := api.SiteRef{Organization: w.org, Site: do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.org}).ID}
		do(w, "admin", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: api.Some("docs.acme.example")}})
		w.call("admin", http.MethodGet, "/v1/subdomains/docs.acme.example", nil, http.StatusBadRequest)
	})
}
