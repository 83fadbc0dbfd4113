package sites

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteSectionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSiteSections, auth.InSite(api.RoleRead).WithVisitors(), s.listSiteSections),
		rest.Write(api.CreateSiteSection, auth.InSite(api.RoleCreate).AndOpened(), s.createSiteSection).On(rest.Site),
		rest.Write(api.UpdateSiteSection, auth.InSite(api.RoleCreate).AndOpened(), s.updateSiteSection).On(rest.Site),
		rest.Write(api.DeleteSiteSection, auth.InSite(api.RoleCreate),
			s.deleteSiteSection).On(rest.Site).AllowAbsent(auth.InSite(api.RoleCreate)),
		rest.Write(api.MoveSiteSection, auth.InSite(api.RoleCreate), s.moveSiteSection).On(rest.Site),
	}
}

const (
	sectionPrefix   = "sec_"
	groupPrefix     = "grp_"
	siteSpacePrefix = "ssp_"
	// maxSiteParts is the maximum number of sections, and of site spaces, of a site: all are stored in one record.
	maxSiteParts = 200
)

// partList describes how to list the parts of one kind: their order by sortKey, their site spaces and their JSON.
type partList[T any] struct {
	parts   func(*view.Site) []T
	sortKey func(*view.Site, T) string
	spaces  func(*view.Site, T) []store.SiteSpace
	encode  func(*view.Site, T) *rest.Object
}

// page returns one page of the list, the number of all parts and the next cursor.
func (p partList[T]) page(ctx context.Context, c *rest.Call, s *Service, d store.SiteDocument, w rest.Pager) (items [][]byte, count int,
	next string, err error,
) {
	var page []T
	pick := func(v *view.Site) (spaces []store.SiteSpace) {
		byPlace, places := map[string]T{}, []string{}
		for _, part := range p.parts(v) {
			place := p.sortKey(v, part)
			byPlace[place], places = part, append(places, place)
		}
		count = len(places)
		places, next = w.Slice(places, rest.OldestFirst)
		for _, place := range places {
			page = append(page, byPlace[place])
			spaces = append(spaces, p.spaces(v, byPlace[place])...)
		}
		return spaces
	}
	err = s.viewSite(c, d, s.spacesFromStore(ctx, c), pick, func(v *view.Site) error {
		for _, part := range page {
			o := p.encode(v, part)
			if o == nil {
				continue // its space was deleted
			}
			item, err := o.Bytes()
			if err != nil {
				return err
			}
			items = append(items, item)
		}
		return nil
	})
	return items, count, next, err
}

// listParts builds the handler that lists the parts of one kind.
func listParts[T, Out any](
	r *rest.Request, s *Service, b *txn.Batch, site string, w rest.Pager, parts partList[T],
) rest.Finish[api.Page[Out]] {
	record := b.Record(store.SiteKey(r.Org, site))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Page[Out]], error) {
		if w.Err != nil {
			return rest.Result[api.Page[Out]]{}, w.Err
		}
		d, err := decodeSite(record)
		if err != nil {
			return rest.Result[api.Page[Out]]{}, err
		}
		items, count, next, err := parts.page(ctx, c, s, d, w)
		if err != nil {
			return rest.Result[api.Page[Out]]{}, err
		}
		return rest.PageOf[Out](items, count, next)
	}
}

func (s *Service) listSiteSections(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListSiteSectionsInput,
) rest.Finish[api.Page[api.SiteSection]] {
	return listParts[store.SiteSection, api.SiteSection](r, s, b, in.Site, r.NewPager(in.ListOptions, false), partList[store.SiteSection]{
		parts:   func(v *view.Site) []store.SiteSection { return v.Sections },
		sortKey: func(v *view.Site, p store.SiteSection) string { return v.Document.Private.SectionSortKey(p) },
		spaces:  func(v *view.Site, p store.SiteSection) []store.SiteSpace { return v.SpacesIn(p.Fields.ID) },
		encode:  (*view.Site).Section,
	})
}

// createSiteSection adds a section. Site spaces of a site without sections are moved into a section of their own that
// keeps their URLs.
func (s *Service) createSiteSection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateSiteSectionInput,
) (none rest.Result[api.SiteSection], err error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	space, err := s.checkMayShow(c, tx, "spaceId", in.Body.SpaceID)
	if err != nil {
		return none, err
	}
	if len(d.Private.Sections) == 0 && len(d.Private.Spaces) > 0 {
		if err := addRootSection(c, tx, &d); err != nil {
			return none, err
		}
	}
	id := tx.NewID(sectionPrefix)
	if err := addSection(&d.Private, id, in.Body, space.Fields.Title); err != nil {
		return none, err
	}
	if d.Private.SpaceIn(id, in.Body.SpaceID) == nil {
		if _, err := addSiteSpace(tx, &d, id, space.Fields, "spaceId"); err != nil {
			return none, err
		}
	}
	result, err := putPart[api.SiteSection](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSection, ID: id})
	return result.WithLocation(id, s.View.SiteURL(c.Org, in.Site)+"/sections/"+id), err
}

// addRootSection moves the site spaces of a site without sections into a new section, named after the default space.
func addRootSection(c *rest.Call, tx *store.Tx, d *store.SiteDocument) error {
	shown := d.Private.Spaces[0]
	for _, s := range d.Private.Spaces {
		if s.Default {
			shown = s
		}
	}
	space, err := tx.Space(c.Org, shown.Space)
	if err != nil {
		return err
	}
	id := tx.NewID(sectionPrefix)
	if err := addSection(&d.Private, id, api.SiteSectionCreate{}, space.Fields.Title); err != nil {
		return err
	}
	d.Private.Section(id).Root = true
	for i := range d.Private.Spaces {
		d.Private.Spaces[i].Section = id
	}
	return nil
}

