package access

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Reason is why somebody was given a signed address. An address ends with its reason, whoever has it. The zero Reason does
// not end.
type Reason struct {
	Organization string // owner of the content
	Admin        string // user who was given the address as an admin of the organization; "" = it is not only for admins
	Site         string // site that published the content to a visitor; "" = it was not given to a visitor
	ShareLink    string // share link by which the site admitted the visitor
	Token        bool   // the site admitted the visitor by a token
}

const (
	reasonSeparator = "~"
	tokenReason     = "token"
	noSite          = "none" // is not the id of a site
)

// String returns the reason as part of a signed text; "" for the zero Reason.
func (r Reason) String() string {
	switch {
	case r.Admin != "":
		return r.Organization + reasonSeparator + r.Admin
	case r.Site == "":
		return r.Organization
	}
	admitted := r.ShareLink
	if r.Token {
		admitted = tokenReason
	}
	return strings.Join([]string{r.Organization, r.Site, admitted}, reasonSeparator)
}

// ParseReason parses the result of String, which was signed.
func ParseReason(text string) (r Reason) {
	parts := strings.Split(text, reasonSeparator)
	r.Organization = parts[0]
	switch len(parts) {
	case 2:
		r.Admin = parts[1]
	case 3:
		r.Site = parts[1]
		if r.Token = parts[2] == tokenReason; !r.Token {
			r.ShareLink = parts[2]
		}
	}
	return r
}

// VisitReason returns why a visitor reads the content of a space: the first site that publishes the space to them. If there is
// none, the reason has ended.
func (m *Model) VisitReason(space string, v Visitor) Reason {
	site, ok := m.siteFor(space, v)
	if !ok {
		return Reason{Organization: m.Org, Site: noSite}
	}
	r := Reason{Organization: m.Org, Site: site}
	switch m.Site(site).Visibility {
	case api.SiteShareLink:
		r.ShareLink = m.linkWithKey(site, v.Digest)
	case api.SiteVisitorAuth:
		r.Token = true
	case api.SitePublic, api.SiteUnlisted:
	}
	return r
}

// linkWithKey returns the active share link of a site whose key has the digest, or "".
func (m *Model) linkWithKey(site, digest string) string {
	for id, link := range m.links {
		if link.Site == site && link.Has(digest) {
			return id
		}
	}
	return ""
}

// EndReason returns a sentence that says why the reason for an address in content has ended, or "" if it has not. Content is a space,
// or something else that an organization owns.
func (m *Model) EndReason(r Reason, content string) string {
	switch {
	case r.Organization == "":
		return ""
	case m.InTrash():
		return "The organization was deleted."
	case r.Admin != "":
		if p := m.Member(r.Admin); p == nil || p.Member.Disabled || p.Member.Role != api.RoleAdmin {
			return "Whoever asked for the address is not an admin of the organization any more."
		}
		return ""
	}
	if IsSpace(content) {
		if m.MovedTo(content) != "" {
			return "The space was transferred to another organization."
		}
		if _, active := m.Active(content); !active {
			return "The space was deleted."
		}
	}
	if r.Site != "" {
		return m.visitEndReason(r, content)
	}
	return ""
}

// visitEndReason is EndReason for an address that a visitor was given.
func (m *Model) visitEndReason(r Reason, space string) string {
	site := m.Site(r.Site)
	switch {
	case site == nil || !site.Published:
		return "The site is not published any more."
	case !slices.Contains(site.ShownSpaces(), space):
		return "The site does not show the space any more."
	}
	admitted := true
	switch site.Visibility {
	case api.SiteShareLink:
		if link, active := m.links[r.ShareLink]; r.ShareLink != "" && (!active || link.Site != r.Site) {
			return "The share link was switched off."
		}
		admitted = r.ShareLink != ""
	case api.SiteVisitorAuth:
		admitted = r.Token
	case api.SitePublic, api.SiteUnlisted:
	}
	if !admitted {
		return "The site has other visitors now."
	}
	return ""
}
