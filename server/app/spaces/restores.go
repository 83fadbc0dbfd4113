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

// restoreTarget is the parent, position and level of an entry that is restored from the trash.
type restoreTarget struct {
	parent   string
	position txn.Position
	level    *api.Level
}

// restoreSpace restores a space to its former position, or to the top level if its collection is deleted, in the
// trash or being transferred.
func (s *Service) restoreSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceRef) (none rest.Result[api.Space], err error) {
	space, state, err := LoadSpace(c, tx, in.Space)
	if err != nil {
		return none, err
	}
	back, err := s.resolveRestore(c, tx, in.Space, space.Fields.Parent, space.Fields.DefaultLevel, space.Private)
	if err != nil {
		return none, err
	}
	if !space.Fields.DeletedAt.IsZero() {
		tx.CancelPurge(c.Org, in.Space)
	}
	space.Fields.DeletedAt, space.Private.Trashed, space.Fields.DefaultLevel = api.Time{}, nil, back.level
	if err := tx.MoveSpace(&space, back.parent, back.position); err != nil {
		return none, retryIfSiblingGone(err)
	}
	return s.putSpace(c, tx, space, state, true)
}

// restoreCollection restores a collection with its contents.
func (s *Service) restoreCollection(_ context.Context, c *rest.Call, tx *store.Tx, in api.CollectionRef) (none rest.Result[api.Collection],
	err error,
) {
	collection, err := tx.Collection(c.Org, in.Collection)
	if err != nil || collection.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	back, err := s.resolveRestore(c, tx, in.Collection, collection.Fields.Parent, collection.Fields.DefaultLevel, collection.Private)
	if err != nil {
		return none, err
	}
	if !collection.Fields.DeletedAt.IsZero() {
		tx.CancelPurge(c.Org, in.Collection)
	}
	collection.Fields.DeletedAt, collection.Private.Trashed, collection.Fields.DefaultLevel = api.Time{}, nil, back.level
	if err := tx.MoveCollection(&collection, back.parent, back.position); err != nil {
		return none, retryIfSiblingGone(err)
	}
	return s.putCollection(c, tx, collection, true)
}

// retryIfSiblingGone returns an error that repeats the transaction if err means that a sibling was removed
// concurrently.
func retryIfSiblingGone(err error) error {
	if errors.Is(err, txn.ErrNoSibling) || errors.Is(err, txn.ErrNotAdjacent) {
		return redis.ErrStale
	}
	return err
}

// resolveRestore returns the target of restoring a deleted space or collection. The entries from there to the top
// level, which determine the caller's role, are added to the read set.
func (s *Service) resolveRestore(c *rest.Call, tx *store.Tx, id, parent string, own *api.Level, p store.EntryPrivate) (back restoreTarget,
	err error,
) {
	var root string
	c.Access(func(model *access.Model) { root = model.TrashedRoot(id) })
	if root == "" {
		return back, api.WrongState("It is not deleted.")
	}
	above, err := s.checkRestorable(tx, c.Org, root)
	if err != nil {
		return back, err
	}
	back.level = own
	c.Access(func(model *access.Model) {
		was := model.EffectiveLevel(id)
		if root != id {
			was, parent = effectiveLevel(model, id, root, above), "" // restored without its collection
		} else if p.Trashed != nil {
			was = p.Trashed.Level
		}
		_, active := model.Active(parent)
		switch {
		case parent != "" && active && model.Entry(parent).Moving:
			err = rest.TransferInProgressError()
			return
		case parent != "" && !active:
			parent = ""
		case root == id && p.Trashed != nil:
			back.position = positionOf(model, parent, p.Trashed.Order)
		}
		back.parent = parent
		if now := model.EffectiveLevel(parent); own != nil && *own == api.LevelInherit && access.Widens(now, was) {
			back.level = access.LevelAfterRestore(was)
		}
	})
	return back, err
}

// checkRestorable reads the deletion of an entry and returns an error after the deadline.
func (s *Service) checkRestorable(tx *store.Tx, org, root string) (how *store.TrashRecord, err error) {
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

// effectiveLevel returns the level that an entry had in a collection that is in the trash. The collections above it
// may have become more widely visible since.
func effectiveLevel(model *access.Model, id, root string, how *store.TrashRecord) api.Level {
	for entry := id; entry != ""; entry = model.Entry(entry).Parent {
		level := model.Entry(entry).Level
		switch {
		case level == nil:
			return ""
		case *level != api.LevelInherit:
			return *level
		case entry == root && how != nil:
			return how.Level
		case entry == root:
			return model.EffectiveLevel(root)
		}
	}
	return ""
}

// positionOf returns the position of an order key among the current children of a collection.
func positionOf(model *access.Model, parent, order string) (at txn.Position) {
	if order == "" {
		return at
	}
	for _, sibling := range model.Children(parent) {
		n := model.Entry(sibling)
		switch {
		case n.Deleted != 0:
		case n.Order < order:
			at = txn.Position{After: txn.OrderMember(n.Order, sibling)}
		case at == txn.Position{}:
			return txn.Position{Before: txn.OrderMember(n.Order, sibling)}
		default:
			return at
		}
	}
	return at
}
