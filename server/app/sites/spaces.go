package sites

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteSpaceEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSiteSpaces, auth.InSite(api.RoleRead).WithVisitors(), s.listSiteSpaces),
		rest.Write(api.CreateSiteSpace, auth.InSite(api.RoleCreate).AndOpened(), s.createSiteSpace).On(rest.Site),
		rest.Write(api.UpdateSiteSpace, auth.InSite(api.RoleCreate).AndOpened(), s.updateSiteSpace).On(rest.Site),
		rest.Write(api.DeleteSiteSpace, auth.InSite(api.RoleCreate),
			s.deleteSiteSpace).On(rest.Site).AllowAbsent(auth.InSite(api.RoleCreate)),
		rest.Write(api.MoveSiteSpace, auth.InSite(api.RoleCreate).AndOpened(), s.moveSiteSpace).On(rest.Site),
	}
}

// checkMayShow returns an error unless the caller may show a space on a site. As this gives readers of the site
// access, it needs the role create in the space. The dependencies are added to the read set.
func (s *Service) checkMayShow(c *rest.Call, tx *store.Tx, field, id string) (space store.SpaceDocument, err error) {
	var path []access.Dependency
	c.Access(func(model *access.Model) {
		n, active := model.Active(id)
		role := model.Role(c.Caller, id)
		path = model.PathDependencies(id)
		switch {
		case !active || !access.IsSpace(id) || !role.AtLeast(api.RoleRead):
			err = unknownSpaceError(field)
		case !role.AtLeast(api.RoleCreate):
			err = rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the space "+id, role)
		case n.Moving: // a site shows only spaces of its own organization
			err = rest.TransferInProgressError()
		}
	})
	if err != nil {
		return space, err
	}
	if err := c.Recheck(tx, path); err != nil {
		return space, err
	}
	space, err = tx.Space(c.Org, id)
	if err == nil && space.Version == 0 {
		err = unknownSpaceError(field)
	}
	return space, err
}

// unknownSpaceError returns the error for a space in a request body that does not exist in the organization of the site,
// is hidden from the caller, or is lost.
func unknownSpaceError(field string) error {
	return api.InvalidField(field, "is not a space of this organization")
}

// addSiteSpace appends a space to a section or to the root. The first one becomes the default. field names the space
// in errors.
func addSiteSpace(tx *store.Tx, d *store.SiteDocument, section string, space api.SpaceFields, field string) (store.SiteSpace, error) {
	p := &d.Private
	if p.SpaceIn(section, space.ID) != nil {
		return store.SiteSpace{}, duplicateSpaceError(field)
	}
	if len(p.Spaces) >= maxSiteParts {
		return store.SiteSpace{}, api.WrongState("A site has at most %d site spaces.", maxSiteParts)
	}
	siblings := p.SpacesOf(section)
	order, err := store.OrderKeyAmong(siblings, txn.Position{})
	if err != nil {
		return store.SiteSpace{}, err
	}
	made := store.SiteSpace{
		ID: tx.NewID(siteSpacePrefix), Section: section, Space: space.ID, Order: order, Default: len(siblings) == 0,
		Path: revision.UniqueSlug(content.Slug(space.Title), func(path string) bool { return p.SpacePathTaken(section, path, nil) }),
	}
	p.Spaces = append(p.Spaces, made)
	return made, nil
}

func duplicateSpaceError(field string) error {
	return api.InvalidField(field, "is shown there already: a section has a space once")
}

func (s *Service) listSiteSpaces(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListSiteSpacesInput,
) rest.Finish[api.Page[api.SiteSpace]] {
	wanted, filtered := in.Default.Get()
	w := r.NewPager(in.ListOptions, false, fmt.Sprint(filtered, wanted))
	return listParts[store.SiteSpace, api.SiteSpace](r, s, b, in.Site, w, partList[store.SiteSpace]{
		parts: func(v *view.Site) []store.SiteSpace {
			return slices.DeleteFunc(slices.Clone(v.Spaces), func(p store.SiteSpace) bool { return filtered && p.Default != wanted })
		},
		sortKey: func(v *view.Site, p store.SiteSpace) string { return v.Document.Private.SpaceSortKey(p) },
		spaces:  func(_ *view.Site, p store.SiteSpace) []store.SiteSpace { return []store.SiteSpace{p} },
		encode:  (*view.Site).SiteSpace,
	})
}

func (s *Service) createSiteSpace(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateSiteSpaceInput,
) (none rest.Result[api.SiteSpace], err error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	section := in.Body.SectionID
	if section == "" {
		section = d.Private.DefaultSection()
	} else if d.Private.Section(section) == nil {
		return none, api.InvalidField("sectionId", "is not a section of this site")
	}
	space, err := s.checkMayShow(c, tx, "spaceId", in.Body.SpaceID)
	if err != nil {
		return none, err
	}
	made, err := addSiteSpace(tx, &d, section, space.Fields, "spaceId")
	if err != nil {
		return none, err
	}
	c.Note("space", made.Space)
	result, err := putPart[api.SiteSpace](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSpace, ID: made.ID})
	return result.WithLocation(made.ID, s.View.SiteURL(c.Org, in.Site)+"/site-spaces/"+made.ID), err
}

