package sites

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// putPart writes a site, and answers one of its parts.
func putPart[T any](s *Service, c *rest.Call, tx *store.Tx, d store.SiteDocument, part api.SitePointer) (rest.Result[T], error) {
	if err := putSite(c, tx, &d); err != nil {
		return rest.Result[T]{}, err
	}
	result, err := showPart[T](s, c, tx, d, part)
	result.Unchanged = false
	return result, err
}

// showPart answers one part of a site that does not change, as the transaction leaves it.
func showPart[T any](s *Service, c *rest.Call, tx *store.Tx, d store.SiteDocument, part api.SitePointer) (result rest.Result[T], err error) {
	spaces := func(v *view.Site) []store.SiteSpace { return spacesOf(v, part) }
	err = s.showSite(c, d, loadInside(c, tx), spaces, func(v *view.Site) (err error) {
		o := partObject(v, part)
		if o == nil {
			return api.NotFound()
		}
		result, err = rest.Stored[T](o)
		return err
	})
	result.ID, result.Unchanged = part.ID, true
	return result.Versioned(fmt.Sprint(d.Version)), err
}

// spacesOf are the site spaces that a part shows.
func spacesOf(v *view.Site, part api.SitePointer) []store.SiteSpace {
	switch part.Type {
	case api.PointerSiteSection:
		return v.In(part.ID)
	case api.PointerSiteSectionGroup:
		return v.InGroup(*v.D.Private.Group(part.ID))
	case api.PointerSiteSpace:
	}
	return slices.DeleteFunc(slices.Clone(v.Spaces), func(p store.SiteSpace) bool { return p.ID != part.ID })
}

// partObject writes out a part; nil where it is not for the caller.
func partObject(v *view.Site, part api.SitePointer) *rest.Object {
	switch part.Type {
	case api.PointerSiteSection:
		at := slices.IndexFunc(v.Sections, func(s store.SiteSection) bool { return s.Fields.ID == part.ID })
		if at < 0 {
			return nil
		}
		return v.Section(v.Sections[at])
	case api.PointerSiteSectionGroup:
		return v.Group(*v.D.Private.Group(part.ID))
	case api.PointerSiteSpace:
	}
	shown := spacesOf(v, part)
	if len(shown) != 1 {
		return nil
	}
	return v.SiteSpace(shown[0])
}
