package server_test

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// madeSite makes a site with sections and a group, and gives its sample their ids.
func (e *everyday) madeSite(s *sample) {
	e.t.Helper()
	first, second := e.madeSpace(""), e.madeSpace("")
	s.Unshown = e.madeSpace("")
	s.Site = do(e.world, "admin", api.CreateSite, api.CreateSiteInput{Organization: e.org, Body: api.SiteCreate{
		Title: e.new("Site"), Spaces: api.SpaceSelection{first, second},
	}}).ID
	site := api.SiteRef{Organization: e.org, Site: s.Site}
	section := do(e.world, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: first}})
	s.Section, s.SiteSpace, s.OtherSiteSpace = section.ID, section.SiteSpaces[0].ID, section.SiteSpaces[1].ID
	s.OtherSection = do(e.world, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: second}}).ID
	s.Handbook = first
	s.Group = do(e.world, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: e.new("Group"), Sections: []string{s.Section}},
	}).ID
	s.ShareLink = do(e.world, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: e.new("Link")}}).ID
	e.adapt(site)
}

// drawSite draws a site. What changes its parts gets one of its own, whose parts are known.
func (e *everyday) drawSite(row api.Row, s *sample, params map[string]string) {
	e.t.Helper()
	all := "/v1/orgs/" + e.org + "/sites?limit=1000"
	made := func() string { e.madeSite(s); return s.Site }
	switch {
	case strings.HasPrefix(row.Name, "site-s"), row.Name == "sites.sort-structure", strings.HasPrefix(row.Name, "share-links."), strings.Contains(row.Name, "-a"):
		made()
	default:
		s.Site = e.one(all, nil, made)
	}
	params["site"] = s.Site
	site := api.SiteRef{Organization: e.org, Site: s.Site}
	e.drawGrant(row, "/v1/orgs/"+e.org+"/sites/"+s.Site, params)
	switch row.Name {
	case "sites.unpublish":
		e.raw("admin", http.MethodPost, "/v1/orgs/"+e.org+"/sites/"+site.Site+"/publish", nil)
	case "sites.publish":
		s.Site = made()
		params["site"] = s.Site
	}
}

// drawOther draws what stands in no space, collection or site. It returns who asks.
func (e *everyday) drawOther(row api.Row, s *sample, params map[string]string) (as string) {
	e.t.Helper()
	org := "/v1/orgs/" + e.org
	kind, _, _ := strings.Cut(row.Name, ".")
	s.Handbook = e.base.Unshown
	switch kind {
	case "tokens", "organizations":
		return e.drawAccount(row, params)
	case "members":
		if slices.Contains(subjects(row), "user") {
			params["user"] = e.somebody()
		}
		if row.Name == api.SetMemberSSO.Name {
			e.one(org+"/saml?limit=1000", func(p map[string]any) bool { return p["status"] == string(api.SAMLActive) },
				func() string { return newSAMLProvider(e.world, complete(e.world)).ID })
		}
	case "invites":
		if row.Name != "invites.create" {
			s.Invite = e.invite(strings.ReplaceAll(e.new("guest"), " ", "-")+"@elsewhere.example", api.RoleEdit)
			params["invite"] = s.Invite.ID
		}
	case "link-invites":
		s.Notes = e.aSpace(nil)
		if slices.Contains(subjects(row), "linkInvite") {
			params["linkInvite"] = e.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Notes}).ID
		}
	case "teams":
		if slices.Contains(subjects(row), "team") {
			params["team"] = e.aTeam()
		}
		if row.Name == "teams.remove-member" || row.Name == "teams.update-members" {
			e.call("admin", http.MethodPut, org+"/teams/"+params["team"]+"/members/"+e.users["reviewer"].ID, nil, http.StatusNoContent)
		}
	case "saml-providers":
		if slices.Contains(subjects(row), "samlProvider") {
			params["samlProvider"] = e.one(org+"/saml?limit=1000", nil, func() string { return newSAMLProvider(e.world, complete(e.world)).ID })
		}
	case "translations":
		if slices.Contains(subjects(row), "translation") {
			params["translation"] = e.newTranslation("de").ID
		}
	case "openapi-specs":
		if slices.Contains(subjects(row), "spec") {
			params["spec"] = newSpec(e.world, strings.ToLower(strings.ReplaceAll(e.new("pets"), " ", "-")), petsText).Slug
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
	e.t.Helper()
	switch row.Name {
	case "organizations.update":
		return "admin"
	case "organizations.join":
		return e.newcomer(api.RoleRead)
	}
	as = e.newcomer("")
	if slices.Contains(subjects(row), "token") {
		params["token"] = do(e.world, as, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	}
	return as
}

// drawIntegration makes an integration, and an installation of it.
func (e *everyday) drawIntegration(row api.Row, s *sample, params map[string]string) {
	e.t.Helper()
	name := "acme." + strings.ToLower(strings.ReplaceAll(e.new("linter"), " ", "-"))
	s.Formatter, s.Linter = name, name
	params["integration"] = name
	if row.Name == "integrations.publish" && e.random.IntN(2) == 0 {
		return
	}
	e.publish(name, e.linter("Linter"))
	if slices.Contains(subjects(row), "installation") {
		params["installation"] = e.install(name)
	}
}
