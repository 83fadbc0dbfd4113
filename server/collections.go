package server

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Server) collectionEndpoints() []Endpoint {
	return []Endpoint{
		op(api.ListCollections, auth.Member(), s.listCollections),
		write(api.CreateCollection, auth.Member(), s.createCollection),
		read(api.GetCollection, auth.InCollection(api.RoleRead), s.getCollection),
		write(api.UpdateCollection, auth.InCollection(api.RoleCreate), s.updateCollection),
		write(api.DeleteCollection, auth.InCollection(api.RoleCreate), s.deleteCollection),
		op(api.ListCollectionSpaces, auth.InCollection(api.RoleRead), s.listCollectionSpaces),
		op(api.TransferCollection, auth.InCollection(api.RoleAdmin).OfOrganization(), s.transferCollection),
		write(api.MoveCollection, auth.InCollection(api.RoleCreate), s.moveCollection),
	}
}

func (s *Server) listCollections(ctx context.Context, c *call, in api.ListCollectionsInput) (Result[api.Page[api.Collection]], error) {
	var none Result[api.Page[api.Collection]]
	nested, given := in.Nested.Get()
	all := nested || !given
	w := newWindow(c, in.ListOptions, false, fmt.Sprint(all))
	if w.err != nil {
		return none, w.err
	}
	var page []string
	var count int
	var next string
	c.withShape(func(sh *access.Model) {
		ids := sh.CollectionIDs()
		if !all {
			ids = sh.Top()
		}
		ids = access.NewViewer(sh, c.caller).Visible(ids)
		count = len(ids)
		page, next = w.of(ids, oldestFirst)
	})
	records, err := s.records(ctx, page, func(id string) redis.Key { return store.CollectionKey(c.org, id) })
	if err != nil {
		return none, err
	}
	items := make([][]byte, 0, len(page))
	c.withShape(func(sh *access.Model) {
		for _, id := range page {
			if r, ok := records[id]; ok {
				item, e := s.collectionObject(id, r.Public, sh.Role(c.caller, id)).bytes()
				items, err = append(items, item), errors.Join(err, e)
			}
		}
	})
	if err != nil {
		return none, err
	}
	return list[api.Collection](items, count, next)
}

