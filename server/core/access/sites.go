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
	Schema *conditions.Schema // schema of the visitors' claims; nil = none
}

// newSite returns the site of an entry with its parsed schema.
func newSite(e store.SiteEntry, entry string) *Site {
	n := &Site{SiteEntry: e, entry: entry}
	if e.Schema != nil {
		n.Schema, _ = conditions.ParseSchema(e.Schema) // validated when it was stored
	}
	return n
}

// applySite sets or removes the entry of a site.
func (m *Model) applySite(id string, entry []byte) {
	if old := m.sites[id]; old != nil {
		for _, shown := range old.Spaces {
			m.sitesBySpace[shown.Space] = slices.DeleteFunc(m.sitesBySpace[shown.Space], func(site string) bool { return site == id })
			if len(m.sitesBySpace[shown.Space]) == 0 {
				delete(m.sitesBySpace, shown.Space)
			}
		}
		delete(m.sites, id)
	}
	var e store.SiteEntry
	if entry == nil || json.Unmarshal(entry, &e) != nil {
		return
	}
	n := newSite(e, string(entry))
	m.sites[id] = n
	for _, shown := range n.Spaces {
		if !slices.Contains(m.sitesBySpace[shown.Space], id) {
			m.sitesBySpace[shown.Space] = append(m.sitesBySpace[shown.Space], id)
		}
	}
}

// applyLink sets or removes the entry of a share link. Inactive links have none.
func (m *Model) applyLink(id string, entry []byte) {
	delete(m.sitesByKey, m.links[id].Digest)
	delete(m.sitesByKey, m.links[id].Second)
	delete(m.links, id)
	var link store.ShareLinkEntry
	if entry == nil || json.Unmarshal(entry, &link) != nil || link.Digest == "" {
		return
	}
	m.links[id], m.sitesByKey[link.Digest] = link, link.Site
	if link.Second != "" {
		m.sitesByKey[link.Second] = link.Site
	}
}

// ShareLinkOf returns the oldest active share link of a site, or "".
func (m *Model) ShareLinkOf(site string) (oldest string) {
	for id, link := range m.links {
		if link.Site == site && (oldest == "" || id < oldest) {
			oldest = id
		}
	}
	return oldest
}

// WithSite returns a model in which the entry of the site is the given one.
func (m *Model) WithSite(id string, entry store.SiteEntry) *Model {
	next := *m
	next.siteOverride = map[string]*Site{id: newSite(entry, "")}
	return &next
}

// Site returns a site, or nil if it does not exist.
func (m *Model) Site(id string) *Site {
	if n, ok := m.siteOverride[id]; ok {
		return n
	}
	return m.sites[id]
}

// SiteIDs returns the sorted ids of all sites.
func (m *Model) SiteIDs() []string { return slices.Sorted(maps.Keys(m.sites)) }

// SitesOf returns the sorted ids of the sites that show a space, published or not.
func (m *Model) SitesOf(space string) []string {
	ids := slices.DeleteFunc(slices.Clone(m.sitesBySpace[space]), func(id string) bool { return m.siteOverride[id] != nil })
	for id, n := range m.siteOverride {
		if n.Shows(space) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Shows reports whether the site shows a space, published or not.
func (st *Site) Shows(space string) bool {
	return slices.ContainsFunc(st.Spaces, func(s store.SiteEntrySpace) bool { return s.Space == space })
}

// ShownSpaces returns the ids of the spaces that the site shows, published or not.
func (st *Site) ShownSpaces() (ids []string) {
	for _, shown := range st.Spaces {
		if !slices.Contains(ids, shown.Space) {
			ids = append(ids, shown.Space)
		}
	}
	return ids
}

// PathOf returns the path of a space below the address of the site.
func (st *Site) PathOf(space string) string {
	for _, shown := range st.Spaces {
		if shown.Space == space {
			return shown.Path
		}
	}
	return ""
}

// SiteRole returns the caller's role in a site.
func (m *Model) SiteRole(c *Caller, id string) api.Role { return m.SiteRoleOrigin(c, id).Role }

// SiteRoleOrigin returns the caller's role in a site and its source: a direct grant, or else the best team grant, or
// else the role in the organization. Guests have grants only, and admins keep their role. Agents and installations have none
// if the site excludes them.
func (m *Model) SiteRoleOrigin(c *Caller, id string) EffectiveRole {
	if !c.isSelected(id) {
		return EffectiveRole{}
	}
	if n := m.Site(id); c.IsExcludable() && n != nil && n.excludesAgents() {
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
	for team, role := range m.TeamGrants(id) {
		if _, in := c.Teams[team]; in {
			best, granted = api.Highest(best, role), true
		}
	}
	if granted {
		return EffectiveRole{best, &api.PermissionOrigin{Type: "site", Reason: "team"}}
	}
	return inOrganization
}

func (st *Site) excludesAgents() bool { return st.Agents == api.AgentsExcluded }

// SiteDependencies returns the entries on which a role in a site depends: the site, and the caller's teams with a
// role there.
func (m *Model) SiteDependencies(c *Caller, id string) []Dependency {
	n := m.Site(id)
	return append(m.teamDependencies(c, n.Teams), Dependency{id, n.entry})
}

// IsSite reports whether an id is that of a site.
func IsSite(id string) bool { return strings.HasPrefix(id, txn.SitePrefix) }

// TeamGrants returns the team grants of a space, collection or site, including those of deleted teams.
func (m *Model) TeamGrants(id string) map[string]api.Role {
	if n := m.Entry(id); n != nil {
		return n.Teams
	}
	if n := m.Site(id); n != nil {
		return n.Teams
	}
	return nil
}

// VisitorSite returns a site for authenticated visitors and its sealed key: the named one, or the only one if named
// is "". It ignores sites that exclude the caller.
func (m *Model) VisitorSite(caller *Caller, named string) (id, sealed string) {
	for site, n := range m.sites {
		if n.Visibility != api.SiteVisitorAuth || named != "" && site != named || caller.IsExcludable() && n.excludesAgents() {
			continue
		}
		if id != "" {
			return "", ""
		}
		id, sealed = site, n.VisitorKey
	}
	return id, sealed
}
