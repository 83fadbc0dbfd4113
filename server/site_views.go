package server

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// siteView is a site as one caller sees it: without spaces that are deleted or not for them, and, for visitors,
// without what conditions hide and sections that are empty for that. It lives as long as one look at the shape.
type siteView struct {
	server   *Server
	c        *rest.Call
	shape    *access.Model // with the site as its document says
	d        store.SiteDocument
	spaces   []store.SiteSpace   // in order; in each place one is the default
	sections []store.SiteSection // in order; one is the default
	stored   map[string]storedSpace
	err      error
}

func (s *Server) siteView(c *rest.Call, sh *access.Model, d store.SiteDocument) *siteView {
	d.Private.Sort()
	v := &siteView{server: s, c: c, shape: sh.WithSite(d.Fields.ID, d.Private.Entry(d.Fields)), d: d}
	v.findSpaces()
	v.findSections()
	return v
}

func (v *siteView) findSpaces() {
	admitted := v.shape.PublishedTo(v.d.Fields.ID, v.c.Visitor())
	viewer := access.NewViewer(v.shape, v.c.Caller)
	defaults := map[string]bool{}
	for _, space := range v.d.Private.Spaces {
		_, alive := v.shape.Active(space.Space)
		section := v.d.Private.Section(space.Section)
		if !alive || !admitted && !viewer.Sees(space.Space) || !v.meets(space.Condition) ||
			section != nil && !v.meets(section.Fields.Condition) {
			continue
		}
		v.spaces = append(v.spaces, space)
		defaults[space.Section] = defaults[space.Section] || space.Default
	}
	for i := range v.spaces {
		if place := v.spaces[i].Section; !defaults[place] {
			v.spaces[i].Default, defaults[place] = true, true
		}
	}
}

func (v *siteView) findSections() {
	hasDefault := false
	for _, section := range v.d.Private.Sections {
		if v.c.IsVisit() && len(v.in(section.Fields.ID)) == 0 || !v.meets(section.Fields.Condition) {
			continue
		}
		v.sections = append(v.sections, section)
		hasDefault = hasDefault || section.Fields.Default
	}
	if !hasDefault && len(v.sections) > 0 {
		v.sections[0].Fields.Default = true
	}
}

// meets reports whether what has a condition is for the caller. Conditions are for visitors; one who brings no claims
// meets none.
func (v *siteView) meets(condition string) bool {
	id := v.d.Fields.ID
	return condition == "" || !v.c.IsVisit() || v.shape.Site(id).Meets(id, v.c.Visitor(), condition)
}

// in are the site spaces of a section, or those at the root for "".
func (v *siteView) in(section string) []store.SiteSpace {
	return slices.DeleteFunc(slices.Clone(v.spaces), func(s store.SiteSpace) bool { return s.Section != section })
}

// grouped are the sections in a group, or those in none for "".
func (v *siteView) grouped(group string) []store.SiteSection {
	return slices.DeleteFunc(slices.Clone(v.sections), func(s store.SiteSection) bool { return s.Fields.SectionGroup != group })
}

// groups are the section groups that are shown.
func (v *siteView) groups() []store.SiteGroup {
	return slices.DeleteFunc(slices.Clone(v.d.Private.Groups), func(g store.SiteGroup) bool {
		return v.c.IsVisit() && len(v.grouped(g.Fields.ID)) == 0
	})
}

// entry is what the address of the site depends on.
func (v *siteView) entry() store.SiteEntry { return v.shape.Site(v.d.Fields.ID).SiteEntry }

// site writes out the site itself.
func (v *siteView) site() *rest.Object {
	f, e := v.d.Fields, v.entry()
	org, id := v.c.Org, f.ID
	return rest.ObjectOf(f).
		SetIf(e.Proxy != "", "proxy", api.SiteProxy{Origin: e.Proxy, Target: v.server.siteTarget(org, id, e)}).
		Set("siteSpaces", len(v.spaces)).
		Set("features", []api.SiteFeature{}).
		Set("urls", api.SiteURLs{
			Location: v.server.siteURL(org, id), App: v.server.appURL("sites", id), Published: v.published(""),
		})
}

// published is the address of a part of the site, "" until the site is published.
func (v *siteView) published(path string) string {
	return v.server.publishedURL(v.c, v.shape, v.d.Fields.ID, path)
}

