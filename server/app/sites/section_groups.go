package sites

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteSectionGroupEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSiteSectionGroups, auth.InSite(api.RoleRead), s.listSiteSectionGroups),
		rest.Write(api.CreateSiteSectionGroup, auth.InSite(api.RoleCreate), s.createSiteSectionGroup).On(rest.Site),
		rest.Write(api.UpdateSiteSectionGroup, auth.InSite(api.RoleCreate), s.updateSiteSectionGroup).On(rest.Site),
		rest.Write(api.DeleteSiteSectionGroup, auth.InSite(api.RoleCreate),
			s.deleteSiteSectionGroup).On(rest.Site).AllowAbsent(auth.InSite(api.RoleCreate)),
	}
}

func (s *Service) listSiteSectionGroups(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListSiteSectionGroupsInput,
) rest.Finish[api.Page[api.SiteSectionGroup]] {
	w := r.NewPager(in.ListOptions, false)
	return listParts[store.SiteGroup, api.SiteSectionGroup](r, s, b, in.Site, w, partList[store.SiteGroup]{
		parts:   (*view.Site).Groups,
		sortKey: func(_ *view.Site, g store.SiteGroup) string { return txn.OrderMember(g.Order, g.Fields.ID) },
		spaces:  (*view.Site).InGroup,
		encode:  (*view.Site).Group,
	})
}

func (s *Service) createSiteSectionGroup(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateSiteSectionGroupInput,
) (none rest.Result[api.SiteSectionGroup], err error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	id := tx.NewID(groupPrefix)
	if err := addGroup(&d.Private, id, in.Body); err != nil {
		return none, err
	}
	result, err := putPart[api.SiteSectionGroup](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSectionGroup, ID: id})
	return result.WithLocation(id, s.View.SiteURL(c.Org, in.Site)+"/section-groups/"+id), err
}

// addGroup appends a group and moves the given sections into it.
func addGroup(p *store.SitePrivate, id string, body api.SiteSectionGroupCreate) error {
	if len(p.Groups) >= maxSiteParts {
		return api.WrongState("A site has at most %d section groups.", maxSiteParts)
	}
	order, err := store.OrderKeyAmong(p.SectionsOf(""), txn.Position{})
	if err != nil {
		return err
	}
	orders := txn.SpreadKeys(len(body.Sections))
	for i, wanted := range body.Sections {
		section := p.Section(wanted)
		field := fmt.Sprintf("sections[%d]", i)
		if section == nil {
			return api.InvalidField(field, "is not a section of this site")
		}
		if slices.Contains(body.Sections[:i], wanted) {
			return api.InvalidField(field, "is given twice")
		}
		section.Fields.SectionGroup, section.Order = id, orders[i]
	}
	icon, _ := body.Icon.Get()
	p.Groups = append(p.Groups, store.SiteGroup{Order: order, Fields: api.SiteSectionGroupFields{
		Object: "site-section-group", ID: id, Title: body.Title, Icon: icon,
	}})
	return nil
}

func (s *Service) updateSiteSectionGroup(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSiteSectionGroupInput,
) (rest.Result[api.SiteSectionGroup], error) {
	d, group, err := loadGroup(c, tx, in.SiteSectionGroupRef)
	if err != nil {
		return rest.Result[api.SiteSectionGroup]{}, err
	}
	changed := in.Body.Title.Apply(&group.Fields.Title)
	changed = in.Body.Icon.ApplyNull(&group.Fields.Icon) || changed
	if !changed {
		return showPart[api.SiteSectionGroup](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSectionGroup, ID: in.SiteSectionGroup})
	}
	return putPart[api.SiteSectionGroup](s, c, tx, d, api.SitePointer{Type: api.PointerSiteSectionGroup, ID: in.SiteSectionGroup})
}

// deleteSiteSectionGroup deletes a group. Its sections are appended to those without a group.
func (s *Service) deleteSiteSectionGroup(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.SiteSectionGroupRef,
) (rest.Result[api.None], error) {
	d, group, err := loadGroup(c, tx, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	for _, member := range d.Private.SectionsOf(group.Fields.ID) {
		_, id, _ := txn.SplitOrderMember(member)
		order, err := store.OrderKeyAmong(d.Private.SectionsOf(""), txn.Position{})
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		section := d.Private.Section(id)
		section.Fields.SectionGroup, section.Order = "", order
	}
	gone := group.Fields.ID
	d.Private.Groups = slices.DeleteFunc(d.Private.Groups, func(g store.SiteGroup) bool { return g.Fields.ID == gone })
	return rest.None(in.SiteSectionGroup), putSite(c, tx, &d)
}

// moveGroup moves a group next to other groups or to sections without a group.
func moveGroup(p *store.SitePrivate, id, before, after string) error {
	order, err := orderBetween(p.SectionsOf(""), id, before, after)
	if err != nil {
		return err
	}
	p.Group(id).Order = order
	return nil
}

// loadGroup reads the site and section group of the path.
func loadGroup(c *rest.Call, tx *store.Tx, in api.SiteSectionGroupRef) (store.SiteDocument, *store.SiteGroup, error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return d, nil, err
	}
	group := d.Private.Group(in.SiteSectionGroup)
	if group == nil {
		return d, nil, api.NotFound()
	}
	return d, group, nil
}
