package lookup

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/text/names"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Forms of names: a prefix before an exact title, and the caller.
const (
	exactPrefix = "title:"
	callerName  = "@me"
)

// finder finds resources by name in the access model. It is valid while the model's read lock is held.
type finder struct {
	call     *rest.Call
	model    *access.Model
	viewer   *access.Viewer
	untitled map[string]string              // titles of the spaces and collections whose entries have none
	sites    map[string]*store.SiteDocument // sites that the caller may read
}

// matches returns the resources that have a name, each with the shortest name that finds only it. Every form of the kind is tried:
// a name that two resources have, each in its own way, finds both.
func (f *finder) matches(name api.Name) api.NameMatches {
	ids := f.find(name.Kind, name.Name)
	m := api.NameMatches{Kind: name.Kind, Name: name.Name, Count: len(ids), Found: []api.NameMatch{}}
	for _, id := range ids[:min(len(ids), api.MaxNameMatches)] {
		m.Found = append(m.Found, api.NameMatch{ID: id, Title: f.title(name.Kind, id), Name: f.shortestName(name.Kind, id)})
	}
	return m
}

// find returns the sorted ids of the resources that have a name.
func (f *finder) find(kind api.NameKind, name string) []string {
	found := map[string]bool{}
	for _, id := range f.candidates(kind, name) {
		if f.hasTitle(kind, id, name) && f.isVisible(kind, id) {
			found[id] = true
		}
	}
	switch kind {
	case api.NameSpace, api.NameCollection:
		f.addByPath(kind, name, found)
	case api.NameSite:
		f.addByHostname(name, found)
	case api.NameMember:
		f.addByAddress(name, found)
	case api.NameTeam:
	}
	return slices.Sorted(maps.Keys(found))
}

// candidates returns the ids of the resources that may have a title.
func (f *finder) candidates(kind api.NameKind, name string) []string {
	if kind == api.NameSite {
		return slices.Collect(maps.Keys(f.sites))
	}
	title, _ := strings.CutPrefix(name, exactPrefix)
	ids := f.model.ByTitle(prefixOf(kind), names.Fold(title))
	for id := range f.untitled {
		if strings.HasPrefix(id, prefixOf(kind)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// prefixOf returns the prefix of the ids of a kind.
func prefixOf(kind api.NameKind) string {
	switch kind {
	case api.NameSpace:
		return txn.SpacePrefix
	case api.NameCollection:
		return txn.CollectionPrefix
	case api.NameSite:
		return txn.SitePrefix
	case api.NameTeam:
		return store.TeamPrefix
	case api.NameMember:
		return txn.UserPrefix
	}
	return ""
}

// hasTitle reports whether a name is the title of a resource, or folds to the same. After exactPrefix only the title itself is.
func (f *finder) hasTitle(kind api.NameKind, id, name string) bool {
	title := f.title(kind, id)
	if title == name {
		return true
	}
	if exact, ok := strings.CutPrefix(name, exactPrefix); ok {
		return title == exact
	}
	folded := names.Fold(name)
	return folded != "" && names.Fold(title) == folded
}

// title returns the title of a resource, or the display name of a member.
func (f *finder) title(kind api.NameKind, id string) string {
	switch kind {
	case api.NameSite:
		return f.sites[id].Fields.Title
	case api.NameTeam:
		return f.model.Team(id).Title
	case api.NameMember:
		return f.model.Member(id).User.DisplayName
	default:
		return f.entryTitle(id)
	}
}

// entryTitle returns the title of a space or collection.
func (f *finder) entryTitle(id string) string {
	if n := f.model.Entry(id); n != nil && n.Title != nil {
		return *n.Title
	}
	return f.untitled[id]
}

// isVisible reports whether the caller may see a resource.
func (f *finder) isVisible(kind api.NameKind, id string) bool {
	switch kind {
	case api.NameSite: // all candidates are
		return true
	case api.NameTeam, api.NameMember:
		return f.call.Caller.Role.AtLeast(api.RoleRead)
	default:
		return f.viewer.CanRead(id)
	}
}

// addByPath adds the spaces or collections at a path: titles of collections, the innermost last, and the resource's own title,
// separated by slashes. The path need not begin at the top level. Collections that the caller may not see have no title.
func (f *finder) addByPath(kind api.NameKind, path string, found map[string]bool) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if segments[i] = names.Fold(segment); segments[i] == "" {
			return
		}
	}
	if len(segments) < 2 || strings.HasPrefix(path, exactPrefix) {
		return
	}
	for _, id := range f.candidates(kind, segments[len(segments)-1]) {
		if f.viewer.CanRead(id) && f.isAt(id, segments) {
			found[id] = true
		}
	}
}

// isAt reports whether the folded titles of a space or collection and of the collections above it are the last of a path.
func (f *finder) isAt(id string, segments []string) bool {
	for _, segment := range slices.Backward(segments) {
		n := f.model.Entry(id)
		if n == nil || !f.viewer.CanRead(id) || names.Fold(f.entryTitle(id)) != segment {
			return false
		}
		id = n.Parent
	}
	return true
}

// addByHostname adds the sites with a hostname.
func (f *finder) addByHostname(name string, found map[string]bool) {
	for id, site := range f.sites {
		if site.Fields.Hostname != "" && strings.EqualFold(site.Fields.Hostname, name) {
			found[id] = true
		}
	}
}

// addByAddress adds the members with an e-mail address, or the caller.
func (f *finder) addByAddress(name string, found map[string]bool) {
	if name == callerName && f.model.Member(f.call.Caller.User) != nil {
		found[f.call.Caller.User] = true
		return
	}
	if !strings.Contains(name, "@") || !f.isVisible(api.NameMember, "") {
		return
	}
	for id, p := range f.model.AllPersons() {
		if p.Member != nil && strings.EqualFold(p.User.Email, name) {
			found[id] = true
		}
	}
}

// shortestName returns the shortest name that finds only a resource, or its id.
func (f *finder) shortestName(kind api.NameKind, id string) string {
	for _, name := range f.forms(kind, id) {
		if found := f.find(kind, name); len(found) == 1 && found[0] == id {
			return name
		}
	}
	return id
}

// forms returns the names of a resource, the preferred first.
func (f *finder) forms(kind api.NameKind, id string) (forms []string) {
	title := f.title(kind, id)
	switch kind {
	case api.NameMember:
		if email := f.model.Member(id).User.Email; email != "" {
			forms = append(forms, email)
		}
	case api.NameSite:
		forms = append(forms, names.Fold(title), f.sites[id].Fields.Hostname)
	case api.NameSpace, api.NameCollection:
		forms = append(forms, names.Fold(title))
		forms = append(forms, f.paths(id)...)
	case api.NameTeam:
		forms = append(forms, names.Fold(title))
	}
	forms = append(forms, exactPrefix+title)
	return slices.DeleteFunc(forms, func(name string) bool { return name == "" || name == exactPrefix })
}

// paths returns the paths of a space or collection, the shortest first. They end at a collection that the caller may not see or
// whose title has no folded form.
func (f *finder) paths(id string) (paths []string) {
	path := names.Fold(f.entryTitle(id))
	for n := f.model.Entry(id); path != "" && n != nil && n.Parent != "" && f.viewer.CanRead(n.Parent); n = f.model.Entry(n.Parent) {
		segment := names.Fold(f.entryTitle(n.Parent))
		if segment == "" {
			break
		}
		path = segment + "/" + path
		paths = append(paths, path)
	}
	return paths
}
