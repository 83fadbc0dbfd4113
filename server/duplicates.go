package server

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

const (
	copyTitle = "Copy of "
	maxTitle  = 50 // characters of a space's title
)

// duplicateSpace copies a space with its content, at the end of the same collection. The content is copied before
// the record that refers to it is written, so a copy that is cut off is garbage that `wsd fsck --gc` removes.
func (s *Server) duplicateSpace(ctx context.Context, c *call, in api.SpaceRef) (Result[api.Space], error) {
	if err := s.answered(c); err != nil {
		return Result[api.Space]{}, err
	}
	return replanned(func() (Result[api.Space], error) { return s.copySpace(ctx, c, in.Space) })
}

func (s *Server) copySpace(ctx context.Context, c *call, from string) (Result[api.Space], error) {
	var none Result[api.Space]
	ask := store.UpdateOptions{DryRun: true, Guards: c.guards}
	if err := s.store.Update(ctx, c.shard(), ask, c.match); err != nil {
		return none, err // nothing is copied for a request that will be refused
	}
	b := s.store.Pipeline()
	heads := b.Field(store.HeadsKey(c.org), from)
	if err := b.Do(ctx); err != nil {
		return none, err
	}
	text, _, err := heads.Get()
	if err != nil {
		return none, err
	}
	head, err := store.ParseHead(text)
	if err != nil {
		return none, err
	}
	id := s.store.NewID(store.HomePrefix(store.SpacePrefix, c.org))
	if err := s.roomFor(ctx, c.org, from); err != nil {
		return none, err
	}
	if !c.dryRun {
		// A sweep of the new space would take what nothing refers to yet: then the commit does not hold.
		c.guards = append(c.guards, store.FieldGuard(store.EpochsKey(c.org), id, "", false))
		ground, err := s.store.CopyContent(ctx, from, id, head)
		if errors.Is(err, objects.ErrMissing) {
			now, missed := s.readHead(ctx, c, place{space: from})
			if missed == nil && now == head {
				return none, err // it is the head itself that cannot be read
			}
			return none, errHeadMoved
		}
		if err != nil {
			return none, err
		}
		ctx = redis.WithGround(ctx, ground)
	}
	return commit(ctx, c, c.shard(), func(tx *store.Tx) (Result[api.Space], error) {
		return s.writeCopy(c, tx, from, id, head)
	})
}

// writeCopy writes the record of a copy whose content is there.
func (s *Server) writeCopy(c *call, tx *store.Tx, from, id string, head store.Head) (Result[api.Space], error) {
	var none Result[api.Space]
	source, err := tx.Space(c.org, from)
	if err != nil || source.Version == 0 {
		return none, missing(err)
	}
	if err := s.parentFor(c, tx, source.Fields.Parent); err != nil {
		return none, err
	}
	space, err := tx.Space(c.org, id)
	if err != nil {
		return none, err
	}
	space.Fields = source.Fields
	space.Fields.ID, space.Fields.CreatedAt = id, api.At(tx.Now())
	space.Fields.Title = cutTitle(copyTitle + source.Fields.Title)
	space.Private.Creator = c.caller.User
	if err := tx.PlaceSpace(&space, source.Fields.Parent, store.Position{}); err != nil {
		return none, err
	}
	if err := tx.HoldContent(id); err != nil {
		return none, err
	}
	head.At = tx.Now()
	tx.MoveHead(c.org, id, head)
	tx.CountSpace(c.org, id)
	record, err := tx.PutSpace(space)
	if err != nil {
		return none, err
	}
	n := nodeOf(space)
	result, err := s.spaceResult(c, id, record, spaceState{head: head}, &n)
	return result.created(id, s.spaceURL(id)), err
}

// cutTitle cuts a title to the characters that one may have.
func cutTitle(title string) string {
	if characters := []rune(title); len(characters) > maxTitle {
		return string(characters[:maxTitle])
	}
	return title
}
