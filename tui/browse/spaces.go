package browse

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// Organizations returns the page of the organizations.
func Organizations(s *page.Session) page.Page { return newOrganizationsPage(s) }

// Spaces returns the page of the spaces of an organization.
func Spaces(s *page.Session, organization string) page.Page {
	return newSpacesPage(s, api.Organization{OrganizationFields: api.OrganizationFields{ID: organization}})
}

// EmptyPages returns one page of each kind without content, for the table of keys.
func EmptyPages() []page.Page { return []page.Page{&organizationsPage{}, &spacesPage{}, &searchPage{}} }

// Command returns the wsctl command for the content of the page.
func (p *organizationsPage) Command() string { return remote.Command("organizations", "list") }

// Command returns the wsctl command for the content of the page.
func (p *spacesPage) Command() string {
	return remote.Command("spaces", "list", "--org", p.organization.ID)
}

// Link returns the URL of the space or the site under the cursor.
func (p *spacesPage) Link() string {
	r, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case p.noSpaceReason() == "":
		return p.remote.Latest.spaces[r.About.At].URLs.App
	case p.siteOfRow(r) != nil:
		return p.siteOfRow(r).URLs.App
	default:
		return ""
	}
}
