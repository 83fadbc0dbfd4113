package spaces

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// comeback is where something comes back to from the trash, and how open it is there.
type comeback struct {
	parent string
	at     txn.Position
	level  *api.Level
}

// restoreSpace takes a space out of the trash: to its place, or to the top where its collection is gone, on its way out
// of the organization, or in the trash itself.
func (s *Service) restoreSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceRef) (none rest.Result[api.Space], err error) {
	space, state, err := Load(c, tx, in.Space)
	if err != nil {
		return none, err
	}
	back, err := s.comeback(c, tx, in.Space, space.Fields.Parent, space.Fields.DefaultLevel, space.Private)
	if err != nil {
		return none, err
	}
	if !space.Fields.DeletedAt.IsZero() {
		tx.Untrash(c.Org, in.Space)
	}
	space.Fields.DeletedAt, space.Private.Trashed, space.Fields.DefaultLevel = api.Time{}, nil, back.level
	if err := tx.PlaceSpace(&space, back.parent, back.at); err != nil {
		return none, staleSibling(err)
	}
	return s.putSpace(c, tx, space, state, true)
}

// restoreCollection takes a collection out of the trash with all that lies in it.
func (s *Service) restoreCollection(_ context.Context, c *rest.Call, tx *store.Tx, in api.CollectionRef) (none rest.Result[api.Collection], err error) {
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.Missing(err)
	}
	back, err := s.comeback(c, tx, in.Collection, collection.Fields.Parent, collection.Fields.DefaultLevel, collection.Private)
	if err != nil {
		return none, err
	}
	if !collection.Fields.DeletedAt.IsZero() {
		tx.Untrash(c.Org, in.Collection)
	}
	collection.Fields.DeletedAt, collection.Private.Trashed, collection.Fields.DefaultLevel = api.Time{}, nil, back.level
	if err := tx.PlaceCollection(&collection, back.parent, back.at); err != nil {
		return none, staleSibling(err)
	}
	return s.putCollection(c, tx, collection, true)
}

// staleSibling has the request begin again whose neighbours have gone since.
func staleSibling(err error) error {
	if errors.Is(err, txn.ErrNoSibling) || errors.Is(err, txn.ErrNotAdjacent) {
		return redis.ErrStale
	}
	return err
}

// comeback finds out where a deleted space or collection comes back to. All that it rests on is in the read set: the
// entries from there up to the top are what the caller's role rests on.
func (s *Service) comeback(c *rest.Call, tx *store.Tx, id, parent string, own *api.Level, p store.EntryPrivate) (back comeback, err error) {
	var root string
	c.Access(func(model *access.Model) { root = model.Trashed(id) })
	if root == "" {
		return back, api.WrongState("It is not deleted.")
	}
	above, err := s.inTime(tx, c.Org, root)
	if err != nil {
		return back, err
	}
	back.level = own
	c.Access(func(model *access.Model) {
		was := model.LevelHere(id)
		if root != id {
			was, parent = levelWithin(model, id, root, above), "" // alone, out of a collection that stays
		} else if p.Trashed != nil {
			was = p.Trashed.Level
		}
		_, active := model.Active(parent)
		switch {
		case parent != "" && active && model.Entry(parent).Moving:
			err = rest.Moving()
			return
		case parent != "" && !active:
			parent = ""
		case root == id && p.Trashed != nil:
			back.at = placeAmong(model, parent, p.Trashed.Order)
		}
		back.parent = parent
		if now := model.LevelHere(parent); own != nil && *own == api.LevelInherit && access.Widens(now, was) {
			back.level = access.AsClosed(was)
		}
	})
	return back, err
}

// inTime reads what was deleted and refuses when it is too late.
func (s *Service) inTime(tx *store.Tx, org, root string) (how *store.Trashed, err error) {
	var d store.CollectionDocument
	deleted := api.Time{}
	if access.IsSpace(root) {
		space, err := tx.Space(org, root)
		if err != nil {
			return nil, err
		}
		how, deleted = space.Private.Trashed, space.Fields.DeletedAt
	} else if d, err = tx.Collection(org, root); err == nil {
		how, deleted = d.Private.Trashed, d.Fields.DeletedAt
	}
	now, late := tx.Time()
	if err := errors.Join(err, late); err != nil {
		return nil, err
	}
	if deleted.IsZero() || !now.Before(deleted.Add(store.TrashTime)) {
		return nil, api.NotFound()
	}
	return how, nil
}

// levelWithin is the level that something had in a collection that is in the trash: what is above that may be open to
// others by now.
func levelWithin(model *access.Model, id, root string, how *store.Trashed) api.Level {
	for at := id; at != ""; at = model.Entry(at).Parent {
		level := model.Entry(at).Level
		switch {
		case level == nil:
			return ""
		case *level != api.LevelInherit:
			return *level
		case at == root && how != nil:
			return how.Level
		case at == root:
			return model.LevelHere(root)
		}
	}
	return ""
}

// placeAmong is the position of an order key among the children that a collection has now.
func placeAmong(model *access.Model, parent, order string) (at txn.Position) {
	if order == "" {
		return at
	}
	for _, sibling := range model.Children(parent) {
		n := model.Entry(sibling)
		switch {
		case n.Deleted != 0:
		case n.Order < order:
			at = txn.Position{After: txn.Member(n.Order, sibling)}
		case at == txn.Position{}:
			return txn.Position{Before: txn.Member(n.Order, sibling)}
		default:
			return at
		}
	}
	return at
}
