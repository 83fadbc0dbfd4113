package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
)

// The settings of an organization are changed one by one, and null takes back what may be absent.
func TestOrganizationSettings(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site := do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.org})
		content := api.DefaultContent{Type: api.ContentSite, Site: site.ID}
		settings(w, api.OrganizationPatch{
			Title: api.Some("Acme Ltd"), EmailDomains: api.Some([]string{"acme.example"}), Hostname: api.Some("acme"),
			DefaultRole: api.Some(api.RoleEdit), DefaultContent: api.Some(content), Logo: api.Some("https://acme.example/logo.png"),
			AI: api.Some(true), InviteLinks: api.Some(false),
		})
		got := do(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.org})
		if got.Title != "Acme Ltd" || got.Hostname != "acme" || *got.DefaultRole != api.RoleEdit || *got.DefaultContent != content ||
			got.URLs.Logo != "https://acme.example/logo.png" || !got.AI || got.InviteLinks || len(got.EmailDomains) != 1 {
			t.Errorf("the organization is %+v", got)
		}
		do(w, "admin", api.DeleteSite, api.SiteRef{Organization: w.org, Site: site.ID})
		cleared := settings(w, api.OrganizationPatch{DefaultRole: api.Null[api.Role](), Logo: api.Null[string]()})
		if cleared.Hostname != "acme" || cleared.DefaultRole != nil || cleared.DefaultContent != nil || cleared.URLs.Logo != "" || cleared.Title != "Acme Ltd" {
			t.Errorf("the organization is %+v", cleared)
		}
		for field, body := range map[string]string{
			"title": `{"title":"x"}`, "hostname": `{"hostname":null}`, "emailDomains[1]": `{"emailDomains":["a.example","Not a domain"]}`,
			"defaultContent.site": `{"defaultContent":{"type":"site","site":"` + site.ID + `"}}`, "logo": `{"logo":"javascript://alert"}`,
			"defaultRole": `{"defaultRole":"owner"}`,
		} {
			w.untouched(func() api.Error {
				e := w.call("admin", http.MethodPatch, "/v1/orgs/"+w.org, []byte(body), http.StatusUnprocessableEntity).Error()
				if len(e.Fields) == 0 || e.Fields[0].Path != field {
					t.Errorf("%s: %+v", body, e)
				}
				return e
			})
		}
		refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.org, Body: api.OrganizationPatch{SSO: api.Some(true)},
		}, http.StatusConflict, api.ReasonState)
	})
}

// What an organization is for is kept as it is said; the kind of a community makes it one.
func TestOrganizationKind(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		made := do(w, "reader", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{
			Title: "Free Tools", UseCase: "openSourceDocs", CommunityType: "openSource",
		}})
		kind := func(o api.Organization) []string {
			return []string{string(o.Type), string(o.UseCase), string(o.CommunityType)}
		}
		equal(t, "a new community", []string{"community", "openSourceDocs", "openSource"}, kind(made))
		equal(t, "an organization of which nothing was said", []string{"business", "", ""}, kind(settings(w, api.OrganizationPatch{})))
		settings(w, api.OrganizationPatch{CommunityType: api.Some(api.CommunityType("education")), UseCase: api.Some(api.UseCase("notes"))})
		seen := func() []string {
			return kind(do(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.org}))
		}
		equal(t, "a school", []string{"community", "notes", "education"}, seen())
		settings(w, api.OrganizationPatch{CommunityType: api.Null[api.CommunityType]()})
		equal(t, "a school no more", []string{"business", "notes", ""}, seen())
		e := w.call("admin", http.MethodPatch, "/v1/orgs/"+w.org, []byte(`{"useCase":"games","communityType":"club"}`), http.StatusUnprocessableEntity).Error()
		equal(t, "fields that are wrong", 2, len(e.Fields))
	})
}

