package spaces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Deleted entries go to the trash: they are hidden with their contents and can be restored for seven days. Only the
// record of the deleted entry changes. The contents of a collection stay below it, so that they are restored
// unchanged.

func (s *Service) deleteSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceRef) (none rest.Result[api.None], err error) {
	space, state, err := LoadSpace(c, tx, in.Space)
	if err != nil {
		return none, err
	}
	taken, err := s.deletedWithSpace(ctx, c, in.Space, state)
	if err != nil {
		return none, err
	}
	deletedAt, err := trashEntry(c, tx, in.Space, &space.Private, func() { tx.TrashSpace(space) })
	if err != nil {
		return none, err
	}
	space.Fields.DeletedAt = deletedAt
	removal := api.Removal{ID: in.Space, Title: space.Fields.Title, With: taken, RestoreUntil: api.At(deletedAt.Add(store.TrashTime))}
	_, err = tx.PutSpace(space)
	return rest.Removed(removal), err
}

// trashEntry removes a space or collection from its order and marks it as deleted. The deadline for restoring is
// based on the time of Redis, so that a wrong clock cannot shorten it.
func trashEntry(c *rest.Call, tx *store.Tx, id string, p *store.EntryPrivate, leave func()) (deletedAt api.Time, err error) {
	now, err := tx.Time()
	if err != nil {
		return deletedAt, err
	}
	leave()
	p.Trashed = &store.TrashRecord{By: c.Caller.User, Order: p.Order}
	p.Order = ""
	c.Access(func(model *access.Model) { p.Trashed.Level = model.EffectiveLevel(id) })
	return api.At(now), nil
}

// deletedWithSpace describes the objects that are deleted with a space.
func (s *Service) deletedWithSpace(ctx context.Context, c *rest.Call, id string, state view.SpaceState) ([]api.Taken, error) {
	var sites, seen []string
	c.Access(func(model *access.Model) {
		sites = model.SitesOf(id)
		for _, site := range sites {
			if model.SiteRole(c.Caller, site).AtLeast(api.RoleRead) {
				seen = append(seen, site)
			}
		}
	})
	named, err := s.ReadTitles(ctx, c, seen, func(id string) redis.Key { return store.SiteKey(c.Org, id) })
	if err != nil {
		return nil, err
	}
	pages, err := s.countPages(ctx, id, state.Head)
	return append(pages,
		api.NewTaken("change-requests", state.Requests()), api.NewTaken("open-comments", state.Comments()),
		api.NewTaken("sites", len(sites), named...),
	), err
}

// countPages counts the pages of a space, including groups and links. It returns nothing if the content cannot be
// read, which does not prevent the deletion of the space.
func (s *Service) countPages(ctx context.Context, id string, head store.Head) ([]api.Taken, error) {
	t, err := s.Revisions.Tree(ctx, s.Store.Content(id), head.Pages)
	if _, damaged := objects.AsUnreadable(err); damaged || errors.Is(err, objects.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", id, err)
	}
	return []api.Taken{api.NewTaken("pages", t.Count)}, nil
}

// deleteCollection moves a collection with its contents to the trash. The numbers of children are added to the read
// set, so that an entry added since they were counted fails the commit.
func (s *Service) deleteCollection(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CollectionRef) (none rest.Result[api.None],
	err error,
) {
	below, err := s.contentsOf(c, in.Collection)
	if err != nil {
		return none, err
	}
	collections := []string{in.Collection}
	for _, id := range below {
		if !access.IsSpace(id) && len(collections) < maxCheckedCollections {
			collections = append(collections, id)
		}
	}
	if err := s.checkAllChildrenUnchanged(c, tx, collections); err != nil {
		return none, err
	}
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	taken, err := s.deletedWithCollection(ctx, c, below)
	if err != nil {
		return none, err
	}
	deletedAt, err := trashEntry(c, tx, in.Collection, &collection.Private, func() { tx.TrashCollection(collection) })
	if err != nil {
		return none, err
	}
	collection.Fields.DeletedAt = deletedAt
	removal := api.Removal{
		ID: in.Collection, Title: collection.Fields.Title, With: taken, RestoreUntil: api.At(deletedAt.Add(store.TrashTime)),
	}
	_, err = tx.PutCollection(collection)
	return rest.Removed(removal), err
}

