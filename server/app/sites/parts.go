package sites

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// putPart stores a site and returns the response with one of its parts.
func putPart[T any](s *Service, c *rest.Call, tx *store.Tx, d store.SiteDocument, part api.SitePointer) (rest.Result[T], error) {
	if err := putSite(c, tx, &d); err != nil {
		return rest.Result[T]{}, err
	}
	result, err := showPart[T](s, c, tx, d, part)
	result.Unchanged = false
	return result, err
}

// showPart returns the response with one part of an unchanged site, as visible in the transaction.
func showPart[T any](
	s *Service, c *rest.Call, tx *store.Tx, d store.SiteDocument, part api.SitePointer,
) (result rest.Result[T], err error) {
	spaces := func(v *view.Site) []store.SiteSpace { return partSpaces(v, part) }
	err = s.viewSite(c, d, spacesFromTx(c, tx), spaces, func(v *view.Site) (err error) {
		o := encodePart(v, part)
		if o == nil {
			return api.NotFound()
		}
		result, err = rest.ObjectResult[T](o)
		return err
	})
	result.ID, result.Unchanged = part.ID, true
	return result.WithVersion(fmt.Sprint(d.Version)), err
}

// partSpaces returns the site spaces of a part.
func partSpaces(v *view.Site, part api.SitePointer) []store.SiteSpace {
	switch part.Type {
	case api.PointerSiteSection:
		return v.SpacesIn(part.ID)
	case api.PointerSiteSectionGroup:
		return v.InGroup(*v.Document.Private.Group(part.ID))
	case api.PointerSiteSpace:
	}
	return slices.DeleteFunc(slices.Clone(v.Spaces), func(p store.SiteSpace) bool { return p.ID != part.ID })
}

// encodePart returns the JSON of a part, or nil if the caller may not see it.
func encodePart(v *view.Site, part api.SitePointer) *rest.Object {
	switch part.Type {
	case api.PointerSiteSection:
		at := slices.IndexFunc(v.Sections, func(s store.SiteSection) bool { return s.Fields.ID == part.ID })
		if at < 0 {
			return nil
		}
		return v.Section(v.Sections[at])
	case api.PointerSiteSectionGroup:
		return v.Group(*v.Document.Private.Group(part.ID))
	case api.PointerSiteSpace:
	}
	shown := partSpaces(v, part)
	if len(shown) != 1 {
		return nil
	}
	return v.SiteSpace(shown[0])
}
