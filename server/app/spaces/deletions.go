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

// What is deleted goes to the trash: it and all that lies in it are hidden, and can be restored for seven days. One
// record decides. What lies in a collection stays below it, as it is, so that it comes back as it was.

func (s *Service) deleteSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceRef) (none rest.Result[api.None], err error) {
	space, state, err := Load(c, tx, in.Space)
	if err != nil {
		return none, err
	}
	taken, err := s.takenWithSpace(ctx, c, in.Space, state)
	if err != nil {
		return none, err
	}
	at, err := trashed(c, tx, in.Space, &space.Private, func() { tx.TrashSpace(space) })
	if err != nil {
		return none, err
	}
	space.Fields.DeletedAt = at
	removal := api.Removal{ID: in.Space, Title: space.Fields.Title, With: taken, RestoreUntil: api.At(at.Add(store.TrashTime))}
	_, err = tx.PutSpace(space)
	return rest.Removed(removal), err
}

// trashed takes a space or collection out of its order. How long it can be restored counts from the time of Redis: a
// clock that is wrong must not end it.
func trashed(c *rest.Call, tx *store.Tx, id string, p *store.EntryPrivate, leave func()) (at api.Time, err error) {
	now, err := tx.Time()
	if err != nil {
		return at, err
	}
	leave()
	p.Trashed = &store.Trashed{By: c.Caller.User, Order: p.Order}
	p.Order = ""
	c.Access(func(model *access.Model) { p.Trashed.Level = model.LevelHere(id) })
	return api.At(now), nil
}

// takenWithSpace is what goes with a space.
func (s *Service) takenWithSpace(ctx context.Context, c *rest.Call, id string, state view.SpaceState) ([]api.Taken, error) {
	var sites, seen []string
	c.Access(func(model *access.Model) {
		sites = model.SitesOf(id)
		for _, site := range sites {
			if model.SiteRole(c.Caller, site).AtLeast(api.RoleRead) {
				seen = append(seen, site)
			}
		}
	})
	named, err := s.Names(ctx, c, seen, func(id string) redis.Key { return store.SiteKey(c.Org, id) })
	if err != nil {
		return nil, err
	}
	pages, err := s.pagesOf(ctx, id, state.Head)
	return append(pages,
		api.NewTaken("change-requests", state.Requests()), api.NewTaken("open-comments", state.Comments()),
		api.NewTaken("sites", len(sites), named...),
	), err
}

// pagesOf counts the pages of a space, groups and links among them. Content that cannot be read keeps nobody from deleting
// the space: then nothing is said of its pages.
func (s *Service) pagesOf(ctx context.Context, id string, head store.Head) ([]api.Taken, error) {
	t, err := s.Revisions.Tree(ctx, s.Store.Content(id), head.Pages)
	if _, damaged := objects.AsUnreadable(err); damaged || errors.Is(err, objects.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", id, err)
	}
	return []api.Taken{api.NewTaken("pages", t.Count)}, nil
}

// deleteCollection puts a collection into the trash with all that lies in it. That nothing has entered since it was
// counted, the numbers of children in the read set make sure.
func (s *Service) deleteCollection(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CollectionRef) (none rest.Result[api.None], err error) {
	below, err := s.below(c, in.Collection)
	if err != nil {
		return none, err
	}
	collections := []string{in.Collection}
	for _, id := range below {
		if !access.IsSpace(id) && len(collections) < maxListed {
			collections = append(collections, id)
		}
	}
	if err := s.childrenListed(c, tx, collections); err != nil {
		return none, err
	}
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.Missing(err)
	}
	taken, err := s.takenWithCollection(ctx, c, below)
	if err != nil {
		return none, err
	}
	at, err := trashed(c, tx, in.Collection, &collection.Private, func() { tx.TrashCollection(collection) })
	if err != nil {
		return none, err
	}
	collection.Fields.DeletedAt = at
	removal := api.Removal{ID: in.Collection, Title: collection.Fields.Title, With: taken, RestoreUntil: api.At(at.Add(store.TrashTime))}
	_, err = tx.PutCollection(collection)
	return rest.Removed(removal), err
}

// maxListed is of how many collections a deletion makes sure that nothing has entered them: each is a member of the read
// set. What enters others meanwhile goes with them and is not counted.
const maxListed = 300

// below lists what lies in a collection. Nothing of it may be on its way to another organization.
func (s *Service) below(c *rest.Call, collection string) (ids []string, err error) {
	c.Access(func(model *access.Model) {
		ids = model.Below(collection)
		if slices.ContainsFunc(append([]string{collection}, ids...), func(id string) bool { return model.Entry(id).Moving }) {
			err = txn.ErrBusy
		}
	})
	return ids, err
}

// childrenListed is ChildrenListed for several, in one trip.
func (s *Service) childrenListed(c *rest.Call, tx *store.Tx, collections []string) error {
	keys := make([]redis.Key, len(collections))
	for i, id := range collections {
		keys[i] = store.ChildrenKey(c.Org, id)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, id := range collections {
		if err := s.ChildrenListed(c, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// takenWithCollection counts what goes with a collection, and names what the caller may see of it.
func (s *Service) takenWithCollection(ctx context.Context, c *rest.Call, below []string) ([]api.Taken, error) {
	spaces, collections := splitKinds(below)
	var seen []string
	c.Access(func(model *access.Model) {
		for _, id := range below {
			if model.Role(c.Caller, id).AtLeast(api.RoleRead) {
				seen = append(seen, id)
			}
		}
	})
	named, err := s.Names(ctx, c, seen, func(id string) redis.Key { return store.EntryKey(c.Org, id) })
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

// namePage is how many records are read at once for their titles.
const namePage = 500

// Names reads the titles of spaces, collections and sites. A write that is no rehearsal only counts.
func (s *Service) Names(ctx context.Context, c *rest.Call, ids []string, key func(id string) redis.Key) (named []api.TakenThing, err error) {
	if c.Endpoint.Row.Writes() && !c.DryRun {
		return nil, nil
	}
	for page := range slices.Chunk(ids, namePage) {
		records, err := rest.ReadRecords(ctx, s.Store, page, key)
		if err != nil {
			return nil, err
		}
		for _, id := range page {
			var d store.CollectionDocument // what else has a title has it in the same member
			if r, there := records[id]; there {
				if err := d.Decode(r); err != nil {
					return nil, err
				}
				named = append(named, api.TakenThing{ID: id, Title: cmp.Or(d.Fields.Title, defaultTitle)})
			}
		}
	}
	return named, nil
}

// KeepLevel gives a deleted space or collection the level that it has from a collection that leaves the organization:
// what few could see must not be open to more people now.
func KeepLevel(known *txn.Feed, tx *store.Tx, org, id string) error {
	var level *api.Level
	own := false
	access.Look(known, func(model *access.Model) { level, own = model.OwnLevel(id) })
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
