package spaces

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// listTrash lists the entries that the caller may restore, the last deleted first. The contents of a deleted
// collection are not listed separately.
func (s *Service) listTrash(ctx context.Context, c *rest.Call, in api.ListTrashInput) (none rest.Result[api.Page[api.TrashItem]],
	err error,
) {
	w := c.NewPager(in.ListOptions, true)
	if w.Err != nil {
		return none, w.Err
	}
	since := s.Store.Now().Add(-store.TrashTime).UnixMilli()
	var page []string
	var count int
	var next string
	c.Access(func(model *access.Model) {
		var members []string
		for _, id := range model.Trash() {
			n := model.Entry(id)
			if n.Deleted > since && model.Role(c.Caller, id).AtLeast(api.RoleCreate) {
				members = append(members, fmt.Sprintf("%015d-%s", n.Deleted, id))
			}
		}
		slices.SortFunc(members, rest.NewestFirst)
		count = len(members)
		page, next = w.Slice(members, rest.NewestFirst)
	})
	for i, member := range page {
		_, page[i], _ = strings.Cut(member, "-")
	}
	records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.EntryKey(c.Org, id) })
	if err != nil {
		return none, err
	}
	var items [][]byte
	for _, id := range page {
		r, there := records[id]
		if !there {
			continue
		}
		item, err := s.encodeTrashItem(ctx, c, id, r)
		if err != nil {
			return none, err
		}
		items = append(items, item)
	}
	return rest.PageOf[api.TrashItem](items, count, next)
}

// encodeTrashItem returns the JSON of an entry in the trash.
func (s *Service) encodeTrashItem(ctx context.Context, c *rest.Call, id string, r txn.Record) ([]byte, error) {
	var d store.CollectionDocument // the decoded members are common to spaces and collections
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%s in the trash: %w", id, err)
	}
	item := api.TrashItem{
		Object: "trash-item", Kind: api.TrashCollection, ID: id, Title: d.Fields.Title, Parent: d.Fields.Parent,
		DeletedAt: d.Fields.DeletedAt, RestoreUntil: api.At(d.Fields.DeletedAt.Add(store.TrashTime)), Holds: []api.Taken{},
		URLs: api.LocationURLs{Location: s.collectionURL(id)},
	}
	if access.IsSpace(id) {
		item.Kind, item.URLs.Location = api.TrashSpace, s.View.SpaceURL(id)
	} else {
		var below []string
		c.Access(func(model *access.Model) { below = model.Descendants(id) })
		taken, err := s.deletedWithCollection(ctx, c, below)
		if err != nil {
			return nil, err
		}
		item.Holds = api.Counts(taken...)
	}
	item.Contents = api.Removal{With: item.Holds}.Header()
	o := rest.ObjectOf(item)
	if how := d.Private.Trashed; how != nil {
		c.Access(func(model *access.Model) { o.Set("deletedBy", s.View.Person(model, how.By)) })
	}
	return o.Bytes()
}
