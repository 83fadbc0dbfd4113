package server

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/adaptive"
	"docspace.dev/wsd/store"
)

// siteNode is the shape entry of a site with its stored form.
type siteNode struct {
	store.SiteEntry
	entry  string
	schema *adaptive.Schema // of the visitors' claims, nil without one
}

// newSiteNode reads the schema of a site once.
func newSiteNode(e store.SiteEntry, entry string) *siteNode {
	n := &siteNode{SiteEntry: e, entry: entry}
	if e.Schema != nil {
		n.schema, _ = adaptive.ParseSchema(e.Schema) // it was checked when it was set
	}
	return n
}

// applySite takes in the news of a site.
func (s *shape) applySite(id string, entry []byte) {
	if old := s.sites[id]; old != nil {
		for _, shown := range old.Spaces {
			s.shown[shown.Space] = slices.DeleteFunc(s.shown[shown.Space], func(site string) bool { return site == id })
			if len(s.shown[shown.Space]) == 0 {
				delete(s.shown, shown.Space)
			}
		}
		delete(s.sites, id)
	}
	var e store.SiteEntry
	if entry == nil || json.Unmarshal(entry, &e) != nil {
		return
	}
	n := newSiteNode(e, string(entry))
	s.sites[id] = n
	for _, shown := range n.Spaces {
		if !slices.Contains(s.shown[shown.Space], id) {
			s.shown[shown.Space] = append(s.shown[shown.Space], id)
		}
	}
}

// applyLink takes in the news of a share link: only active ones have an entry.
func (s *shape) applyLink(id string, entry []byte) {
	delete(s.keys, s.links[id].Digest)
	delete(s.links, id)
	var link store.ShareLinkEntry
	if entry == nil || json.Unmarshal(entry, &link) != nil || link.Digest == "" {
		return
	}
	s.links[id], s.keys[link.Digest] = link, link.Site
}

// withSite returns the shape as it will be when the site is as given.
func (s *shape) withSite(id string, entry store.SiteEntry) *shape {
	next := *s
	next.overSite = map[string]*siteNode{id: newSiteNode(entry, "")}
	return &next
}

// site returns the site with that id, or nil.
func (s *shape) site(id string) *siteNode {
	if n, ok := s.overSite[id]; ok {
		return n
	}
	return s.sites[id]
}

// siteIDs are the ids of all sites, sorted.
func (s *shape) siteIDs() []string { return slices.Sorted(maps.Keys(s.sites)) }

// sitesOf are the sites that show a space, published or not, sorted by id.
func (s *shape) sitesOf(space string) []string {
	ids := slices.DeleteFunc(slices.Clone(s.shown[space]), func(id string) bool { return s.overSite[id] != nil })
	for id, n := range s.overSite {
		if n.shows(space) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (n *siteNode) shows(space string) bool {
	return slices.ContainsFunc(n.Spaces, func(s store.SiteEntrySpace) bool { return s.Space == space })
}

// publishedBy finds the published site that shows a space to most people, and where: of several sites the widest
// visibility counts.
func (s *shape) publishedBy(space string) (site, path string, ok bool) {
	widest := api.SiteVisibility("").Values()
	best := len(widest)
	for _, id := range s.sitesOf(space) {
		n := s.site(id)
		if rank := slices.Index(widest, n.Visibility); n.Published && rank >= 0 && rank < best {
			best, site, path = rank, id, n.pathOf(space)
		}
	}
	return site, path, site != ""
}

// pathOf is where a site shows a space, below the site's address.
func (n *siteNode) pathOf(space string) string {
	for _, shown := range n.Spaces {
		if shown.Space == space {
			return shown.Path
		}
	}
	return ""
}

// siteRole is the caller's role in a site.
func (s *shape) siteRole(c *Caller, id string) api.Role { return s.siteStanding(c, id).role }

// siteStanding computes the caller's role in a site: a direct grant, else the best grant of a team, else the role in
// the organization. Guests have grants only; admins are never lowered. Agents have none where they are excluded.
func (s *shape) siteStanding(c *Caller, id string) permission {
	if n := s.site(id); c.Agent && n != nil && n.excludesAgents() {
		return permission{}
	}
	inOrganization := permission{c.Role, &api.PermissionOrigin{Type: "organization"}}
	if c.Role == api.RoleAdmin {
		return inOrganization
	}
	if granted, ok := c.Grants[id]; ok {
		return permission{granted, &api.PermissionOrigin{Type: "site", Reason: "member"}}
	}
	best, granted := api.RoleGuest, false
	for team, role := range s.teamsOn(id) {
		if _, in := c.Teams[team]; in {
			best, granted = api.Highest(best, role), true
		}
	}
	if granted {
		return permission{best, &api.PermissionOrigin{Type: "site", Reason: "team"}}
	}
	return inOrganization
}

func (n *siteNode) excludesAgents() bool { return n.Agents == api.AgentsExcluded }

// siteGrounds are what somebody's role in a site rests on: the site, and the teams with a role there that they are in.
func (s *shape) siteGrounds(c *Caller, id string) []pathEntry {
	n := s.site(id)
	return append(s.teamGrounds(c, n.Teams), pathEntry{id, n.entry})
}

func isSite(id string) bool { return strings.HasPrefix(id, store.SitePrefix) }

// teamsOn are what teams were given in a space, a collection or a site, those that are deleted included.
func (s *shape) teamsOn(id string) map[string]api.Role {
	if n := s.node(id); n != nil {
		return n.Teams
	}
	if n := s.site(id); n != nil {
		return n.Teams
	}
	return nil
}

// admits reports whether a site is published to the visitor (interface, Site visibility).
func (s *shape) admits(site string, v visit) bool {
	n := s.site(site)
	if n == nil || !n.Published || v.agent && n.excludesAgents() {
		return false
	}
	switch n.Visibility {
	case api.SitePublic, api.SiteUnlisted:
		return true
	case api.SiteShareLink:
		return v.digest != "" && s.keys[v.digest] == site
	case api.SiteVisitorAuth:
		_, err := v.claims(site, n)
		return err == nil
	}
	return false
}

// admitsTo reports whether some site that admits the visitor shows them a space.
func (s *shape) admitsTo(space string, v visit) bool {
	if _, alive := s.alive(space); !alive {
		return false
	}
	return slices.ContainsFunc(s.sitesOf(space), func(site string) bool {
		n := s.site(site)
		return s.admits(site, v) && slices.ContainsFunc(n.Spaces, func(shown store.SiteEntrySpace) bool {
			return shown.Space == space && n.meets(site, v, shown.Conditions...)
		})
	})
}
