package spaces

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) collectionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListCollections, auth.Member(), s.listCollections),
		rest.Write(api.CreateCollection, auth.Member(), s.createCollection).On(rest.Organization),
		rest.Read(api.GetCollection, auth.InCollection(api.RoleRead), s.GetCollection),
		rest.Write(api.UpdateCollection, auth.InCollection(api.RoleCreate), s.updateCollection).On(rest.Collection),
		rest.Write(api.DeleteCollection, auth.InCollection(api.RoleCreate),
			s.deleteCollection).On(rest.Collection).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Write(api.RestoreCollection, auth.InCollection(api.RoleCreate).WithTrash(), s.restoreCollection).On(rest.Collection),
		rest.Op(api.ListCollectionSpaces, auth.InCollection(api.RoleRead), s.listCollectionSpaces),
		rest.Write(api.MoveCollection, auth.InCollection(api.RoleCreate), s.moveCollection).On(rest.Collection),
	}
}

func (s *Service) listCollections(ctx context.Context, c *rest.Call,
	in api.ListCollectionsInput,
) (none rest.Result[api.Page[api.Collection]], err error) {
	nested, given := in.Nested.Get()
	all := nested || !given
	w := c.NewPager(in.ListOptions, false, fmt.Sprint(all))
	if w.Err != nil {
		return none, w.Err
	}
	var page []string
	var count int
	var next string
	c.Access(func(model *access.Model) {
		ids := model.CollectionIDs()
		if !all {
			ids = model.TopCollections()
		}
		ids = access.NewViewer(model, c.Caller).Visible(ids)
		count = len(ids)
		page, next = w.Slice(ids, rest.OldestFirst)
	})
	records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.CollectionKey(c.Org, id) })
	if err != nil {
		return none, err
	}
	items := make([][]byte, 0, len(page))
	c.Access(func(model *access.Model) {
		for _, id := range page {
			if r, ok := records[id]; ok {
				item, e := s.EncodeCollection(id, r.Public, model.Role(c.Caller, id)).Bytes()
				items, err = append(items, item), errors.Join(err, e)
			}
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.Collection](items, count, next)
}

// EncodeCollection returns the JSON of a collection for a caller with a role in it.
func (s *Service) EncodeCollection(id string, public []byte, role api.Role) *rest.Object {
	create := role.AtLeast(api.RoleCreate)
	return rest.ExtendObject(public).
		Set("urls", api.AppURLs{Location: s.collectionURL(id), App: s.View.AppURL("collections", id)}).
		Set("permissions", api.CollectionPermissions{
			View: role.AtLeast(api.RoleRead), Admin: create, ViewInviteLinks: create, Create: create,
		})
}

func (s *Service) collectionURL(id string) string { return s.PublicURL + "/v1/collections/" + id }

// CollectionResult returns the response with a collection and its version.
func (s *Service) CollectionResult(id string, r txn.Record, role api.Role) (rest.Result[api.Collection], error) {
	result, err := rest.ObjectResult[api.Collection](s.EncodeCollection(id, r.Public, role))
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

// GetCollection returns a collection. Package sites also calls it, to resolve addresses.
func (s *Service) GetCollection(ctx context.Context, r *rest.Request, b *txn.Batch, in api.CollectionRef) rest.Finish[api.Collection] {
	collection := b.Record(store.CollectionKey(r.Org, in.Collection))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Collection], error) {
		record, ok, err := collection.Get()
		if err != nil || !ok {
			return rest.Result[api.Collection]{}, rest.NotFoundIfNil(err)
		}
		return s.CollectionResult(in.Collection, record, c.Caller.ContentRole)
	}
}

func (s *Service) createCollection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateCollectionInput,
) (none rest.Result[api.Collection], err error) {
	if err := s.CheckParent(c, tx, in.Body.Parent); err != nil {
		return none, err
	}
	id := tx.NewID(txn.HomePrefix(txn.CollectionPrefix, c.Org))
	collection, err := tx.Collection(c.Org, id)
	if err != nil {
		return none, err
	}
	inherit := api.LevelInherit
	collection.Fields = api.CollectionFields{
		Object: "collection", ID: id, Title: cmp.Or(in.Body.Title, defaultSpaceTitle), Organization: c.Org, DefaultLevel: &inherit,
	}
	collection.Private.Creator = c.Caller.User
	if err := tx.MoveCollection(&collection, in.Body.Parent, txn.Position{}); err != nil {
		return none, err
	}
	record, err := tx.PutCollection(collection)
	if err != nil {
		return none, err
	}
	role := roleAfter(c, id, store.Entry{Parent: in.Body.Parent, Level: &inherit, Creator: c.Caller.User})
	result, err := s.CollectionResult(id, record, role)
	return result.WithLocation(id, s.collectionURL(id)), err
}