// addSection appends a section.
func addSection(p *store.SitePrivate, id string, body api.SiteSectionCreate, spaceTitle string) error {
	const shortest = 2
	if len(p.Sections) >= maxSiteParts {
		return api.WrongState("A site has at most %d sections.", maxSiteParts)
	}
	title, given := body.Title.Get()
	if !given {
		if title = spaceTitle; utf8.RuneCountInString(title) < shortest {
			title = defaultSiteTitle
		}
	}
	icon, _ := body.Icon.Get()
	if body.SectionGroup != "" && p.Group(body.SectionGroup) == nil {
		return errNotSectionGroup()
	}
	order, err := store.OrderKeyAmong(p.SectionsOf(body.SectionGroup), txn.Position{})
	if err != nil {
		return err
	}
	p.Sections = append(p.Sections, store.SiteSection{Order: order, Fields: api.SiteSectionFields{
		Object: "site-section", ID: id, Title: title, Icon: icon, Default: len(p.Sections) == 0, SectionGroup: body.SectionGroup,
		Path: revision.UniqueSlug(content.Slug(title), func(path string) bool { return p.SectionPathTaken(path, nil) }),
	}})
	return nil
}

func (s *Service) updateSiteSection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSiteSectionInput,
) (none rest.Result[api.SiteSection], err error) {
	d, section, err := loadSection(c, tx, in.SiteSectionRef)
	if err != nil {
		return none, err
	}
	if err := checkCondition(d, in.Body.Condition); err != nil {
		return none, err
	}
	changed, err := patchSection(&d.Private, section, in.Body)
	if err != nil {
		return none, err
	}
	if !changed {
		return showPart[api.SiteSection](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSection, ID: in.SiteSection})
	}
	return putPart[api.SiteSection](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSection, ID: in.SiteSection})
}

func patchSection(p *store.SitePrivate, section *store.SiteSection, patch api.SiteSectionPatch) (changed bool, err error) {
	f := &section.Fields
	if path, ok := patch.Path.Get(); ok {
		if p.SectionPathTaken(path, section) {
			return false, api.InvalidField("path", "is that of another section or site space at this level")
		}
	}
	if id, ok := patch.DefaultSiteSpace.Get(); ok {
		space := p.Space(id)
		if space == nil || space.Section != f.ID {
			return false, api.InvalidField("defaultSiteSpace", "is not a site space of this section")
		}
		changed = p.MakeDefaultSpace(space)
	}
	group := f.SectionGroup
	for _, applied := range []bool{
		patch.Title.Apply(&f.Title), patch.Path.Apply(&f.Path), patch.Condition.ApplyNull(&f.Condition), patch.Icon.ApplyNull(&f.Icon),
		patch.Description.ApplyNull(&f.Description), patch.SectionGroup.ApplyNull(&group),
	} {
		changed = changed || applied
	}
	if group == f.SectionGroup {
		return changed, nil
	}
	if group != "" && p.Group(group) == nil {
		return false, errNotSectionGroup()
	}
	section.Order, err = store.OrderKeyAmong(p.SectionsOf(group), txn.Position{})
	f.SectionGroup = group
	return true, err
}

func errNotSectionGroup() error {
	return api.InvalidField("siteSectionGroupId", "is not a section group of this site")
}

// deleteSiteSection deletes a section and its site spaces.
func (s *Service) deleteSiteSection(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SiteSectionRef) (rest.Result[api.None], error) {
	d, section, err := loadSection(c, tx, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	gone := section.Fields
	taken := deletedSiteSpaces(&d.Private, slices.DeleteFunc(slices.Clone(d.Private.Spaces), func(s store.SiteSpace) bool {
		return s.Section != gone.ID
	}))
	d.Private.RemoveSection(*section)
	return rest.Removed(api.Removal{ID: in.SiteSection, Title: gone.Title, With: []api.Taken{taken}}), putSite(c, tx, &d)
}

func (s *Service) moveSiteSection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.MoveSiteSectionInput,
) (none rest.Result[api.SiteSection], err error) {
	d, _, err := loadSection(c, tx, in.SiteSectionRef)
	if err != nil {
		return none, err
	}
	position := api.SitePosition{}
	if pointer := in.Body.Position.Before; pointer != nil {
		position.Before = &api.SitePointer{Type: api.PointerSiteSection, ID: pointer.SiteSection}
	}
	if pointer := in.Body.Position.After; pointer != nil {
		position.After = &api.SitePointer{Type: api.PointerSiteSection, ID: pointer.SiteSection}
	}
	if err := moveSitePart(&d.Private, api.SitePointer{Type: api.PointerSiteSection, ID: in.SiteSection}, position); err != nil {
		return none, err
	}
	return putPart[api.SiteSection](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSection, ID: in.SiteSection})
}

// moveSection moves a section between the sections before and after and into their group. If both are "", it moves the
// section to the end of its own list.
func moveSection(p *store.SitePrivate, id, before, after string) error {
	section := p.Section(id)
	group := section.Fields.SectionGroup
	if near := cmp.Or(before, after); near != "" {
		group = ""
		if sibling := p.Section(near); sibling != nil {
			group = sibling.Fields.SectionGroup
		}
	}
	order, err := orderBetween(p.SectionsOf(group), id, before, after)
	if err != nil {
		return err
	}
	section.Fields.SectionGroup, section.Order = group, order
	return nil
}

// loadSection reads the site and section of the path.
func loadSection(c *rest.Call, tx *store.Tx, in api.SiteSectionRef) (store.SiteDocument, *store.SiteSection, error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return d, nil, err
	}
	section := d.Private.Section(in.SiteSection)
	if section == nil {
		return d, nil, api.NotFound()
	}
	return d, section, nil
}
