package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// spaceLoader reads spaces: outside a transaction or inside one.
type spaceLoader func(ids []string) (map[string]storedSpace, error)

func (s *Server) loadOutside(ctx context.Context, c *call) spaceLoader {
	return func(ids []string) (map[string]storedSpace, error) { return s.storedSpaces(ctx, c, ids) }
}

func loadInside(c *call, tx *store.Tx) spaceLoader {
	return func(ids []string) (map[string]storedSpace, error) {
		var keys []redis.Key
		for _, id := range ids {
			keys = append(keys, store.SpaceKey(c.org, id), store.HeadsKey(c.org).Field(id), store.CountsKey(c.org).Field(id))
		}
		if err := tx.Prefetch(keys...); err != nil {
			return nil, err
		}
		found := make(map[string]storedSpace, len(ids))
		for _, id := range ids {
			_, state, err := loadSpace(c, tx, id)
			if _, gone := api.AsError(err); gone {
				continue
			}
			if err != nil {
				return nil, err
			}
			record, _, err := tx.Record(store.SpaceKey(c.org, id))
			if err != nil {
				return nil, err
			}
			found[id] = storedSpace{record, state}
		}
		return found, nil
	}
}

// showSite writes out parts of a site: pick says which spaces they show, which are read, and show writes.
func (s *Server) showSite(c *call, d store.SiteDocument, load spaceLoader, pick func(*siteView) []store.SiteSpace, show func(*siteView)) error {
	var ids []string
	c.withShape(func(sh *access.Model) {
		for _, space := range pick(s.siteView(c, sh, d)) {
			ids = append(ids, space.Space)
		}
	})
	slices.Sort(ids)
	found, err := load(slices.Compact(ids))
	if err != nil {
		return err
	}
	c.withShape(func(sh *access.Model) {
		v := s.siteView(c, sh, d)
		v.stored = found
		show(v)
		err = v.err
	})
	return err
}

// part answers one part of a site as the transaction leaves it. find returns it, nil where it is not for the caller.
func part[T any](s *Server, c *call, tx *store.Tx, d store.SiteDocument, pick func(*siteView) []store.SiteSpace, write func(*siteView) *object) (result Result[T], err error) {
	err2 := s.showSite(c, d, loadInside(c, tx), pick, func(v *siteView) {
		if o := write(v); o == nil {
			err = api.NotFound()
		} else {
			result, err = stored[T](o)
		}
	})
	return result.versioned(fmt.Sprint(d.Version)), errors.Join(err, err2)
}

func (s *Server) getSiteStructure(ctx context.Context, c *call, b *store.Batch, in api.SiteVisit) finish[api.SiteStructure] {
	site := b.Record(store.SiteKey(c.org, in.Site))
	return func(ctx context.Context) (result Result[api.SiteStructure], err error) {
		d, err := decodeSite(site)
		if err != nil {
			return result, err
		}
		err2 := s.showSite(c, d, s.loadOutside(ctx, c), (*siteView).all, func(v *siteView) {
			result, err = stored[api.SiteStructure](v.structure())
		})
		return result.versioned(fmt.Sprint(d.Version)), errors.Join(err, err2)
	}
}

func (v *siteView) all() []store.SiteSpace { return v.spaces }

func (s *Server) getSitePublished(ctx context.Context, c *call, b *store.Batch, in api.SiteVisit) finish[api.PublishedSite] {
	site := b.Record(store.SiteKey(c.org, in.Site))
	return func(ctx context.Context) (result Result[api.PublishedSite], err error) {
		d, err := decodeSite(site)
		if err != nil {
			return result, err
		}
		err2 := s.showSite(c, d, s.loadOutside(ctx, c), (*siteView).all, func(v *siteView) {
			result, err = stored[api.PublishedSite](objectOf(struct{}{}).
				set("object", "published-content-site").
				set("site", v.raw(v.site())).
				set("structure", v.raw(v.structure())).
				set("customizations", api.SiteCustomizations{
					Site: api.SiteCustomization{Title: d.Fields.Title, Icon: d.Fields.Icon}, SiteSpaces: map[string]api.SiteCustomization{},
				}).
				set("scripts", []json.RawMessage{}))
		})
		return result.versioned(fmt.Sprint(d.Version)), errors.Join(err, err2)
	}
}