// CheckParent returns an error unless the caller may create entries in a parent collection, or at the top level if
// parent is "". The parent and all collections above it are added to the read set, so that a concurrent deletion or
// move of one of them fails the commit.
func (s *Service) CheckParent(c *rest.Call, tx *store.Tx, parent string) error {
	if parent == "" {
		if !c.Caller.Role.AtLeast(api.RoleCreate) {
			return rest.Forbidden(auth.Need{Role: api.RoleCreate}, "this organization", c.Caller.Role)
		}
		return c.RequireAllSpaces("the top level of the organization")
	}
	var err error
	var above []access.Dependency
	c.Access(func(model *access.Model) {
		_, active := model.Active(parent)
		role := model.Role(c.Caller, parent)
		above = model.Dependencies(c.Caller, parent)
		switch {
		case active && model.Entry(parent).Moving:
			err = rest.TransferInProgressError()
		case !active || access.IsSpace(parent):
			err = api.InvalidField("parent", "is not a collection of this organization")
		case !role.AtLeast(api.RoleRead) && model.Role(c.Caller.WithAllSpaces(), parent).AtLeast(api.RoleRead):
			err = c.RequireAllSpaces("the collection")
		case !role.AtLeast(api.RoleRead):
			err = rest.Withhold(api.InvalidField("parent", "is not a collection of this organization"))
		case !role.AtLeast(api.RoleCreate):
			err = rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the parent collection", role)
		}
	})
	if err != nil {
		return err
	}
	collection, err := tx.Collection(c.Org, parent)
	if err != nil {
		return err
	}
	if collection.Version == 0 {
		return api.InvalidField("parent", "is not a collection of this organization")
	}
	return c.Recheck(tx, above)
}

// roleAfter returns the caller's role in a space or collection with the access entry that the transaction stores.
func roleAfter(c *rest.Call, id string, n store.Entry) (role api.Role) {
	c.Access(func(model *access.Model) { role = model.With(id, n).Role(c.Caller, id) })
	return role
}

func (s *Service) updateCollection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateCollectionInput,
) (none rest.Result[api.Collection], err error) {
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	changed := in.Body.Title.Apply(&collection.Fields.Title)
	changed = in.Body.Description.Apply(&collection.Fields.Description) || changed
	leveled, err := applyLevel(c, in.Body.DefaultLevel, &collection.Fields.DefaultLevel)
	if err != nil {
		return none, err
	}
	changed = leveled || changed
	return s.putCollection(c, tx, collection, changed)
}

// putCollection stores a collection if it changed and returns the response with it.
func (s *Service) putCollection(c *rest.Call, tx *store.Tx, collection store.CollectionDocument, changed bool) (rest.Result[api.Collection],
	error,
) {
	id := collection.Fields.ID
	record, _, err := tx.Record(store.CollectionKey(c.Org, id))
	if changed && err == nil {
		record, err = tx.PutCollection(collection)
	}
	if err != nil {
		return rest.Result[api.Collection]{}, err
	}
	role := roleAfter(c, id, store.Entry{
		Parent: collection.Fields.Parent, Level: collection.Fields.DefaultLevel,
		Creator: collection.Private.Creator, Teams: collection.Private.Teams,
	})
	result, err := s.CollectionResult(id, record, role)
	result.Unchanged = !changed
	return result, err
}

// RecordKeys returns the record keys of spaces and collections.
func RecordKeys(org string, ids []string) []redis.Key {
	keys := make([]redis.Key, len(ids))
	for i, id := range ids {
		keys[i] = store.CollectionKey(org, id)
		if access.IsSpace(id) {
			keys[i] = store.SpaceKey(org, id)
		}
	}
	return keys
}

// checkChildrenUnchanged adds the number of a collection's children to the read set and fails if it differs from that in the
// model.
func (s *Service) checkChildrenUnchanged(c *rest.Call, tx *store.Tx, id string) error {
	listed := 0
	c.Access(func(model *access.Model) { listed = CountChildren(model, id) })
	return CheckChildCount(tx, c.Org, id, listed)
}

// CountChildren returns the number of a collection's children that are not deleted.
func CountChildren(model *access.Model, id string) (count int) {
	for _, child := range model.Children(id) {
		if model.Entry(child).Deleted == 0 {
			count++
		}
	}
	return count
}

// CheckChildCount adds the number of a collection's children to the read set and returns ErrStale if it is not want.
func CheckChildCount(tx *store.Tx, org, id string, want int) error {
	children, err := tx.Cardinality(store.ChildrenKey(org, id))
	if err == nil && int(children) != want {
		err = redis.ErrStale
	}
	return err
}

func (s *Service) moveCollection(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.MoveCollectionInput,
) (none rest.Result[api.Collection], err error) {
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	oldParent, oldOrder := collection.Fields.Parent, collection.Private.Order
	parent, position, err := s.resolveMove(c, tx, in.Collection, oldParent, in.Body)
	if err != nil {
		return none, err
	}
	inside := false
	c.Access(func(model *access.Model) { inside = model.IsWithin(parent, in.Collection) })
	if inside {
		return none, api.InvalidField("parent", "lies inside the collection that is to be moved")
	}
	if err := s.checkMoves(c, in.Collection, oldParent, oldOrder, parent, position); err != nil {
		return none, err
	}
	if err := tx.MoveCollection(&collection, parent, position); err != nil {
		return none, MoveError(err)
	}
	return s.putCollection(c, tx, collection, true)
}