// siteSpace writes out a site space, nil if its space could not be read.
func (v *siteView) siteSpace(s store.SiteSpace) *rest.Object {
	var space store.SpaceDocument
	read, ok := v.stored[s.Space]
	if !ok {
		return nil
	}
	if err := space.Decode(read.record); err != nil {
		return &rest.Object{Err: err}
	}
	path := s.Path
	if section := v.d.Private.Section(s.Section); section != nil {
		path = section.Fields.Path + "/" + path
	}
	return rest.ObjectOf(api.SiteSpaceFields{
		Object: "site-space", ID: s.ID, Title: space.Fields.Title, Path: s.Path, Section: s.Section, Default: s.Default, Condition: s.Condition,
	}).
		Set("space", v.raw(v.server.spaceObject(v.c, v.shape, s.Space, read.record.Public, read.state))).
		Set("urls", api.PublishedURLs{Published: v.published(path)})
}

func (v *siteView) section(s store.SiteSection) *rest.Object {
	return rest.ObjectOf(s.Fields).
		Set("siteSpaces", writeAll(v, v.in(s.Fields.ID), v.siteSpace)).
		Set("urls", api.PublishedURLs{Published: v.published(s.Fields.Path)})
}

func (v *siteView) group(g store.SiteGroup) *rest.Object {
	return rest.ObjectOf(g.Fields).Set("sections", writeAll(v, v.grouped(g.Fields.ID), v.section))
}

// structure writes out what the site is made of.
func (v *siteView) structure() *rest.Object {
	if len(v.d.Private.Sections) == 0 {
		return rest.ObjectOf(struct{}{}).Set("type", api.StructureSiteSpaces).Set("structure", writeAll(v, v.in(""), v.siteSpace))
	}
	tops := map[string]json.RawMessage{}
	for _, s := range v.grouped("") {
		tops[txn.Member(s.Order, s.Fields.ID)] = v.raw(v.section(s))
	}
	for _, g := range v.groups() {
		tops[txn.Member(g.Order, g.Fields.ID)] = v.raw(v.group(g))
	}
	items := []json.RawMessage{}
	for _, member := range v.d.Private.SectionsOf("") {
		if item, ok := tops[member]; ok {
			items = append(items, item)
		}
	}
	return rest.ObjectOf(struct{}{}).Set("type", api.StructureSections).Set("structure", items)
}

// raw is a part inside another; its error becomes that of the view.
func (v *siteView) raw(o *rest.Object) json.RawMessage {
	data, err := o.Bytes()
	if err != nil {
		v.err = err
		return json.RawMessage("null")
	}
	return data
}

// writeAll writes out several parts as a list.
func writeAll[T any](v *siteView, parts []T, write func(T) *rest.Object) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(parts))
	for _, part := range parts {
		if o := write(part); o != nil {
			items = append(items, v.raw(o))
		}
	}
	return items
}

// siteTarget is the address at which a site is served by itself, without a proxy before it.
func (s *Server) siteTarget(org, id string, e store.SiteEntry) string {
	if e.Hostname != "" {
		return "https://" + e.Hostname
	}
	return s.publicURL + "/sites/" + org + "/" + url.PathEscape(cmp.Or(e.Basename, id))
}

// siteAddress is the address that people see.
func (s *Server) siteAddress(org, id string, e store.SiteEntry) string {
	if e.Proxy != "" {
		return "https://" + e.Proxy
	}
	return s.siteTarget(org, id, e)
}

// publishedURL is the address of a part of a site, "" until the site is published. Whoever came with a share key of
// the site finds it in the address.
func (s *Server) publishedURL(c *rest.Call, sh *access.Model, site, path string) string {
	e := sh.Site(site).SiteEntry
	if !e.Published {
		return ""
	}
	address := s.siteAddress(sh.Org, site, e)
	if path != "" {
		address += "/" + (&url.URL{Path: path}).EscapedPath()
	}
	if v := c.Visitor(); v.Digest != "" && sh.SharedSite(v) == site {
		address += "?" + url.Values{rest.ShareKeyParam: {c.ShareKey}}.Encode()
	}
	return address
}

// publishedSpaceURLs are the address of a space on the site that the caller has a share key of, else on the one that
// shows it to most people, and, where these are everybody, the same as its public address; "" without one.
func (s *Server) publishedSpaceURLs(c *rest.Call, sh *access.Model, space string) (published, public string) {
	site, path, ok := sh.PublishedBy(space)
	if !ok {
		return "", ""
	}
	if n := sh.Site(sh.SharedSite(c.Visitor())); n != nil && n.Published && n.PathOf(space) != "" {
		site, path = sh.SharedSite(c.Visitor()), n.PathOf(space)
	}
	published = s.publishedURL(c, sh, site, path)
	if sh.Site(site).Visibility == api.SitePublic {
		public = published
	}
	return published, public
}
