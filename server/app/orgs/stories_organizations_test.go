package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestUpdateOrganizationSettings checks that each setting of an organization can be changed alone; null clears
// optional ones.
func TestUpdateOrganizationSettings(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org})
		content := api.DefaultContent{Type: api.ContentSite, Site: site.ID}
		servertest.UpdateOrganization(w, api.OrganizationPatch{
			Title: api.Some("Acme Ltd"), EmailDomains: api.Some([]string{"acme.example"}), Hostname: api.Some("acme"),
			DefaultRole: api.Some(api.RoleEdit), DefaultContent: api.Some(content), Logo: api.Some("https://acme.example/logo.png"),
			AI: api.Some(true), InviteLinks: api.Some(false),
		})
		got := servertest.Do(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
		if got.Title != "Acme Ltd" || got.Hostname != "acme" || *got.DefaultRole != api.RoleEdit || *got.DefaultContent != content ||
			got.URLs.Logo != "https://acme.example/logo.png" || !got.AI || got.InviteLinks || len(got.EmailDomains) != 1 {
			t.Errorf("the organization is %+v", got)
		}
		servertest.Do(w, "admin", api.DeleteSite, api.SiteRef{Organization: w.Org, Site: site.ID})
		cleared := servertest.UpdateOrganization(w, api.OrganizationPatch{DefaultRole: api.Null[api.Role](), Logo: api.Null[string]()})
		if cleared.Hostname != "acme" || cleared.DefaultRole != nil || cleared.DefaultContent != nil || cleared.URLs.Logo != "" ||
			cleared.Title != "Acme Ltd" {
			t.Errorf("the organization is %+v", cleared)
		}
		for field, body := range map[string]string{
			"title": `{"title":"x"}`, "hostname": `{"hostname":null}`, "emailDomains[1]": `{"emailDomains":["a.example","Not a domain"]}`,
			"defaultContent.site": `{"defaultContent":{"type":"site","site":"` + site.ID + `"}}`, "logo": `{"logo":"javascript://alert"}`,
			"defaultRole": `{"defaultRole":"owner"}`,
		} {
			w.WantUntouched(func() api.Error {
				e := w.Call("admin", http.MethodPatch, "/v1/orgs/"+w.Org, []byte(body), http.StatusUnprocessableEntity).Error()
				if len(e.Fields) == 0 || e.Fields[0].Path != field {
					t.Errorf("%s: %+v", body, e)
				}
				return e
			})
		}
		servertest.Refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(true)},
		}, http.StatusConflict, api.ReasonState)
	})
}

// TestOrganizationType checks that the type of an organization is stored as given; the type community makes it a
// community.
func TestOrganizationType(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		made := servertest.Do(w, "reader", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{
			Title: "Free Tools", UseCase: "openSourceDocs", CommunityType: "openSource",
		}})
		kind := func(o api.Organization) []string {
			return []string{string(o.Type), string(o.UseCase), string(o.CommunityType)}
		}
		servertest.Equal(t, "a new community", []string{"community", "openSourceDocs", "openSource"}, kind(made))
		servertest.Equal(t, "an organization of which nothing was said", []string{"business", "", ""},
			kind(servertest.UpdateOrganization(w, api.OrganizationPatch{})))
		servertest.UpdateOrganization(w, api.OrganizationPatch{
			CommunityType: api.Some(api.CommunityType("education")), UseCase: api.Some(api.UseCase("notes")),
		})
		seen := func() []string {
			return kind(servertest.Do(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.Org}))
		}
		servertest.Equal(t, "a school", []string{"community", "notes", "education"}, seen())
		servertest.UpdateOrganization(w, api.OrganizationPatch{CommunityType: api.Null[api.CommunityType]()})
		servertest.Equal(t, "a school no more", []string{"business", "notes", ""}, seen())
		e := w.Call("admin", http.MethodPatch, "/v1/orgs/"+w.Org, []byte(`{"useCase":"games","communityType":"club"}`),
			http.StatusUnprocessableEntity).Error()
		servertest.Equal(t, "fields that are wrong", 2, len(e.Fields))
	})
}