// records reads records in one pipeline; absent ones are not in the map.
func (s *Server) records(ctx context.Context, ids []string, key func(id string) redis.Key) (map[string]store.Record, error) {
	b := s.store.Pipeline()
	futures := make([]*store.Future[store.Record], len(ids))
	for i, id := range ids {
		futures[i] = b.Record(key(id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	found := make(map[string]store.Record, len(ids))
	for i, id := range ids {
		r, ok, err := futures[i].Get()
		if err != nil {
			return nil, err
		}
		if ok {
			found[id] = r
		}
	}
	return found, nil
}

func (s *Server) collectionObject(id string, public []byte, role api.Role) *object {
	create := role.AtLeast(api.RoleCreate)
	return extend(public).
		set("urls", api.AppURLs{Location: s.collectionURL(id), App: s.appURL("collections", id)}).
		set("permissions", api.CollectionPermissions{
			View: role.AtLeast(api.RoleRead), Admin: create, ViewInviteLinks: create, Create: create,
		})
}

func (s *Server) collectionURL(id string) string { return s.publicURL + "/v1/collections/" + id }

func (s *Server) collectionResult(id string, r store.Record, role api.Role) (Result[api.Collection], error) {
	result, err := stored[api.Collection](s.collectionObject(id, r.Public, role))
	result.id = id
	return result.versioned(recordVersion(r)), err
}

func (s *Server) getCollection(ctx context.Context, c *call, b *store.Batch, in api.CollectionRef) finish[api.Collection] {
	collection := b.Record(store.CollectionKey(c.org, in.Collection))
	return func(ctx context.Context) (Result[api.Collection], error) {
		record, ok, err := collection.Get()
		if err != nil || !ok {
			return Result[api.Collection]{}, missing(err)
		}
		return s.collectionResult(in.Collection, record, c.caller.ContentRole)
	}
}

func (s *Server) createCollection(ctx context.Context, c *call, tx *store.Tx, in api.CreateCollectionInput) (Result[api.Collection], error) {
	var none Result[api.Collection]
	if err := s.parentFor(c, tx, in.Body.Parent); err != nil {
		return none, err
	}
	id := tx.NewID(store.HomePrefix(store.CollectionPrefix, c.org))
	collection, err := tx.Collection(c.org, id)
	if err != nil {
		return none, err
	}
	inherit := api.LevelInherit
	collection.Fields = api.CollectionFields{
		Object: "collection", ID: id, Title: in.Body.Title, Organization: c.org, DefaultLevel: &inherit,
	}
	collection.Private.Creator = c.caller.User
	if err := tx.PlaceCollection(&collection, in.Body.Parent, store.Position{}); err != nil {
		return none, err
	}
	record, err := tx.PutCollection(collection)
	if err != nil {
		return none, err
	}
	role := c.roleWith(id, store.Node{Parent: in.Body.Parent, Level: &inherit, Creator: c.caller.User})
	result, err := s.collectionResult(id, record, role)
	return result.created(id, s.collectionURL(id)), err
}

// parentFor checks that the caller may create in a parent collection, or at the top of the organization. What the
// decision rests on comes into the read set, the parent and everything above it: none of it can be deleted, closed
// or moved, least of all below what is to be put there, meanwhile.
func (s *Server) parentFor(c *call, tx *store.Tx, parent string) error {
	if parent == "" {
		if !c.caller.Role.AtLeast(api.RoleCreate) {
			return forbidden(auth.Need{Role: api.RoleCreate}, "this organization", c.caller.Role)
		}
		return nil
	}
	var err error
	var above []access.Dependency
	c.withShape(func(sh *access.Model) {
		_, alive := sh.Active(parent)
		role := sh.Role(c.caller, parent)
		above = sh.Dependencies(c.caller, parent)
		switch {
		case alive && sh.Node(parent).Moving:
			err = moving()
		case !alive || access.IsSpace(parent):
			err = api.InvalidField("parent", "is not a collection of this organization")
		case !role.AtLeast(api.RoleRead):
			err = withheld{api.InvalidField("parent", "is not a collection of this organization")}
		case !role.AtLeast(api.RoleCreate):
			err = forbidden(auth.Need{Role: api.RoleCreate}, "the parent collection", role)
		}
	})
	if err != nil {
		return err
	}
	collection, err := tx.Collection(c.org, parent)
	if err != nil {
		return err
	}
	if collection.Version == 0 {
		return api.InvalidField("parent", "is not a collection of this organization")
	}
	return c.hold(tx, above)
}

// roleWith is the caller's role in a node as the transaction leaves it.
func (c *call) roleWith(id string, n store.Node) (role api.Role) {
	c.withShape(func(sh *access.Model) { role = sh.With(id, n).Role(c.caller, id) })
	return role
}

func (s *Server) updateCollection(ctx context.Context, c *call, tx *store.Tx, in api.UpdateCollectionInput) (Result[api.Collection], error) {
	var none Result[api.Collection]
	collection, err := tx.Collection(c.org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, missing(err)
	}
	changed := in.Body.Title.Apply(&collection.Fields.Title)
	changed = in.Body.Description.Apply(&collection.Fields.Description) || changed
	leveled, err := c.applyLevel(in.Body.DefaultLevel, &collection.Fields.DefaultLevel)
	if err != nil {
		return none, err
	}
	changed = leveled || changed
	return s.putCollection(c, tx, collection, changed)
}

// putCollection writes a collection if it changed, and answers it.
func (s *Server) putCollection(c *call, tx *store.Tx, collection store.CollectionDocument, changed bool) (Result[api.Collection], error) {
	id := collection.Fields.ID
	record, _, err := tx.Record(store.CollectionKey(c.org, id))
	if changed && err == nil {
		record, err = tx.PutCollection(collection)
	}
	if err != nil {
		return Result[api.Collection]{}, err
	}
	role := c.roleWith(id, store.Node{
		Parent: collection.Fields.Parent, Level: collection.Fields.DefaultLevel,
		Creator: collection.Private.Creator, Teams: collection.Private.Teams,
	})
	result, err := s.collectionResult(id, record, role)
	result.unchanged = !changed
	return result, err
}

// deleteCollection decides by one transaction: the collections below go, their spaces enter the trash.
func (s *Server) deleteCollection(ctx context.Context, c *call, tx *store.Tx, in api.CollectionRef) (Result[api.None], error) {
	var nothing Result[api.None]
	below, err := s.subtree(c, in.Collection)
	if err != nil {
		return nothing, err
	}
	if err := tx.Prefetch(recordKeys(c.org, below)...); err != nil {
		return nothing, err
	}
	for _, id := range below {
		if access.IsSpace(id) {
			err = trashWithCollection(c.shape, tx, c.org, id)
		} else {
			err = s.removeCollection(c, tx, id)
		}
		if err != nil {
			return nothing, err
		}
	}
	return none(in.Collection), nil
}

// maxSubtree is how many collections and spaces one deletion may take with it: each needs up to four keys of the
// transaction's thousand.
const maxSubtree = 400

// subtree lists a collection and everything below it, and puts their shape entries into the read set.
func (s *Server) subtree(c *call, id string) (ids []string, err error) {
	c.withShape(func(sh *access.Model) {
		ids = []string{id}
		for i := 0; i < len(ids); i++ {
			ids = append(ids, sh.Children(ids[i])...)
			if n := sh.Node(ids[i]); n != nil && n.Moving {
				err = store.ErrBusy
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(ids) > maxSubtree {
		return nil, api.WrongState("The collection holds %d collections and spaces; at most %d can be deleted at once.", len(ids)-1, maxSubtree).
			WithHint("Delete the collections inside it first.")
	}
	return ids, nil
}

func recordKeys(org string, ids []string) []redis.Key {
	keys := make([]redis.Key, len(ids))
	for i, id := range ids {
		keys[i] = store.CollectionKey(org, id)
		if access.IsSpace(id) {
			keys[i] = store.SpaceKey(org, id)
		}
	}
	return keys
}

// removeCollection deletes a collection whose children go with it. That none has entered since they were listed,
// the number of children in the read set makes sure.
func (s *Server) removeCollection(c *call, tx *store.Tx, id string) error {
	collection, err := tx.Collection(c.org, id)
	if err != nil || collection.Version == 0 {
		return err
	}
	if err := s.childrenListed(c, tx, id); err != nil {
		return err
	}
	tx.DeleteCollection(collection)
	return nil
}

// childrenListed makes sure that a collection has no other children at the commit than in the shape.
func (s *Server) childrenListed(c *call, tx *store.Tx, id string) error {
	children, err := tx.Card(store.KidsKey(c.org, id))
	if err != nil {
		return err
	}
	listed := 0
	c.withShape(func(sh *access.Model) {
		for _, child := range sh.Children(id) {
			if sh.Node(child).Deleted == 0 {
				listed++
			}
		}
	})
	if int(children) != listed {
		return redis.ErrStale
	}
	return nil
}

func (s *Server) moveCollection(ctx context.Context, c *call, tx *store.Tx, in api.MoveCollectionInput) (Result[api.Collection], error) {
	var none Result[api.Collection]
	collection, err := tx.Collection(c.org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, missing(err)
	}
	oldParent, oldOrder := collection.Fields.Parent, collection.Private.Order
	parent, position, err := s.destination(c, tx, in.Collection, oldParent, in.Body)
	if err != nil {
		return none, err
	}
	inside := false
	c.withShape(func(sh *access.Model) { inside = sh.Inside(parent, in.Collection) })
	if inside {
		return none, api.InvalidField("parent", "lies inside the collection that is to be moved")
	}
	if err := s.notThere(c, in.Collection, oldParent, oldOrder, parent, position); err != nil {
		return none, err
	}
	if err := tx.PlaceCollection(&collection, parent, position); err != nil {
		return none, moveError(err)
	}
	return s.putCollection(c, tx, collection, true)
}
