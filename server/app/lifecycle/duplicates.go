package lifecycle

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	copyTitleFormat = "Copy of "
	maxTitleLength  = 50 // in characters
)

// duplicateSpace copies a space with its content to the end of the same collection.
func (s *Service) duplicateSpace(ctx context.Context, c *rest.Call, in api.SpaceRef) (rest.Result[api.Space], error) {
	if err := c.StoredAnswer(); err != nil {
		return rest.Result[api.Space]{}, err
	}
	end, err := s.takeTurn(ctx, c)
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	defer end()
	return rest.RetryPlan(func() (rest.Result[api.Space], error) { return s.copySpace(ctx, c, in.Space) })
}

func (s *Service) copySpace(ctx context.Context, c *rest.Call, from string) (none rest.Result[api.Space], err error) {
	b := s.Store.NewBatch()
	heads := b.Field(store.HeadsKey(c.Org), from)
	if err := b.Do(ctx); err != nil {
		return none, err
	}
	head, err := store.ParseHead(heads.Value())
	if err != nil {
		return none, err
	}
	id := s.Store.NewID(txn.HomePrefix(txn.SpacePrefix, c.Org))
	p, ctx, err := s.beginCopy(ctx, c, map[string]string{from: id}) // refuses the request before anything is copied
	if err != nil {
		return none, err
	}
	if !c.DryRun {
		defer func() { err = p.end(ctx, err) }()
		// A sweep of the new space would remove content that nothing refers to yet; the guard makes the commit fail
		// in this case.
		c.Guards = append(c.Guards, txn.FieldGuard(txn.GCEpochsKey(c.Org), id, "", false))
		generations, err := store.CopyContent(ctx, s.Store, from, id, head)
		if errors.Is(err, objects.ErrMissing) {
			now, missed := s.Revisions.ReadHead(ctx, c.Org, revision.Target{Space: from})
			if missed == nil && now == head {
				return none, err // the head has not moved, so it cannot be read at all
			}
			return none, store.ErrHeadMoved
		}
		if err != nil {
			return none, err
		}
		ctx = redis.WithGenerations(ctx, generations)
		p.stop()
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Space], error) {
		if !c.DryRun {
			if err := p.complete(tx); err != nil {
				return none, err
			}
		}
		return s.putCopy(c, tx, from, id, head)
	})
}

// putCopy stores the record of a copy whose content is complete.
func (s *Service) putCopy(c *rest.Call, tx *store.Tx, from, id string, head store.Head) (none rest.Result[api.Space], err error) {
	source, err := tx.Space(c.Org, from)
	if err != nil || source.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	if err := s.Spaces.CheckParent(c, tx, source.Fields.Parent); err != nil {
		return none, err
	}
	space, err := tx.Space(c.Org, id)
	if err != nil {
		return none, err
	}
	space.Fields = source.Fields
	space.Fields.ID, space.Fields.CreatedAt = id, api.At(tx.Now())
	space.Fields.Title = truncateTitle(copyTitleFormat + source.Fields.Title)
	space.Private.Creator = c.Caller.User
	if err := tx.MoveSpace(&space, source.Fields.Parent, txn.Position{}); err != nil {
		return none, err
	}
	if err := tx.AddContentUsage(id); err != nil {
		return none, err
	}
	head.MovedAt = tx.Now()
	tx.SetHead(c.Org, id, head)
	tx.CountSpace(c.Org, id)
	record, err := tx.PutSpace(space)
	if err != nil {
		return none, err
	}
	n := spaces.AccessEntry(space)
	result, err := s.Spaces.SpaceResult(c, id, record, view.SpaceState{Head: head}, &n)
	return result.WithLocation(id, s.View.SpaceURL(id)), err
}

// truncateTitle shortens a title to maxTitleLength characters.
func truncateTitle(title string) string {
	if characters := []rune(title); len(characters) > maxTitleLength {
		return string(characters[:maxTitleLength])
	}
	return title
}