// TestCustomHostnameFollowsDefaultSite checks that the custom hostname of an organization is that of its default
// site, also after the site changes.
func TestCustomHostnameFollowsDefaultSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, other := servertest.NewSite(w, api.SitePublic), servertest.NewSite(w, api.SitePublic)
		hostname := func(site api.SiteRef, to api.Optional[string]) {
			servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: to}})
		}
		show := func(site api.SiteRef) {
			servertest.UpdateOrganization(w, api.OrganizationPatch{
				DefaultContent: api.Some(api.DefaultContent{Type: api.ContentSite, Site: site.Site}),
			})
		}
		custom := func() string {
			return servertest.Do(w, "reader", api.GetOrganization, api.OrganizationRef{Organization: w.Org}).CustomHostname
		}
		hostname(site, api.Some("docs.example.com"))
		servertest.Equal(t, "of no site", "", custom())
		show(site)
		servertest.Equal(t, "of the site", "docs.example.com", custom())
		hostname(other, api.Some("help.example.com"))
		servertest.Equal(t, "after that of another site changed", "docs.example.com", custom())
		hostname(site, api.Some("manual.example.com"))
		servertest.Equal(t, "after that of the site changed", "manual.example.com", custom())
		hostname(site, api.Null[string]())
		servertest.Equal(t, "after that of the site was given up", "", custom())
		show(other)
		servertest.Equal(t, "of another site", "help.example.com", custom())
		servertest.Do(w, "creator", api.DeleteSite, other)
		servertest.Equal(t, "after the site was deleted", "", custom())
	})
}

// TestOrganizationHostnameIsUnique checks that a hostname belongs to one organization until it is released.
func TestOrganizationHostnameIsUnique(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		theirs := api.UpdateOrganizationInput{Organization: w.OtherOrg, Body: api.OrganizationPatch{Hostname: api.Some("acme")}}
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme")})
		servertest.Refused(w, "stranger", api.UpdateOrganization, theirs, http.StatusConflict, api.ReasonConflict)
		servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some("acme-docs")})
		servertest.Do(w, "stranger", api.UpdateOrganization, theirs)
		servertest.Refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.Org, Body: api.OrganizationPatch{Hostname: api.Some("acme")},
		}, http.StatusConflict, api.ReasonConflict)
	})
}

// TestJoinByDomain checks that a user with a verified address of the domain finds and joins an organization with its
// default role. To others it does not exist.
func TestJoinByDomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, join := w.NewSpace().ID, api.OrganizationRef{Organization: w.Org}
		servertest.Refused(w, "stranger", api.JoinOrganization, join, http.StatusNotFound, api.ReasonNotFound)
		w.ProveDomains("admin", w.Org, "example.com")
		servertest.UpdateOrganization(w, api.OrganizationPatch{DefaultRole: api.Some(api.RoleComment)})
		mine := api.EmailDomainRef{EmailDomain: "example.com"}
		if found := servertest.Do(w, "stranger", api.FindOrganization, mine).Organizations; len(found) != 1 || found[0].ID != w.Org ||
			found[0].Permissions.View {
			t.Errorf("the stranger finds %+v", found)
		}
		servertest.Refused(w, "stranger", api.FindOrganization, api.EmailDomainRef{EmailDomain: "elsewhere.example"}, http.StatusForbidden,
			api.ReasonForbidden)
		servertest.Do(w, "stranger", api.JoinOrganization, join)
		servertest.Equal(t, "role of who joined", api.RoleComment, servertest.ShownRole(w, "stranger", space))
		servertest.Do(w, "admin", api.JoinOrganization, join) // already a member
		servertest.Equal(t, "role of the admin", api.RoleCreate, servertest.ShownRole(w, "admin", space))

		servertest.Do(w, "stranger", api.DeleteMember, memberRef(w, "stranger"))
		servertest.UpdateOrganization(w, api.OrganizationPatch{DefaultRole: api.Null[api.Role]()})
		servertest.Do(w, "stranger", api.JoinOrganization, join)
		servertest.Equal(t, "role of who joined as a guest", api.RoleGuest, servertest.ShownRole(w, "stranger", space))
		servertest.Do(w, "stranger", api.DeleteMember, memberRef(w, "stranger"))
		servertest.UpdateOrganization(w, api.OrganizationPatch{EmailDomains: api.Some([]string{})})
		servertest.Refused(w, "stranger", api.JoinOrganization, join, http.StatusNotFound, api.ReasonNotFound)
		servertest.Equal(t, "organizations found", 0, len(servertest.Do(w, "stranger", api.FindOrganization, mine).Organizations))
	})
}
