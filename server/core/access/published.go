package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/conditions"
	"docspace.dev/wsd/store"
)

// Visitor is a visitor of published sites, who has no role.
type Visitor struct {
	Digest string // digest of the share key; "" = none
	Claims ClaimsFunc
	Agent  bool
}

// ClaimsFunc returns the claims that a visitor's token proves to a site. It returns an error if the token is invalid.
type ClaimsFunc func(site string, n *Site) (claims map[string]any, err error)

// MeetsConditions reports whether a visitor satisfies the conditions in texts. Without a schema a site has no claims.
func (st *Site) MeetsConditions(site string, v Visitor, texts ...string) bool {
	var claims map[string]any
	if st.Adaptive && v.Claims != nil {
		claims, _ = v.Claims(site, st)
	}
	if st.Schema != nil && claims != nil {
		claims = st.Schema.KnownClaims(claims)
	}
	for _, text := range texts {
		condition, err := conditions.ParseCondition(text)
		if err != nil || claims == nil || !condition.Holds(claims) {
			return false
		}
	}
	return true
}

// PublishingSite returns the published site that shows a space with the widest visibility, and the path of the space
// there.
func (m *Model) PublishingSite(space string) (site, path string, ok bool) {
	widest := api.SiteVisibility("").Values()
	best := len(widest)
	for _, id := range m.SitesOf(space) {
		n := m.Site(id)
		if rank := slices.Index(widest, n.Visibility); n.Published && rank >= 0 && rank < best {
			best, site, path = rank, id, n.PathOf(space)
		}
	}
	return site, path, site != ""
}

// PublishedTo reports whether a site is published to the visitor.
func (m *Model) PublishedTo(site string, v Visitor) bool {
	n := m.Site(site)
	if n == nil || !n.Published || v.Agent && n.excludesAgents() {
		return false
	}
	switch n.Visibility {
	case api.SitePublic, api.SiteUnlisted:
		return true
	case api.SiteShareLink:
		return v.Digest != "" && m.SiteByShareKey(v) == site
	case api.SiteVisitorAuth:
		_, err := v.Claims(site, n)
		return err == nil
	}
	return false
}

// SpacePublishedTo reports whether a site that is published to the visitor shows the space to them.
func (m *Model) SpacePublishedTo(space string, v Visitor) bool {
	_, ok := m.siteFor(space, v)
	return ok
}

// siteFor returns the first site by id that is published to the visitor and shows the space to them.
func (m *Model) siteFor(space string, v Visitor) (id string, ok bool) {
	if _, active := m.Active(space); !active {
		return "", false
	}
	sites := m.SitesOf(space)
	at := slices.IndexFunc(sites, func(site string) bool {
		n := m.Site(site)
		return m.PublishedTo(site, v) && slices.ContainsFunc(n.Spaces, func(shown store.SiteEntrySpace) bool {
			return shown.Space == space && n.MeetsConditions(site, v, shown.Conditions...)
		})
	})
	if at < 0 {
		return "", false
	}
	return sites[at], true
}

// SiteByShareKey returns the site whose active share link has the visitor's key, or "".
func (m *Model) SiteByShareKey(v Visitor) string { return m.sitesByKey[v.Digest] }
