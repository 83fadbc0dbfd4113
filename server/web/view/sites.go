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

// Site is a site as seen by one caller: without spaces that are deleted or invisible and, for visitors, without parts
// that conditions hide. It is only valid while the access model is locked.
type Site struct {
	writer   *Writer
	call     *rest.Call
	model    *access.Model // includes the site as in its document
	Document store.SiteDocument
	Spaces   []store.SiteSpace   // in order; one per section is the default
	Sections []store.SiteSection // in order; one is the default
	Stored   map[string]StoredSpace
	Err      error
}

// NewSite returns the view of a site for the caller.
func (w *Writer) NewSite(c *rest.Call, model *access.Model, d store.SiteDocument) *Site {
	d.Private.Sort()
	v := &Site{writer: w, call: c, model: model.WithSite(d.Fields.ID, d.Private.Entry(d.Fields)), Document: d}
	v.loadSpaces()
	v.loadSections()
	return v
}

// ReadSites reads sites in one pipeline. Absent ones are not in the map.
func (w *Writer) ReadSites(ctx context.Context, c *rest.Call, ids []string) (map[string]*store.SiteDocument, error) {
	records, err := rest.ReadRecords(ctx, w.Store, ids, func(id string) redis.Key { return store.SiteKey(c.Org, id) })
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

func (st *Site) loadSpaces() {
	admitted := st.model.PublishedTo(st.Document.Fields.ID, st.call.Visitor())
	viewer := access.NewViewer(st.model, st.call.Caller)
	defaults := map[string]bool{}
	for _, space := range st.Document.Private.Spaces {
		_, active := st.model.Active(space.Space)
		section := st.Document.Private.Section(space.Section)
		if !active || !admitted && !viewer.CanRead(space.Space) || !st.MeetsCondition(space.Condition) ||
			section != nil && !st.MeetsCondition(section.Fields.Condition) {
			continue
		}
		st.Spaces = append(st.Spaces, space)
		defaults[space.Section] = defaults[space.Section] || space.Default
	}
	for i := range st.Spaces {
		if place := st.Spaces[i].Section; !defaults[place] {
			st.Spaces[i].Default, defaults[place] = true, true
		}
	}
}

func (st *Site) loadSections() {
	hasDefault := false
	for _, section := range st.Document.Private.Sections {
		if st.call.IsVisit() && len(st.SpacesIn(section.Fields.ID)) == 0 || !st.MeetsCondition(section.Fields.Condition) {
			continue
		}
		st.Sections = append(st.Sections, section)
		hasDefault = hasDefault || section.Fields.Default
	}
	if !hasDefault && len(st.Sections) > 0 {
		st.Sections[0].Fields.Default = true
	}
}

// MeetsCondition reports whether the caller meets a condition. Conditions apply to visitors only; without claims none is met.
func (st *Site) MeetsCondition(condition string) bool {
	id := st.Document.Fields.ID
	return condition == "" || !st.call.IsVisit() || st.model.Site(id).MeetsConditions(id, st.call.Visitor(), condition)
}

// SpacesIn returns the site spaces of a section, or those at the root for "".
func (st *Site) SpacesIn(section string) []store.SiteSpace {
	return slices.DeleteFunc(slices.Clone(st.Spaces), func(s store.SiteSpace) bool { return s.Section != section })
}

// sectionsOf returns the sections of a group, or those outside of groups for "".
func (st *Site) sectionsOf(group string) []store.SiteSection {
	return slices.DeleteFunc(slices.Clone(st.Sections), func(s store.SiteSection) bool { return s.Fields.SectionGroup != group })
}

// Groups returns the visible section groups.
func (st *Site) Groups() []store.SiteGroup {
	return slices.DeleteFunc(slices.Clone(st.Document.Private.Groups), func(g store.SiteGroup) bool {
		return st.call.IsVisit() && len(st.sectionsOf(g.Fields.ID)) == 0
	})
}

// addressEntry returns the fields that determine the address of the site.
func (st *Site) addressEntry() store.SiteEntry { return st.model.Site(st.Document.Fields.ID).SiteEntry }

// Object returns the JSON of the site without its parts.
func (st *Site) Object() *rest.Object {
	f, e := st.Document.Fields, st.addressEntry()
	org, id := st.call.Org, f.ID
	return rest.ObjectOf(f).
		SetIf(e.Proxy != "", "proxy", api.SiteProxy{Origin: e.Proxy, Target: st.writer.siteTarget(org, id, e)}).
		Set("siteSpaces", len(st.Spaces)).
		Set("features", []api.SiteFeature{}).
		Set("urls", api.SiteURLs{
			Location: st.writer.SiteURL(org, id), App: st.writer.AppURL("sites", id), Published: st.publishedURL(""),
		})
}

// publishedURL returns the address of a part of the site, or "" if the site is not published.
func (st *Site) publishedURL(path string) string {
	return st.writer.publishedURL(st.call, st.model, st.Document.Fields.ID, path)
}

// SiteSpace returns the JSON of a site space, or nil if its space could not be read.
func (st *Site) SiteSpace(s store.SiteSpace) *rest.Object {
	var space store.SpaceDocument
	read, ok := st.Stored[s.Space]
	if !ok {
		return nil
	}
	if err := space.Decode(read.Record); err != nil {
		return &rest.Object{Err: err}
	}
	return rest.ObjectOf(api.SiteSpaceFields{
		Object: "site-space", ID: s.ID, Title: space.Fields.Title, Path: s.Path, Section: s.Section, Default: s.Default,
		Condition: s.Condition,
	}).
		Set("space", st.Nested(st.writer.Space(st.call, st.model, s.Space, read.Record.Public, read.State))).
		Set("urls", api.PublishedURLs{Published: st.publishedURL(st.Document.Private.PublishedPath(s))})
}

// Section returns the JSON of a section with its site spaces.
func (st *Site) Section(s store.SiteSection) *rest.Object {
	path := s.Fields.Path
	if s.Root {
		path = ""
	}
	return rest.ObjectOf(s.Fields).
		Set("siteSpaces", encodeAll(st, st.SpacesIn(s.Fields.ID), st.SiteSpace)).
		Set("urls", api.PublishedURLs{Published: st.publishedURL(path)})
}

// Group returns the JSON of a section group with its sections.
func (st *Site) Group(g store.SiteGroup) *rest.Object {
	return rest.ObjectOf(g.Fields).Set("sections", encodeAll(st, st.sectionsOf(g.Fields.ID), st.Section))
}

// Structure returns the JSON of the parts of the site.
func (st *Site) Structure() *rest.Object {
	if len(st.Document.Private.Sections) == 0 {
		return rest.ObjectOf(struct{}{}).Set("type", api.StructureSiteSpaces).Set("structure", encodeAll(st, st.SpacesIn(""), st.SiteSpace))
	}
	tops := map[string]json.RawMessage{}
	for _, s := range st.sectionsOf("") {
		tops[txn.OrderMember(s.Order, s.Fields.ID)] = st.Nested(st.Section(s))
	}
	for _, g := range st.Groups() {
		tops[txn.OrderMember(g.Order, g.Fields.ID)] = st.Nested(st.Group(g))
	}
	items := []json.RawMessage{}
	for _, member := range st.Document.Private.SectionsOf("") {
		if item, ok := tops[member]; ok {
			items = append(items, item)
		}
	}
	return rest.ObjectOf(struct{}{}).Set("type", api.StructureSections).Set("structure", items)
}

// Nested returns the JSON of a nested object. An error is stored in st.Err.
func (st *Site) Nested(o *rest.Object) json.RawMessage {
	data, err := o.Bytes()
	if err != nil {
		st.Err = err
		return json.RawMessage("null")
	}
	return data
}

// encodeAll returns the JSON of parts, without those for which write returns nil.
func encodeAll[T any](v *Site, parts []T, write func(T) *rest.Object) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(parts))
	for _, part := range parts {
		if o := write(part); o != nil {
			items = append(items, v.Nested(o))
		}
	}
	return items
}