// sortSiteStructure moves a part of any kind.
func (s *Server) sortSiteStructure(ctx context.Context, c *call, tx *store.Tx, in api.SortSiteStructureInput) (Result[api.SiteStructureItem], error) {
	item := in.Body.Item
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return Result[api.SiteStructureItem]{}, err
	}
	if !isPart(&d.Private, item) {
		return Result[api.SiteStructureItem]{}, api.InvalidField("item", "is not a %s of this site", item.Type)
	}
	if err := sortSite(&d.Private, item, in.Body.Position); err != nil {
		return Result[api.SiteStructureItem]{}, err
	}
	switch item.Type {
	case api.PointerSiteSpace:
		return putSiteSpace[api.SiteStructureItem](s, c, tx, d, item.ID)
	case api.PointerSiteSectionGroup:
		return putSiteGroup[api.SiteStructureItem](s, c, tx, d, item.ID)
	case api.PointerSiteSection:
	}
	return putSiteSection[api.SiteStructureItem](s, c, tx, d, item.ID)
}

// sortSite moves a part of a site to a position.
func sortSite(p *store.SitePrivate, item api.SitePointer, position api.SitePosition) error {
	before, err := sortNeighbour(p, item, "position.before", position.Before)
	if err != nil {
		return err
	}
	after, err := sortNeighbour(p, item, "position.after", position.After)
	if err != nil {
		return err
	}
	switch item.Type {
	case api.PointerSiteSpace:
		return moveSpaceInSite(p, item.ID, before, after)
	case api.PointerSiteSectionGroup:
		return moveGroup(p, item.ID, before, after)
	case api.PointerSiteSection:
	}
	return moveSection(p, item.ID, before, after)
}

// sortNeighbour is the id that a pointer of a position names, "" without a pointer. Sections and groups stand among
// each other, site spaces among themselves.
func sortNeighbour(p *store.SitePrivate, item api.SitePointer, field string, pointer *api.SitePointer) (string, error) {
	switch {
	case pointer == nil:
		return "", nil
	case *pointer == item:
		return "", api.InvalidField(field, "is what is to be moved")
	case !isPart(p, *pointer):
		return "", api.InvalidField(field, "is not a %s of this site", pointer.Type)
	case (item.Type == api.PointerSiteSpace) != (pointer.Type == api.PointerSiteSpace):
		return "", api.InvalidField(field, "must not be a %s: a %s does not stand beside one", pointer.Type, item.Type)
	}
	return pointer.ID, nil
}

func isPart(p *store.SitePrivate, pointer api.SitePointer) bool {
	switch pointer.Type {
	case api.PointerSiteSpace:
		return p.Space(pointer.ID) != nil
	case api.PointerSiteSection:
		return p.Section(pointer.ID) != nil
	case api.PointerSiteSectionGroup:
		return p.Group(pointer.ID) != nil
	}
	return false
}

// siblingAt is the order key for a part that is put among siblings, before and after those with the ids given. Where
// it stands there already, that is a conflict.
func siblingAt(siblings []string, self, before, after string) (string, error) {
	at := store.Position{Before: memberOf(siblings, before), After: memberOf(siblings, after), Self: memberOf(siblings, self)}
	if before != "" && at.Before == "" || after != "" && at.After == "" {
		return "", api.InvalidField("position", "names two that do not stand in the same place")
	}
	if at.Self != "" && alreadyThere(siblings, at.Self, at) {
		return "", unmoved()
	}
	order, err := store.PlaceAmong(siblings, at)
	return order, moveError(err)
}

// memberOf finds the member of an order by its id.
func memberOf(siblings []string, id string) string {
	for _, member := range siblings {
		if _, has, _ := store.SplitMember(member); id != "" && has == id {
			return member
		}
	}
	return ""
}
