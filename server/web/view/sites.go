package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Site is a site as one caller sees it: without spaces that are deleted or not for them, and, for visitors,
// without what conditions hide and sections that are empty for that. It lives as long as one look at the model.
type Site struct {
	writer   *Writer
	c        *rest.Call
	model    *access.Model // with the site as its document says
	D        store.SiteDocument
	Spaces   []store.SiteSpace   // in order; in each place one is the default
	Sections []store.SiteSection // in order; one is the default
	Stored   map[string]StoredSpace
	Err      error
}

// NewSite is the site of a document as the caller sees it.
func (s *Writer) NewSite(c *rest.Call, model *access.Model, d store.SiteDocument) *Site {
	d.Private.Sort()
	v := &Site{writer: s, c: c, model: model.WithSite(d.Fields.ID, d.Private.Entry(d.Fields)), D: d}
	v.findSpaces()
	v.findSections()
	return v
}

// ReadSites reads sites in one pipeline; absent ones are not in the map.
func (s *Writer) ReadSites(ctx context.Context, c *rest.Call, ids []string) (map[string]*store.SiteDocument, error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.SiteKey(c.Org, id) })
	if err != nil {
		return nil, err
	}
	sites := make(map[string]*store.SiteDocument, len(records))
	for id, r := range records {
		sites[id] = &store.SiteDocument{}
		if err := sites[id].Decode(r); err != nil {
			return nil, fmt.Errorf("site %s: %w", id, err)
		}
	}
	return sites, nil
}

func (v *Site) findSpaces() {
	admitted := v.model.PublishedTo(v.D.Fields.ID, v.c.Visitor())
	viewer := access.NewViewer(v.model, v.c.Caller)
	defaults := map[string]bool{}
	for _, space := range v.D.Private.Spaces {
		_, active := v.model.Active(space.Space)
		section := v.D.Private.Section(space.Section)
		if !active || !admitted && !viewer.Sees(space.Space) || !v.Meets(space.Condition) ||
			section != nil && !v.Meets(section.Fields.Condition) {
			continue
		}
		v.Spaces = append(v.Spaces, space)
		defaults[space.Section] = defaults[space.Section] || space.Default
	}
	for i := range v.Spaces {
		if place := v.Spaces[i].Section; !defaults[place] {
			v.Spaces[i].Default, defaults[place] = true, true
		}
	}
}

func (v *Site) findSections() {
	hasDefault := false
	for _, section := range v.D.Private.Sections {
		if v.c.IsVisit() && len(v.In(section.Fields.ID)) == 0 || !v.Meets(section.Fields.Condition) {
			continue
		}
		v.Sections = append(v.Sections, section)
		hasDefault = hasDefault || section.Fields.Default
	}
	if !hasDefault && len(v.Sections) > 0 {
		v.Sections[0].Fields.Default = true
	}
}

// Meets reports whether what has a condition is for the caller. Conditions are for visitors; one who brings no claims
// meets none.
func (v *Site) Meets(condition string) bool {
	id := v.D.Fields.ID
	return condition == "" || !v.c.IsVisit() || v.model.Site(id).Meets(id, v.c.Visitor(), condition)
}

// In are the site spaces of a section, or those at the root for "".
func (v *Site) In(section string) []store.SiteSpace {
	return slices.DeleteFunc(slices.Clone(v.Spaces), func(s store.SiteSpace) bool { return s.Section != section })
}

// grouped are the sections in a group, or those in none for "".
func (v *Site) grouped(group string) []store.SiteSection {
	return slices.DeleteFunc(slices.Clone(v.Sections), func(s store.SiteSection) bool { return s.Fields.SectionGroup != group })
}

// Groups are the section groups that are shown.
// Group writes out a section group with its sections.
func (v *Site) Groups() []store.SiteGroup {
	return slices.DeleteFunc(slices.Clone(v.D.Private.Groups), func(g store.SiteGroup) bool {
		return v.c.IsVisit() && len(v.grouped(g.Fields.ID)) == 0
	})
}

// entry is what the address of the site depends on.
func (v *Site) entry() store.SiteEntry { return v.model.Site(v.D.Fields.ID).SiteEntry }

// Object writes out the site itself.
func (v *Site) Object() *rest.Object {
	f, e := v.D.Fields, v.entry()
	org, id := v.c.Org, f.ID
	return rest.ObjectOf(f).
		SetIf(e.Proxy != "", "proxy", api.SiteProxy{Origin: e.Proxy, Target: v.writer.siteTarget(org, id, e)}).
		Set("siteSpaces", len(v.Spaces)).
		Set("features", []api.SiteFeature{}).
		Set("urls", api.SiteURLs{
			Location: v.writer.SiteURL(org, id), App: v.writer.AppURL("sites", id), Published: v.published(""),
		})
}

// published is the address of a part of the site, "" until the site is published.
func (v *Site) published(path string) string {
	return v.writer.publishedURL(v.c, v.model, v.D.Fields.ID, path)
}