// siteTarget returns the address of a site without a custom proxy.
func (w *Writer) siteTarget(org, id string, e store.SiteEntry) string {
	if e.Hostname != "" {
		return "https://" + e.Hostname
	}
	return w.PublicURL + "/sites/" + org + "/" + url.PathEscape(cmp.Or(e.Basename, id))
}

// SiteAddress returns the address that visitors use.
func (w *Writer) SiteAddress(org, id string, e store.SiteEntry) string {
	if e.Proxy != "" {
		return "https://" + e.Proxy
	}
	return w.siteTarget(org, id, e)
}

// publishedURL returns the address of a part of a site, or "" if the site is not published. It contains the share key
// that the caller used for the site.
func (w *Writer) publishedURL(c *rest.Call, model *access.Model, site, path string) string {
	e := model.Site(site).SiteEntry
	if !e.Published {
		return ""
	}
	address := w.SiteAddress(model.Org, site, e)
	if path != "" {
		address += "/" + (&url.URL{Path: path}).EscapedPath()
	}
	if v := c.Visitor(); v.Digest != "" && model.SiteByShareKey(v) == site {
		address += "?" + url.Values{rest.ShareKeyParam: {c.ShareKey}}.Encode()
	}
	return address
}

// publishedSpaceURLs returns the published address of a space: on the site of the caller's share key, else on the
// site with the widest audience. public is the same address if that site is public. Both are "" without a site.
func (w *Writer) publishedSpaceURLs(c *rest.Call, model *access.Model, space string) (published, public string) {
	site, path, ok := model.PublishingSite(space)
	if !ok {
		return "", ""
	}
	if n := model.Site(model.SiteByShareKey(c.Visitor())); n != nil && n.Published && n.PathOf(space) != "" {
		site, path = model.SiteByShareKey(c.Visitor()), n.PathOf(space)
	}
	published = w.publishedURL(c, model, site, path)
	if model.Site(site).Visibility == api.SitePublic {
		public = published
	}
	return published, public
}

// InGroup returns the site spaces of the sections of a group.
func (st *Site) InGroup(g store.SiteGroup) (spaces []store.SiteSpace) {
	for _, section := range st.sectionsOf(g.Fields.ID) {
		spaces = append(spaces, st.SpacesIn(section.Fields.ID)...)
	}
	return spaces
}

// AllSpaces returns the site spaces that the caller may see.
func (st *Site) AllSpaces() []store.SiteSpace { return st.Spaces }
