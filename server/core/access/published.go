package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/conditions"
	"docspace.dev/wsd/store"
)

// Visitor is what a visitor, who has no role, brings along.
type Visitor struct {
	Digest string // of the share key, "" without one
	Claims ClaimsOf
	Agent  bool
}

// ClaimsOf are the claims that a visitor's token proves to a site. The error says what is wrong with the token.
type ClaimsOf func(site string, n *Site) (claims map[string]any, err error)

// Meets reports whether a visitor sees what has these conditions. They are for claims that the site expects; where it
// does not adapt, visitors have none.
func (n *Site) Meets(site string, v Visitor, texts ...string) bool {
	var claims map[string]any
	if n.Adaptive && v.Claims != nil {
		claims, _ = v.Claims(site, n)
	}
	if n.Schema != nil && claims != nil {
		claims = n.Schema.Known(claims)
	}
	for _, text := range texts {
		condition, err := conditions.ParseCondition(text)
		if err != nil || claims == nil || !condition.Holds(claims) {
			return false
		}
	}
	return true
}

// PublishedBy finds the published site that shows a space to most people, and where: of several sites the widest
// visibility counts.
func (s *Model) PublishedBy(space string) (site, path string, ok bool) {
	widest := api.SiteVisibility("").Values()
	best := len(widest)
	for _, id := range s.SitesOf(space) {
		n := s.Site(id)
		if rank := slices.Index(widest, n.Visibility); n.Published && rank >= 0 && rank < best {
			best, site, path = rank, id, n.PathOf(space)
		}
	}
	return site, path, site != ""
}

// PublishedTo reports whether a site is published to the visitor.
func (s *Model) PublishedTo(site string, v Visitor) bool {
	n := s.Site(site)
	if n == nil || !n.Published || v.Agent && n.excludesAgents() {
		return false
	}
	switch n.Visibility {
	case api.SitePublic, api.SiteUnlisted:
		return true
	case api.SiteShareLink:
		return v.Digest != "" && s.SharedSite(v) == site
	case api.SiteVisitorAuth:
		_, err := v.Claims(site, n)
		return err == nil
	}
	return false
}

// SpacePublishedTo reports whether some site that admits the visitor shows them a space.
func (s *Model) SpacePublishedTo(space string, v Visitor) bool {
	if _, active := s.Active(space); !active {
		return false
	}
	return slices.ContainsFunc(s.SitesOf(space), func(site string) bool {
		n := s.Site(site)
		return s.PublishedTo(site, v) && slices.ContainsFunc(n.Spaces, func(shown store.SiteEntrySpace) bool {
			return shown.Space == space && n.Meets(site, v, shown.Conditions...)
		})
	})
}

// SharedSite is the site whose share link has the key that a visitor brings, "" for none.
func (s *Model) SharedSite(v Visitor) string { return s.keys[v.Digest] }
