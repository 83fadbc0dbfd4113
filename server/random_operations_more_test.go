package server_test

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// createSite creates a site with sections and a group, and sets their ids in the sample.
func (e *randomWorld) createSite(s *servertest.Sample) {
	e.T.Helper()
	first, second := e.createSpace(""), e.createSpace("")
	s.Unshown = e.createSpace("")
	s.Site = servertest.Do(e.World, "admin", api.CreateSite, api.CreateSiteInput{Organization: e.Org, Body: api.SiteCreate{
		Title: e.uniqueText("Site"), Spaces: api.SpaceSelection{first, second},
	}}).ID
	site := api.SiteRef{Organization: e.Org, Site: s.Site}
	s.OtherSection = servertest.Do(e.World, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: second}}).ID
	section := servertest.Do(e.World, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
	s.Section, s.SiteSpace, s.OtherSiteSpace = section.ID, section.SiteSpaces[0].ID, section.SiteSpaces[1].ID
	s.Handbook = first
	s.Group = servertest.Do(e.World, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: e.uniqueText("Group"), Sections: []string{s.Section}},
	}).ID
	s.ShareLink = servertest.Do(e.World, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: e.uniqueText("Link")}}).ID
	e.Adapt(site)
}

// drawSite draws a site. Rows that change its parts get a new site with known parts.
func (e *randomWorld) drawSite(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	all := "/v1/orgs/" + e.Org + "/sites?limit=1000"
	made := func() string { e.createSite(s); return s.Site }
	switch {
	case strings.HasPrefix(row.Name, "site-s"), row.Name == "sites.sort-structure", strings.HasPrefix(row.Name, "share-links."), strings.Contains(row.Name, "-a"):
		made()
	default:
		s.Site = e.drawItem(all, nil, made)
	}
	params["site"] = s.Site
	site := api.SiteRef{Organization: e.Org, Site: s.Site}
	e.drawGrant(row, "/v1/orgs/"+e.Org+"/sites/"+s.Site, params)
	switch row.Name {
	case "sites.unpublish":
		e.Raw("admin", http.MethodPost, "/v1/orgs/"+e.Org+"/sites/"+site.Site+"/publish", nil)
	case "sites.publish":
		s.Site = made()
		params["site"] = s.Site
	}
}

// drawOther draws objects outside of spaces, collections and sites. It returns the caller.
func (e *randomWorld) drawOther(row api.Row, s *servertest.Sample, params map[string]string) (as string) {
	e.T.Helper()
	org := "/v1/orgs/" + e.Org
	kind, _, _ := strings.Cut(row.Name, ".")
	s.Handbook = e.sample.Unshown
	switch kind {
	case "tokens", "organizations":
		return e.drawAccount(row, params)
	case "members":
		if slices.Contains(servertest.Subjects(row), "user") {
			params["user"] = e.drawMember()
		}
		if row.Name == api.SetMemberSSO.Name {
			e.drawItem(org+"/saml?limit=1000", func(p map[string]any) bool { return p["status"] == string(api.SAMLActive) },
				func() string { return servertest.NewSAMLProvider(e.World, servertest.Complete(e.World)).ID })
		}
	case "invites":
		if row.Name != "invites.create" {
			s.Invite = e.Invite(strings.ReplaceAll(e.uniqueText("guest"), " ", "-")+"@elsewhere.example", api.RoleEdit)
			params["invite"] = s.Invite.ID
		}
	case "link-invites":
		s.Notes = e.drawSpace(nil)
		if slices.Contains(servertest.Subjects(row), "linkInvite") {
			params["linkInvite"] = e.LinkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Notes}).ID
		}
	case "teams":
		if slices.Contains(servertest.Subjects(row), "team") {
			params["team"] = e.drawTeam()
		}
		if row.Name == "teams.remove-member" || row.Name == "teams.update-members" {
			e.Call("admin", http.MethodPut, org+"/teams/"+params["team"]+"/members/"+e.Users["reviewer"].ID, nil, http.StatusNoContent)
		}
	case "saml-providers":
		if slices.Contains(servertest.Subjects(row), "samlProvider") {
			params["samlProvider"] = e.drawItem(org+"/saml?limit=1000", nil, func() string { return servertest.NewSAMLProvider(e.World, servertest.Complete(e.World)).ID })
		}
	case "translations":
		if slices.Contains(servertest.Subjects(row), "translation") {
			params["translation"] = e.NewTranslation("de").ID
		}
	case "openapi-specs":
		if slices.Contains(servertest.Subjects(row), "spec") {
			params["spec"] = servertest.NewSpec(e.World, strings.ToLower(strings.ReplaceAll(e.uniqueText("pets"), " ", "-")), servertest.PetsText).Slug
		}
	case "integrations", "integration-installations":
		e.drawIntegration(row, s, params)
	case "sites":
		s.Handbook = e.drawSpace(nil)
	}
	return "admin"
}

// drawAccount draws objects of a user, a new one each time because of the limits per user.
func (e *randomWorld) drawAccount(row api.Row, params map[string]string) (as string) {
	e.T.Helper()
	switch row.Name {
	case "organizations.update":
		return "admin"
	case "organizations.join":
		return e.createMember(api.RoleRead)
	}
	as = e.createMember("")
	if slices.Contains(servertest.Subjects(row), "token") {
		params["token"] = servertest.Do(e.World, as, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	}
	return as
}

// drawIntegration creates an integration and an installation of it.
func (e *randomWorld) drawIntegration(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	name := "acme." + strings.ToLower(strings.ReplaceAll(e.uniqueText("linter"), " ", "-"))
	s.Formatter, s.Linter = name, name
	params["integration"] = name
	if row.Name == "integrations.publish" && e.random.IntN(2) == 0 {
		return
	}
	e.Publish(name, e.Linter("Linter"))
	if slices.Contains(servertest.Subjects(row), "installation") {
		params["installation"] = e.Install(name)
	}
}