// SiteSpace writes out a site space, nil if its space could not be read.
func (v *Site) SiteSpace(s store.SiteSpace) *rest.Object {
	var space store.SpaceDocument
	read, ok := v.Stored[s.Space]
	if !ok {
		return nil
	}
	if err := space.Decode(read.Record); err != nil {
		return &rest.Object{Err: err}
	}
	return rest.ObjectOf(api.SiteSpaceFields{
		Object: "site-space", ID: s.ID, Title: space.Fields.Title, Path: s.Path, Section: s.Section, Default: s.Default, Condition: s.Condition,
	}).
		Set("space", v.Raw(v.writer.Space(v.c, v.model, s.Space, read.Record.Public, read.State))).
		Set("urls", api.PublishedURLs{Published: v.published(v.D.Private.Published(s))})
}

// Section writes out a section with its site spaces.
func (v *Site) Section(s store.SiteSection) *rest.Object {
	path := s.Fields.Path
	if s.Root {
		path = ""
	}
	return rest.ObjectOf(s.Fields).
		Set("siteSpaces", writeAll(v, v.In(s.Fields.ID), v.SiteSpace)).
		Set("urls", api.PublishedURLs{Published: v.published(path)})
}

// Group writes out a section group with its sections.
func (v *Site) Group(g store.SiteGroup) *rest.Object {
	return rest.ObjectOf(g.Fields).Set("sections", writeAll(v, v.grouped(g.Fields.ID), v.Section))
}

// Structure writes out what the site is made of.
func (v *Site) Structure() *rest.Object {
	if len(v.D.Private.Sections) == 0 {
		return rest.ObjectOf(struct{}{}).Set("type", api.StructureSiteSpaces).Set("structure", writeAll(v, v.In(""), v.SiteSpace))
	}
	tops := map[string]json.RawMessage{}
	for _, s := range v.grouped("") {
		tops[txn.Member(s.Order, s.Fields.ID)] = v.Raw(v.Section(s))
	}
	for _, g := range v.Groups() {
		tops[txn.Member(g.Order, g.Fields.ID)] = v.Raw(v.Group(g))
	}
	items := []json.RawMessage{}
	for _, member := range v.D.Private.SectionsOf("") {
		if item, ok := tops[member]; ok {
			items = append(items, item)
		}
	}
	return rest.ObjectOf(struct{}{}).Set("type", api.StructureSections).Set("structure", items)
}

// Raw is a part inside another; its error becomes that of the view.
func (v *Site) Raw(o *rest.Object) json.RawMessage {
	data, err := o.Bytes()
	if err != nil {
		v.Err = err
		return json.RawMessage("null")
	}
	return data
}

// writeAll writes out several parts as a list.
func writeAll[T any](v *Site, parts []T, write func(T) *rest.Object) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(parts))
	for _, part := range parts {
		if o := write(part); o != nil {
			items = append(items, v.Raw(o))
		}
	}
	return items
}

// siteTarget is the address at which a site is served by itself, without a proxy before it.
func (s *Writer) siteTarget(org, id string, e store.SiteEntry) string {
	if e.Hostname != "" {
		return "https://" + e.Hostname
	}
	return s.PublicURL + "/sites/" + org + "/" + url.PathEscape(cmp.Or(e.Basename, id))
}

// SiteAddress is the address that people see.
func (s *Writer) SiteAddress(org, id string, e store.SiteEntry) string {
	if e.Proxy != "" {
		return "https://" + e.Proxy
	}
	return s.siteTarget(org, id, e)
}

// publishedURL is the address of a part of a site, "" until the site is published. Whoever came with a share key of
// the site finds it in the address.
func (s *Writer) publishedURL(c *rest.Call, model *access.Model, site, path string) string {
	e := model.Site(site).SiteEntry
	if !e.Published {
		return ""
	}
	address := s.SiteAddress(model.Org, site, e)
	if path != "" {
		address += "/" + (&url.URL{Path: path}).EscapedPath()
	}
	if v := c.Visitor(); v.Digest != "" && model.SharedSite(v) == site {
		address += "?" + url.Values{rest.ShareKeyParam: {c.ShareKey}}.Encode()
	}
	return address
}

// publishedSpaceURLs are the address of a space on the site that the caller has a share key of, else on the one that
// shows it to most people, and, where these are everybody, the same as its public address; "" without one.
func (s *Writer) publishedSpaceURLs(c *rest.Call, model *access.Model, space string) (published, public string) {
	site, path, ok := model.PublishedBy(space)
	if !ok {
		return "", ""
	}
	if n := model.Site(model.SharedSite(c.Visitor())); n != nil && n.Published && n.PathOf(space) != "" {
		site, path = model.SharedSite(c.Visitor()), n.PathOf(space)
	}
	published = s.publishedURL(c, model, site, path)
	if model.Site(site).Visibility == api.SitePublic {
		public = published
	}
	return published, public
}

// InGroup are the site spaces of the sections of a group.
func (v *Site) InGroup(g store.SiteGroup) (spaces []store.SiteSpace) {
	for _, section := range v.grouped(g.Fields.ID) {
		spaces = append(spaces, v.In(section.Fields.ID)...)
	}
	return spaces
}

// All are the site spaces that the caller sees.
func (v *Site) All() []store.SiteSpace { return v.Spaces }
