package access

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/conditions"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Site is the entry of a site with its stored form.
type Site struct {
	store.SiteEntry
	entry  string
	Schema *conditions.Schema // of the visitors' claims, nil without one
}

// newSite reads the schema of a site once.
func newSite(e store.SiteEntry, entry string) *Site {
	n := &Site{SiteEntry: e, entry: entry}
	if e.Schema != nil {
		n.Schema, _ = conditions.ParseSchema(e.Schema) // it was checked when it was set
	}
	return n
}

// applySite takes in the news of a site.
func (s *Model) applySite(id string, entry []byte) {
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
	n := newSite(e, string(entry))
	s.sites[id] = n
	for _, shown := range n.Spaces {
		if !slices.Contains(s.shown[shown.Space], id) {
			s.shown[shown.Space] = append(s.shown[shown.Space], id)
		}
	}
}

// applyLink takes in the news of a share link: only active ones have an entry.
func (s *Model) applyLink(id string, entry []byte) {
	delete(s.keys, s.links[id].Digest)
	delete(s.links, id)
	var link store.ShareLinkEntry
	if entry == nil || json.Unmarshal(entry, &link) != nil || link.Digest == "" {
		return
	}
	s.links[id], s.keys[link.Digest] = link, link.Site
}

// ShareLinkOf is the oldest active share link of a site, "" without one.
func (s *Model) ShareLinkOf(site string) (oldest string) {
	for id, link := range s.links {
		if link.Site == site && (oldest == "" || id < oldest) {
			oldest = id
		}
	}
	return oldest
}

// WithSite returns the model as it will be when the site is as given.
func (s *Model) WithSite(id string, entry store.SiteEntry) *Model {
	next := *s
	next.overSite = map[string]*Site{id: newSite(entry, "")}
	return &next
}

// Site returns the site with that id, or nil.
func (s *Model) Site(id string) *Site {
	if n, ok := s.overSite[id]; ok {
		return n
	}
	return s.sites[id]
}

// SiteIDs are the ids of all sites, sorted.
func (s *Model) SiteIDs() []string { return slices.Sorted(maps.Keys(s.sites)) }

// SitesOf are the sites that show a space, published or not, sorted by id.
func (s *Model) SitesOf(space string) []string {
	ids := slices.DeleteFunc(slices.Clone(s.shown[space]), func(id string) bool { return s.overSite[id] != nil })
	for id, n := range s.overSite {
		if n.Shows(space) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Shows reports whether a space is on the site, published or not.
func (n *Site) Shows(space string) bool {
	return slices.ContainsFunc(n.Spaces, func(s store.SiteEntrySpace) bool { return s.Space == space })
}

// PathOf is where a site shows a space, below the site's address.
func (n *Site) PathOf(space string) string {
	for _, shown := range n.Spaces {
		if shown.Space == space {
			return shown.Path
		}
	}
	return ""
}

// SiteRole is the caller's role in a site.
func (s *Model) SiteRole(c *Caller, id string) api.Role { return s.SiteRoleOrigin(c, id).Role }

// SiteRoleOrigin computes the caller's role in a site: a direct grant, else the best grant of a team, else the role in
// the organization. Guests have grants only; admins are never lowered. Agents have none where they are excluded.
func (s *Model) SiteRoleOrigin(c *Caller, id string) EffectiveRole {
	if !c.installedOn(id) {
		return EffectiveRole{}
	}
	if n := s.Site(id); c.Agent && n != nil && n.excludesAgents() {
		return EffectiveRole{}
	}
	inOrganization := EffectiveRole{c.Role, &api.PermissionOrigin{Type: "organization"}}
	if c.Role == api.RoleAdmin {
		return inOrganization
	}
	if granted, ok := c.Grants[id]; ok {
		return EffectiveRole{granted, &api.PermissionOrigin{Type: "site", Reason: "member"}}
	}
	best, granted := api.RoleGuest, false
	for team, role := range s.TeamsOn(id) {
		if _, in := c.Teams[team]; in {
			best, granted = api.Highest(best, role), true
		}
	}
	if granted {
		return EffectiveRole{best, &api.PermissionOrigin{Type: "site", Reason: "team"}}
	}
	return inOrganization
}

func (n *Site) excludesAgents() bool { return n.Agents == api.AgentsExcluded }

// SiteDependencies are what somebody's role in a site rests on: the site, and the teams with a role there that they are in.
func (s *Model) SiteDependencies(c *Caller, id string) []Dependency {
	n := s.Site(id)
	return append(s.teamDependencies(c, n.Teams), Dependency{id, n.entry})
}

// IsSite reports whether an id is that of a site.
func IsSite(id string) bool { return strings.HasPrefix(id, txn.SitePrefix) }

// TeamsOn are what teams were given in a space, a collection or a site, those that are deleted included.
func (s *Model) TeamsOn(id string) map[string]api.Role {
	if n := s.Entry(id); n != nil {
		return n.Teams
	}
	if n := s.Site(id); n != nil {
		return n.Teams
	}
	return nil
}

// VisitorSite finds a site for authenticated visitors with its sealed key: the one that is named, else the only one.
// A site from which agents are excluded is none for them.
func (s *Model) VisitorSite(caller *Caller, named string) (id, sealed string) {
	for site, n := range s.sites {
		if n.Visibility != api.SiteVisitorAuth || named != "" && site != named || caller.Agent && n.excludesAgents() {
			continue
		}
		if id != "" {
			return "", ""
		}
		id, sealed = site, n.VisitorKey
	}
	return id, sealed
}