// The custom hostname of an organization is that of the site that it shows by default, whatever becomes of that site.
func TestCustomHostname(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site, other := newSite(w, api.SitePublic), newSite(w, api.SitePublic)
		hostname := func(site api.SiteRef, to api.Optional[string]) {
			do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: to}})
		}
		show := func(site api.SiteRef) {
			settings(w, api.OrganizationPatch{DefaultContent: api.Some(api.DefaultContent{Type: api.ContentSite, Site: site.Site})})
		}
		custom := func() string {
			return do(w, "reader", api.GetOrganization, api.OrganizationRef{Organization: w.org}).CustomHostname
		}
		hostname(site, api.Some("docs.example.com"))
		equal(t, "of no site", "", custom())
		show(site)
		equal(t, "of the site", "docs.example.com", custom())
		hostname(other, api.Some("help.example.com"))
		equal(t, "after that of another site changed", "docs.example.com", custom())
		hostname(site, api.Some("manual.example.com"))
		equal(t, "after that of the site changed", "manual.example.com", custom())
		hostname(site, api.Null[string]())
		equal(t, "after that of the site was given up", "", custom())
		show(other)
		equal(t, "of another site", "help.example.com", custom())
		do(w, "creator", api.DeleteSite, other)
		equal(t, "after the site was deleted", "", custom())
	})
}

// A hostname is one organization's, until it is given up.
func TestOrganizationHostname(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		theirs := api.UpdateOrganizationInput{Organization: w.otherOrg, Body: api.OrganizationPatch{Hostname: api.Some("acme")}}
		settings(w, api.OrganizationPatch{Hostname: api.Some("acme")})
		refused(w, "stranger", api.UpdateOrganization, theirs, http.StatusConflict, api.ReasonConflict)
		settings(w, api.OrganizationPatch{Hostname: api.Some("acme-docs")})
		do(w, "stranger", api.UpdateOrganization, theirs)
		refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.org, Body: api.OrganizationPatch{Hostname: api.Some("acme")},
		}, http.StatusConflict, api.ReasonConflict)
	})
}

// Who has an e-mail address of the right domain finds an organization and joins it with its default role; others do not
// even learn that it is there.
func TestJoinByDomain(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, join := w.newSpace().ID, api.OrganizationRef{Organization: w.org}
		refused(w, "stranger", api.JoinOrganization, join, http.StatusNotFound, api.ReasonNotFound)
		settings(w, api.OrganizationPatch{EmailDomains: api.Some([]string{"example.com"}), DefaultRole: api.Some(api.RoleComment)})
		mine := api.EmailDomainRef{EmailDomain: "example.com"}
		if found := do(w, "stranger", api.FindOrganization, mine).Organizations; len(found) != 1 || found[0].ID != w.org || found[0].Permissions.View {
			t.Errorf("the stranger finds %+v", found)
		}
		refused(w, "stranger", api.FindOrganization, api.EmailDomainRef{EmailDomain: "elsewhere.example"}, http.StatusForbidden, api.ReasonForbidden)
		do(w, "stranger", api.JoinOrganization, join)
		equal(t, "role of who joined", api.RoleComment, shownRole(w, "stranger", space))
		do(w, "admin", api.JoinOrganization, join) // is there already
		equal(t, "role of the admin", api.RoleCreate, shownRole(w, "admin", space))

		do(w, "stranger", api.DeleteMember, membership(w, "stranger"))
		settings(w, api.OrganizationPatch{DefaultRole: api.Null[api.Role]()})
		do(w, "stranger", api.JoinOrganization, join)
		equal(t, "role of who joined as a guest", api.RoleGuest, shownRole(w, "stranger", space))
		do(w, "stranger", api.DeleteMember, membership(w, "stranger"))
		settings(w, api.OrganizationPatch{EmailDomains: api.Some([]string{})})
		refused(w, "stranger", api.JoinOrganization, join, http.StatusNotFound, api.ReasonNotFound)
		equal(t, "organizations found", 0, len(do(w, "stranger", api.FindOrganization, mine).Organizations))
	})
}
