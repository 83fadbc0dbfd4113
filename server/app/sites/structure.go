package sites

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// spaceLoader reads spaces by id, from the store or in a transaction.
type spaceLoader func(ids []string) (map[string]view.StoredSpace, error)

func (s *Service) spacesFromStore(ctx context.Context, c *rest.Call) spaceLoader {
	return func(ids []string) (map[string]view.StoredSpace, error) { return s.View.ReadSpaces(ctx, c, ids) }
}

func spacesFromTx(c *rest.Call, tx *store.Tx) spaceLoader {
	return func(ids []string) (map[string]view.StoredSpace, error) {
		var keys []redis.Key
		for _, id := range ids {
			keys = append(keys, store.SpaceKey(c.Org, id), store.HeadsKey(c.Org).Field(id), txn.CountsKey(c.Org).Field(id))
		}
		if err := tx.Prefetch(keys...); err != nil {
			return nil, err
		}
		found := make(map[string]view.StoredSpace, len(ids))
		for _, id := range ids {
			_, state, err := spaces.LoadSpace(c, tx, id)
			if _, gone := api.AsError(err); gone {
				continue
			}
			if err != nil {
				return nil, err
			}
			record, _, err := tx.Record(store.SpaceKey(c.Org, id))
			if err != nil {
				return nil, err
			}
			found[id] = view.StoredSpace{Record: record, State: state}
		}
		return found, nil
	}
}

// viewSite calls show with the view of a site. pick returns the site spaces of the shown parts, which are read
// before.
func (s *Service) viewSite(c *rest.Call, d store.SiteDocument, load spaceLoader, pick func(*view.Site) []store.SiteSpace,
	show func(*view.Site) error,
) error {
	var ids []string
	c.Access(func(model *access.Model) {
		for _, space := range pick(s.View.NewSite(c, model, d)) {
			ids = append(ids, space.Space)
		}
	})
	slices.Sort(ids)
	found, err := load(slices.Compact(ids))
	if err != nil {
		return err
	}
	c.Access(func(model *access.Model) {
		v := s.View.NewSite(c, model, d)
		v.Stored = found
		if err = show(v); err == nil {
			err = v.Err
		}
	})
	return err
}

func (s *Service) getSiteStructure(ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteVisit) rest.Finish[api.SiteStructure] {
	site := b.Record(store.SiteKey(r.Org, in.Site))
	return func(ctx context.Context, c *rest.Call) (result rest.Result[api.SiteStructure], err error) {
		d, err := decodeSite(site)
		if err != nil {
			return result, err
		}
		err = s.viewSite(c, d, s.spacesFromStore(ctx, c), (*view.Site).AllSpaces, func(v *view.Site) (err error) {
			result, err = rest.ObjectResult[api.SiteStructure](v.Structure())
			return err
		})
		return result.WithVersion(fmt.Sprint(d.Version)), err
	}
}

func (s *Service) getSitePublished(ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteVisit) rest.Finish[api.PublishedSite] {
	site := b.Record(store.SiteKey(r.Org, in.Site))
	return func(ctx context.Context, c *rest.Call) (result rest.Result[api.PublishedSite], err error) {
		d, err := decodeSite(site)
		if err != nil {
			return result, err
		}
		err = s.viewSite(c, d, s.spacesFromStore(ctx, c), (*view.Site).AllSpaces, func(v *view.Site) (err error) {
			result, err = rest.ObjectResult[api.PublishedSite](rest.ObjectOf(struct{}{}).
				Set("object", "published-content-site").
				Set("site", v.Nested(v.Object())).
				Set("structure", v.Nested(v.Structure())).
				Set("customizations", api.SiteCustomizations{
					Site: visibleCustomization(v), SiteSpaces: map[string]api.SiteCustomization{},
				}).
				Set("scripts", []json.RawMessage{}))
			return err
		})
		return result.WithVersion(fmt.Sprint(d.Version)), err
	}
}

// sortSiteStructure moves a section, group or site space.
func (s *Service) sortSiteStructure(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.SortSiteStructureInput,
) (rest.Result[api.SiteStructureItem], error) {
	item := in.Body.Item
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return rest.Result[api.SiteStructureItem]{}, err
	}
	if !isPart(&d.Private, item) {
		return rest.Result[api.SiteStructureItem]{}, api.InvalidField("item", "is not a %s of this site", item.Type)
	}
	if err := moveSitePart(&d.Private, item, in.Body.Position); err != nil {
		return rest.Result[api.SiteStructureItem]{}, err
	}
	return putPart[api.SiteStructureItem](s, c, tx, d, item)
}

// moveSitePart moves a part of a site to a position.
func moveSitePart(p *store.SitePrivate, item api.SitePointer, position api.SitePosition) error {
	before, err := neighbourID(p, item, "position.before", position.Before)
	if err != nil {
		return err
	}
	after, err := neighbourID(p, item, "position.after", position.After)
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

// neighbourID returns the id in a pointer of a position, or "" without a pointer. It returns an error unless item and
// the neighbour can be siblings: sections and groups, or site spaces.
func neighbourID(p *store.SitePrivate, item api.SitePointer, field string, pointer *api.SitePointer) (string, error) {
	switch {
	case pointer == nil:
		return "", nil
	case *pointer == item:
		return "", api.InvalidField(field, "is the item to move")
	case !isPart(p, *pointer):
		return "", api.InvalidField(field, "is not a %s of this site", pointer.Type)
	case (item.Type == api.PointerSiteSpace) != (pointer.Type == api.PointerSiteSpace):
		return "", api.InvalidField(field, "must not be a %s: a %s is not a sibling of one", pointer.Type, item.Type)
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

// orderBetween returns the order key of a part between the siblings before and after. It returns a conflict if the
// part is already there.
func orderBetween(siblings []string, self, before, after string) (string, error) {
	at := txn.Position{Before: findSibling(siblings, before), After: findSibling(siblings, after), Self: findSibling(siblings, self)}
	if before != "" && at.Before == "" || after != "" && at.After == "" {
		return "", api.InvalidField("position", "names two that do not stand in the same place")
	}
	if at.Self != "" && spaces.IsAtPosition(siblings, at.Self, at) {
		return "", spaces.NotMovedError()
	}
	order, err := store.OrderKeyAmong(siblings, at)
	return order, spaces.MoveError(err)
}

// findSibling returns the member of an ordered list with an id.
func findSibling(siblings []string, id string) string {
	for _, member := range siblings {
		if _, has, _ := txn.SplitOrderMember(member); id != "" && has == id {
			return member
		}
	}
	return ""
}