func (s *Service) updateSiteSpace(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSiteSpaceInput,
) (none rest.Result[api.SiteSpace], err error) {
	d, shown, err := loadSiteSpace(c, tx, in.SiteSpaceRef)
	if err != nil {
		return none, err
	}
	if err := checkCondition(d, in.Body.Condition); err != nil {
		return none, err
	}
	if path, ok := in.Body.Path.Get(); ok {
		if d.Private.SpacePathTaken(shown.Section, path, shown) {
			return none, api.InvalidField("path", "is that of another site space or section at this level")
		}
	}
	if id, ok := in.Body.SpaceID.Get(); ok && id != shown.Space {
		if _, err := s.checkMayShow(c, tx, "spaceId", id); err != nil {
			return none, err
		}
		if d.Private.SpaceIn(shown.Section, id) != nil {
			return none, duplicateSpaceError("spaceId")
		}
	}
	changed := in.Body.Path.Apply(&shown.Path)
	changed = in.Body.Condition.ApplyNull(&shown.Condition) || changed
	before := shown.Space
	changed = in.Body.SpaceID.Apply(&shown.Space) || changed
	c.NoteChange("space", before, shown.Space)
	if !changed {
		return showPart[api.SiteSpace](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSpace, ID: in.SiteSpace})
	}
	return putPart[api.SiteSpace](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSpace, ID: in.SiteSpace})
}

// deleteSiteSpace removes a space from a site. The last space of a section cannot be removed.
func (s *Service) deleteSiteSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SiteSpaceRef) (rest.Result[api.None], error) {
	d, shown, err := loadSiteSpace(c, tx, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	if err := checkNotLast(&d.Private, shown.Section); err != nil {
		return rest.Result[api.None]{}, err
	}
	d.Private.RemoveSpace(*shown)
	return rest.None(in.SiteSpace), putSite(c, tx, &d)
}

// RemoveFromSite removes a purged space from a site. A section whose only space it was remains empty. The transaction calls
// guard first and fails with its error.
func (s *Service) RemoveFromSite(ctx context.Context, org, site, space string, guard func(tx *store.Tx) error) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := guard(tx); err != nil {
			return err
		}
		d, err := tx.Site(org, site)
		if err != nil || d.Version == 0 {
			return err
		}
		for _, shown := range slices.Clone(d.Private.Spaces) {
			if shown.Space == space {
				d.Private.RemoveSpace(shown)
			}
		}
		_, err = tx.PutSite(org, d)
		return err
	})
}

// checkNotLast returns an error for the last site space of a section.
func checkNotLast(p *store.SitePrivate, section string) error {
	if section == "" || len(p.SpacesOf(section)) > 1 {
		return nil
	}
	return api.WrongState("It is the only site space of the section %s.", section).WithHint("Delete the section instead.")
}

func (s *Service) moveSiteSpace(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.MoveSiteSpaceInput,
) (none rest.Result[api.SiteSpace], err error) {
	d, _, err := loadSiteSpace(c, tx, in.SiteSpaceRef)
	if err != nil {
		return none, err
	}
	position := api.SitePosition{}
	if pointer := in.Body.Position.Before; pointer != nil {
		position.Before = &api.SitePointer{Type: api.PointerSiteSpace, ID: pointer.SiteSpace}
	}
	if pointer := in.Body.Position.After; pointer != nil {
		position.After = &api.SitePointer{Type: api.PointerSiteSpace, ID: pointer.SiteSpace}
	}
	if err := moveSitePart(&d.Private, api.SitePointer{Type: api.PointerSiteSpace, ID: in.SiteSpace}, position); err != nil {
		return none, err
	}
	return putPart[api.SiteSpace](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSpace, ID: in.SiteSpace})
}

// moveSpaceInSite moves a site space next to others and into their section, or to the end of its own list if there
// are none.
func moveSpaceInSite(p *store.SitePrivate, id, before, after string) error {
	shown := p.Space(id)
	section := shown.Section
	if near := cmp.Or(before, after); near != "" {
		section = p.Space(near).Section
	}
	order, err := orderBetween(p.SpacesOf(section), id, before, after)
	if err != nil {
		return err
	}
	if section != shown.Section {
		return changeSection(p, *shown, section, order)
	}
	shown.Order = order
	return nil
}

// changeSection moves a site space to another section. If it was the default of its section, the next one becomes the default.
func changeSection(p *store.SitePrivate, shown store.SiteSpace, section, order string) error {
	if p.SpaceIn(section, shown.Space) != nil {
		return duplicateSpaceError("position")
	}
	if err := checkNotLast(p, shown.Section); err != nil {
		return err
	}
	p.RemoveSpace(shown)
	shown.Section, shown.Order, shown.Default = section, order, false
	shown.Path = revision.UniqueSlug(shown.Path, func(path string) bool { return p.SpacePathTaken(section, path, nil) })
	p.Spaces = append(p.Spaces, shown)
	return nil
}

// loadSiteSpace reads the site and site space of the path.
func loadSiteSpace(c *rest.Call, tx *store.Tx, in api.SiteSpaceRef) (store.SiteDocument, *store.SiteSpace, error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return d, nil, err
	}
	shown := d.Private.Space(in.SiteSpace)
	if shown == nil {
		return d, nil, api.NotFound()
	}
	c.Note("space", shown.Space)
	return d, shown, nil
}