// maxCheckedCollections is the maximum number of collections whose children a deletion adds to its read set. Entries
// added to others are deleted with them but not counted.
const maxCheckedCollections = 300

// contentsOf returns the ids of the entries below a collection. It returns an error if one of them is being
// transferred.
func (s *Service) contentsOf(c *rest.Call, collection string) (ids []string, err error) {
	c.Access(func(model *access.Model) {
		ids = model.Descendants(collection)
		if slices.ContainsFunc(append([]string{collection}, ids...), func(id string) bool { return model.Entry(id).Moving }) {
			err = txn.ErrBusy
		}
	})
	return ids, err
}

// checkAllChildrenUnchanged calls checkChildrenUnchanged for several collections, after one read of all their counts.
func (s *Service) checkAllChildrenUnchanged(c *rest.Call, tx *store.Tx, collections []string) error {
	keys := make([]redis.Key, len(collections))
	for i, id := range collections {
		keys[i] = store.ChildrenKey(c.Org, id)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, id := range collections {
		if err := s.checkChildrenUnchanged(c, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// deletedWithCollection counts the objects that are deleted with a collection and names those that the caller may
// see.
func (s *Service) deletedWithCollection(ctx context.Context, c *rest.Call, below []string) ([]api.Taken, error) {
	spaces, collections := splitKinds(below)
	var seen []string
	c.Access(func(model *access.Model) {
		for _, id := range below {
			if model.Role(c.Caller, id).AtLeast(api.RoleRead) {
				seen = append(seen, id)
			}
		}
	})
	named, err := s.ReadTitles(ctx, c, seen, func(id string) redis.Key { return store.EntryKey(c.Org, id) })
	if err != nil {
		return nil, err
	}
	isCollection := func(t api.TakenThing) bool { return !access.IsSpace(t.ID) }
	isSpace := func(t api.TakenThing) bool { return access.IsSpace(t.ID) }
	return []api.Taken{
		api.NewTaken("collections", len(collections), slices.DeleteFunc(slices.Clone(named), isSpace)...),
		api.NewTaken("spaces", len(spaces), slices.DeleteFunc(slices.Clone(named), isCollection)...),
	}, nil
}

func splitKinds(ids []string) (spaces, collections []string) {
	for _, id := range ids {
		if access.IsSpace(id) {
			spaces = append(spaces, id)
		} else {
			collections = append(collections, id)
		}
	}
	return spaces, collections
}

// nameBatch is the number of records that ReadTitles reads in one trip.
const nameBatch = 500

// ReadTitles returns the ids and titles of spaces, collections or sites. It returns nil for a write that is not a dry run.
func (s *Service) ReadTitles(ctx context.Context, c *rest.Call, ids []string, key func(id string) redis.Key) (named []api.TakenThing,
	err error,
) {
	if c.Endpoint.Row.Writes() && !c.DryRun {
		return nil, nil
	}
	for page := range slices.Chunk(ids, nameBatch) {
		records, err := rest.ReadRecords(ctx, s.Store, page, key)
		if err != nil {
			return nil, err
		}
		for _, id := range page {
			var d store.CollectionDocument // the title is the same member in all kinds
			if r, there := records[id]; there {
				if err := d.Decode(r); err != nil {
					return nil, err
				}
				named = append(named, api.TakenThing{ID: id, Title: cmp.Or(d.Fields.Title, defaultSpaceTitle)})
			}
		}
	}
	return named, nil
}

// PinLevel stores the effective level of a deleted space or collection that it inherits from a collection which
// leaves the organization, so that it is not more widely visible when it is restored.
func PinLevel(known *txn.Feed, tx *store.Tx, org, id string) error {
	var level *api.Level
	own := false
	access.View(known, func(model *access.Model) { level, own = model.DefaultLevel(id) })
	if !own {
		return nil
	}
	if access.IsSpace(id) {
		space, err := tx.Space(org, id)
		if err != nil || space.Version == 0 {
			return err
		}
		space.Fields.DefaultLevel = level
		_, err = tx.PutSpace(space)
		return err
	}
	collection, err := tx.Collection(org, id)
	if err != nil || collection.Version == 0 {
		return err
	}
	collection.Fields.DefaultLevel = level
	_, err = tx.PutCollection(collection)
	return err
}
