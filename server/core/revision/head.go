package revision

import (
	"context"
	"fmt"
	"strconv"

	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
)

// ReadHead reads the present head of a place.
func (s *Revisions) ReadHead(ctx context.Context, c *rest.Call, at Target) (store.Head, error) {
	b := s.store.Pipeline()
	p := s.Placed(c, b, at)
	if err := b.Do(ctx); err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	head, _, err := p.Get()
	return head, err
}

// AtHead checks that a plan's head still is the head, and makes that part of the read set.
func AtHead(tx *store.Tx, org string, at Target, planned store.Head) error {
	head, ok, err := tx.Head(org, at.HeadID())
	if err != nil {
		return err
	}
	if !ok || head.Revision != planned.Revision {
		return rest.ErrHeadMoved
	}
	return nil
}

// CommitWorktree writes a worktree as the next revision of a target and moves its head there.
func (s *Revisions) CommitWorktree(ctx context.Context, c *rest.Call, tx *store.Tx, at Target, d *Worktree, r Revision) (store.Head, error) {
	r.Author, r.At = c.Caller.User, tx.Now()
	head, err := s.CommitAs(ctx, tx, c.Org, at, d, r)
	if err != nil {
		return head, err
	}
	if at.ChangeRequest != "" {
		c.Note("revision", head.Revision)
		d.notePages(c)
	}
	c.WhenCommitted(func() {
		if head.Pages != "" {
			cache.Remember(s.trees, s.store.Content(at.Space), head.Pages, d.Tree)
		}
	})
	return head, nil
}

// notePages says in the event which page was changed, or how many were.
func (d *Worktree) notePages(c *rest.Call) {
	if len(d.changed) > 0 {
		c.Note("pages", strconv.Itoa(len(d.changed)))
	}
	for id := range d.changed {
		if len(d.changed) == 1 {
			c.Note("page", id)
		}
	}
}

// CommitAs is CommitWorktree for what nobody asked for: the revision says who and when.
func (s *Revisions) CommitAs(ctx context.Context, tx *store.Tx, org string, at Target, d *Worktree, r Revision) (store.Head, error) {
	if err := s.nameSpecs(ctx, tx, org, d); err != nil {
		return store.Head{}, err
	}
	head, err := d.Commit(ctx, r)
	if err != nil {
		return head, err
	}
	tx.Objects(at.Space, d.Content.Fresh(HashOf(head.Revision))...)
	if at.ChangeRequest != "" {
		return head, tx.MoveRequestHead(org, at.HeadID(), head)
	}
	tx.MoveHead(org, at.HeadID(), head)
	return head, nil
}
