package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
)

// readHead reads the present head of a place.
func (s *Server) readHead(ctx context.Context, c *rest.Call, at place) (store.Head, error) {
	b := s.store.Pipeline()
	p := s.placed(c, b, at)
	if err := b.Do(ctx); err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	head, _, err := p.get()
	return head, err
}

// atHead checks that a plan's head still is the head, and makes that part of the read set.
func atHead(tx *store.Tx, org string, at place, planned store.Head) error {
	head, ok, err := tx.Head(org, at.headID())
	if err != nil {
		return err
	}
	if !ok || head.Revision != planned.Revision {
		return rest.ErrHeadMoved
	}
	return nil
}

// commitDraft seals a draft, stores its objects and moves the place's head to it.
func (s *Server) commitDraft(ctx context.Context, c *rest.Call, tx *store.Tx, at place, d *draft, r revision) (store.Head, error) {
	r.Author, r.At = c.Caller.User, tx.Now()
	head, err := d.seal(ctx, r)
	if err != nil {
		return head, err
	}
	tx.Objects(at.space, d.content.Fresh(revisionHash(head.Revision))...)
	c.WhenCommitted(func() {
		if head.Pages != "" {
			cache.Remember(s.trees, s.store.Content(at.space), head.Pages, d.tree)
		}
	})
	if at.request != "" {
		return head, tx.MoveRequestHead(c.Org, at.headID(), head)
	}
	tx.MoveHead(c.Org, at.headID(), head)
	return head, nil
}
