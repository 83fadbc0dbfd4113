package server_test

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// madeSite makes a site with sections and a group, and gives its sample their ids.
func (e *everyday) madeSite(s *servertest.Sample) {
	e.T.Helper()
	first, second := e.madeSpace(""), e.madeSpace("")
	s.Unshown = e.madeSpace("")
	s.Site = servertest.Do(e.World, "admin", api.CreateSite, api.CreateSiteInput{Organization: e.Org, Body: api.SiteCreate{
		Title: e.new("Site"), Spaces: api.SpaceSelection{first, second},
	}}).ID
	site := api.SiteRef{Organization: e.Org, Site: s.Site}
	s.OtherSection = servertest.Do(e.World, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: second}}).ID
	section := servertest.Do(e.World, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
	s.Section, s.SiteSpace, s.OtherSiteSpace = section.ID, section.SiteSpaces[0].ID, section.SiteSpaces[1].ID
	s.Handbook = first
	s.Group = servertest.Do(e.World, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: e.new("Group"), Sections: []string{s.Section}},
	}).ID
	s.ShareLink = servertest.Do(e.World, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: e.new("Link")}}).ID
	e.Adapt(site)
}

// drawSite draws a site. What changes its parts gets one of its own, whose parts are known.
func (e *everyday) drawSite(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	all := "/v1/orgs/" + e.Org + "/sites?limit=1000"
	made := func() string { e.madeSite(s); return s.Site }
	switch {
	case strings.HasPrefix(row.Name, "site-s"), row.Name == "sites.sort-structure", strings.HasPrefix(row.Name, "share-links."), strings.Contains(row.Name, "-a"):
		made()
	default:
		s.Site = e.one(all, nil, made)
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

// drawOther draws what stands in no space, collection or site. It returns who asks.
func (e *everyday) drawOther(row api.Row, s *servertest.Sample, params map[string]string) (as string) {
	e.T.Helper()
	org := "/v1/orgs/" + e.Org
	kind, _, _ := strings.Cut(row.Name, ".")
	s.Handbook = e.base.Unshown
	switch kind {
	case "tokens", "organizations":
		return e.drawAccount(row, params)
	case "members":
		if slices.Contains(servertest.Subjects(row), "user") {
			params["user"] = e.somebody()
		}
		if row.Name == api.SetMemberSSO.Name {
			e.one(org+"/saml?limit=1000", func(p map[string]any) bool { return p["status"] == string(api.SAMLActive) },
				func() string { return servertest.NewSAMLProvider(e.World, servertest.Complete(e.World)).ID })
		}
	case "invites":
		if row.Name != "invites.create" {
			s.Invite = e.Invite(strings.ReplaceAll(e.new("guest"), " ", "-")+"@elsewhere.example", api.RoleEdit)
			params["invite"] = s.Invite.ID
		}
	case "link-invites":
		s.Notes = e.aSpace(nil)
		if slices.Contains(servertest.Subjects(row), "linkInvite") {
			params["linkInvite"] = e.LinkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Notes}).ID
		}
	case "teams":
		if slices.Contains(servertest.Subjects(row), "team") {
			params["team"] = e.aTeam()
		}
		if row.Name == "teams.remove-member" || row.Name == "teams.update-members" {
			e.Call("admin", http.MethodPut, org+"/teams/"+params["team"]+"/members/"+e.Users["reviewer"].ID, nil, http.StatusNoContent)
		}
	case "saml-providers":
		if slices.Contains(servertest.Subjects(row), "samlProvider") {
			params["samlProvider"] = e.one(org+"/saml?limit=1000", nil, func() string { return servertest.NewSAMLProvider(e.World, servertest.Complete(e.World)).ID })
		}
	case "translations":
		if slices.Contains(servertest.Subjects(row), "translation") {
			params["translation"] = e.NewTranslation("de").ID
		}
	case "openapi-specs":
		if slices.Contains(servertest.Subjects(row), "spec") {
			params["spec"] = servertest.NewSpec(e.World, strings.ToLower(strings.ReplaceAll(e.new("pets"), " ", "-")), servertest.PetsText).Slug
		}
	case "integrations", "integration-installations":
		e.drawIntegration(row, s, params)
	case "sites":
		s.Handbook = e.aSpace(nil)
	}
	return "admin"
}

// drawAccount draws what belongs to a user: somebody else each time, for one user has only so much.
func (e *everyday) drawAccount(row api.Row, params map[string]string) (as string) {
	e.T.Helper()
	switch row.Name {
	case "organizations.update":
		return "admin"
	case "organizations.join":
		return e.newcomer(api.RoleRead)
	}
	as = e.newcomer("")
	if slices.Contains(servertest.Subjects(row), "token") {
		params["token"] = servertest.Do(e.World, as, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	}
	return as
}

// drawIntegration makes an integration, and an installation of it.
func (e *everyday) drawIntegration(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	name := "acme." + strings.ToLower(strings.ReplaceAll(e.new("linter"), " ", "-"))
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
