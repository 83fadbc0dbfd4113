package browse

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// Organizations is the top of the screen.
func Organizations(s *page.Session) page.Page { return newOrganizations(s) }

// Spaces is the page of the spaces of an organization.
func Spaces(s *page.Session, organization string) page.Page {
	return newSpaces(s, api.Organization{OrganizationFields: api.OrganizationFields{ID: organization}})
}

// Kinds are one of each page, without content, for the table of keys.
func Kinds() []page.Page { return []page.Page{&organizations{}, &spaces{}, &search{}} }

// Command is the wsctl command that shows what the page shows.
func (p *organizations) Command() string { return remote.Command("organizations", "list") }

// Command is as that of organizations.
func (p *spaces) Command() string {
	return remote.Command("spaces", "list", "--org", p.organization.ID)
}

// Commands are one of each, for a test that wsctl has them.
func Commands() []string {
	of := api.Organization{OrganizationFields: api.OrganizationFields{ID: "o"}}
	s := &page.Session{Connection: &remote.Connection{Organization: "o"}}
	found := func(space string) string {
		return (&search{Frame: page.NewFrame(s), space: space, wide: space == "", field: components.NewField("words", true)}).Command()
	}
	return []string{(&organizations{}).Command(), (&spaces{organization: of}).Command(), found("s"), found("")}
}

// Link is the address of the space or the site under the cursor.
func (p *spaces) Link() string {
	r, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case p.offSpace() == "":
		return p.remote.Latest.spaces[r.About.At].URLs.App
	case p.site(r) != nil:
		return p.site(r).URLs.App
	default:
		return ""
	}
}
