package server_test

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// createSite creates a site with sections and a group, and sets their ids in the sample.
func (w *randomWorld) createSite(s *servertest.Sample) {
	w.T.Helper()
	first, second := w.createSpace(""), w.createSpace("")
	s.Unshown = w.createSpace("")
	s.Site = servertest.Do(w.World, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
		Title: w.uniqueText("Site"), Spaces: api.SpaceSelection{first, second},
	}}).ID
	site := api.SiteRef{Organization: w.Org, Site: s.Site}
	s.OtherSection = servertest.Do(w.World, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{
		SiteRef: site, Body: api.SiteSectionCreate{SpaceID: second},
	}).ID
	section := servertest.Do(w.World, "admin", api.ListSiteSections, api.ListSiteSectionsInput{
		SiteVisit: api.SiteVisit{SiteRef: site},
	}).Items[0]
	s.Section, s.SiteSpace, s.OtherSiteSpace = section.ID, section.SiteSpaces[0].ID, section.SiteSpaces[1].ID
	s.Handbook = first
	s.Group = servertest.Do(w.World, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: w.uniqueText("Group"), Sections: []string{s.Section}},
	}).ID
	s.ShareLink = servertest.Do(w.World, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: site, Body: api.ShareLinkCreate{Name: w.uniqueText("Link")},
	}).ID
	w.EnableAdaptive(site)
}

// drawSite draws a site. Rows that change its parts get a new site with known parts.
func (w *randomWorld) drawSite(row api.Row, s *servertest.Sample, params map[string]string) {
	w.T.Helper()
	all := "/v1/orgs/" + w.Org + "/sites?limit=1000"
	made := func() string { w.createSite(s); return s.Site }
	switch {
	case strings.HasPrefix(row.Name, "site-s"), row.Name == "sites.sort-structure", strings.HasPrefix(row.Name,
		"share-links."), strings.Contains(row.Name, "-a"):
		made()
	default:
		s.Site = w.drawItem(all, nil, made)
	}
	params["site"] = s.Site
	site := api.SiteRef{Organization: w.Org, Site: s.Site}
	w.drawGrant(row, "/v1/orgs/"+w.Org+"/sites/"+s.Site, params)
	switch row.Name {
	case "sites.unpublish":
		w.Send("admin", http.MethodPost, "/v1/orgs/"+w.Org+"/sites/"+site.Site+"/publish", nil)
	case "sites.publish":
		s.Site = made()
		params["site"] = s.Site
	}
}

// drawOther draws objects outside of spaces, collections and sites. It returns the caller.
func (w *randomWorld) drawOther(row api.Row, s *servertest.Sample, params map[string]string) (as string) {
	w.T.Helper()
	org := "/v1/orgs/" + w.Org
	kind, _, _ := strings.Cut(row.Name, ".")
	s.Handbook = w.sample.Unshown
	switch kind {
	case "tokens", "organizations":
		return w.drawAccount(row, params)
	case "members":
		if slices.Contains(servertest.Subjects(row), "user") {
			params["user"] = w.drawMember()
		}
		if row.Name == api.SetMemberSSO.Name {
			w.drawItem(org+"/saml?limit=1000", func(p map[string]any) bool { return p["status"] == string(api.SAMLActive) },
				func() string { return servertest.NewActiveSAMLProvider(w.World).ID })
		}
	case "invites":
		if row.Name != "invites.create" {
			s.Invite = w.CreateInvite(strings.ReplaceAll(w.uniqueText("guest"), " ", "-")+"@elsewhere.example", api.RoleEdit)
			params["invite"] = s.Invite.ID
		}
	case "link-invites":
		s.Notes = w.drawSpace(nil)
		if slices.Contains(servertest.Subjects(row), "linkInvite") {
			params["linkInvite"] = w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Notes}).ID
		}
	case "teams":
		if slices.Contains(servertest.Subjects(row), "team") {
			params["team"] = w.drawTeam()
		}
		if row.Name == "teams.remove-member" || row.Name == "teams.update-members" {
			w.Call("admin", http.MethodPut, org+"/teams/"+params["team"]+"/members/"+w.Users["reviewer"].ID, nil, http.StatusNoContent)
		}
	case "saml-providers":
		if slices.Contains(servertest.Subjects(row), "samlProvider") {
			params["samlProvider"] = w.drawItem(org+"/saml?limit=1000", nil, func() string {
				return servertest.NewActiveSAMLProvider(w.World).ID
			})
		}
	case "oidc-providers":
		if slices.Contains(servertest.Subjects(row), "oidcProvider") {
			params["oidcProvider"] = w.drawItem(org+"/oidc?limit=1000", nil, func() string {
				return servertest.NewOIDCProvider(w.World, servertest.OIDCSettings()).ID
			})
		}
	case "identities":
		if slices.Contains(servertest.Subjects(row), "identity") {
			provider := w.drawItem(org+"/saml?limit=1000", nil, func() string { return servertest.NewActiveSAMLProvider(w.World).ID })
			params["identity"] = servertest.NewIdentity(w.World, provider, "editor", "")
		}
	case "translations":
		if slices.Contains(servertest.Subjects(row), "translation") {
			params["translation"] = w.NewTranslation("de").ID
		}
	case "openapi-specs":
		if slices.Contains(servertest.Subjects(row), "spec") {
			params["spec"] = servertest.NewSpec(w.World, strings.ToLower(strings.ReplaceAll(w.uniqueText("pets"), " ", "-")),
				servertest.PetsText).Slug
		}
	case "integrations", "integration-installations":
		w.drawIntegration(row, s, params)
	case "sites":
		s.Handbook = w.drawSpace(nil)
	}
	return "admin"
}

// drawAccount returns the caller for a row on users, and sets the token of the path if there is one. The user and the token are
// new each time because of the limits per user, except for updates of the organization by the admin.
func (w *randomWorld) drawAccount(row api.Row, params map[string]string) (as string) {
	w.T.Helper()
	switch row.Name {
	case "organizations.update":
		return "admin"
	case "organizations.join":
		return w.createMember(api.RoleRead)
	}
	as = w.createMember("")
	if slices.Contains(servertest.Subjects(row), "token") {
		params["token"] = servertest.Do(w.World, as, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	}
	return as
}

// drawIntegration sets the integration of a row to a new name, publishes it unless a row is to publish it first, and installs
// it if the row has an installation.
func (w *randomWorld) drawIntegration(row api.Row, s *servertest.Sample, params map[string]string) {
	w.T.Helper()
	name := "acme." + strings.ToLower(strings.ReplaceAll(w.uniqueText("linter"), " ", "-"))
	s.Formatter, s.Linter = name, name
	params["integration"] = name
	if row.Name == "integrations.publish" && w.random.IntN(2) == 0 {
		return
	}
	w.Publish(name, w.LinterIntegration("Linter"))
	if slices.Contains(servertest.Subjects(row), "installation") {
		params["installation"] = w.Install(name)
	}
}
