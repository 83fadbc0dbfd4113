package revision

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// ReadHead reads the current head of a target. It returns a not_found error if the target does not exist.
func (rs *Revisions) ReadHead(ctx context.Context, org string, target Target) (store.Head, error) {
	b := rs.store.NewBatch()
	p := rs.ReadTarget(org, b, target)
	if err := b.Do(ctx); err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	head, _, err := p.Get()
	return head, err
}

// CheckHead adds the head of a target to the read set and returns store.ErrHeadMoved if it is not the planned one.
func CheckHead(tx *store.Tx, org string, target Target, planned store.Head) error {
	head, ok, err := tx.Head(org, target.HeadID())
	if err != nil {
		return err
	}
	if !ok || head.Revision != planned.Revision {
		return store.ErrHeadMoved
	}
	return nil
}

// Committer is a request that commits a worktree.
type Committer interface {
	Identity() (org, user string)
	// Note adds a field to the event of the transaction.
	Note(name, value string)
	// WhenCommitted registers a function to be called after the transaction is committed.
	WhenCommitted(fn func())
}

// CommitWorktree commits a worktree as the next revision of a target, with the caller as author, and moves the head.
func (rs *Revisions) CommitWorktree(ctx context.Context, c Committer, tx *store.Tx, target Target, d *Worktree,
	r Revision,
) (store.Head, error) {
	org, user := c.Identity()
	r.Author, r.CreatedAt = user, tx.Now()
	head, err := rs.CommitWorktreeAs(ctx, tx, org, target, d, r)
	if err != nil {
		return head, err
	}
	c.Note(eventlog.Revision, head.Revision)
	c.Note(eventlog.RevisionBefore, d.BaseHead.Revision)
	d.notePages(c)
	c.WhenCommitted(func() {
		if head.Pages != "" {
			objects.StoreDerived(rs.trees, rs.store.Content(target.Space), head.Pages, d.Tree)
		}
	})
	return head, nil
}

// notePages records the number and the first ids of the changed pages in the event.
func (w *Worktree) notePages(c Committer) {
	if len(w.changed) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(w.changed))
	c.Note(eventlog.Pages, strconv.Itoa(len(ids)))
	if len(ids) == 1 {
		c.Note(eventlog.Page, ids[0])
		return
	}
	c.Note(eventlog.PageIDs, strings.Join(ids[:min(len(ids), eventlog.MaxPageIDs)], " "))
}

// CommitWorktreeAs is like CommitWorktree for changes without a caller. r must contain the author and time.
func (rs *Revisions) CommitWorktreeAs(ctx context.Context, tx *store.Tx, org string, target Target, d *Worktree,
	r Revision,
) (store.Head, error) {
	if err := rs.pinSpecs(ctx, tx, org, d); err != nil {
		return store.Head{}, err
	}
	head, err := d.Commit(ctx, r)
	if err != nil {
		return head, err
	}
	tx.Objects(target.Space, d.Content.New(ObjectHash(head.Revision))...)
	if target.ChangeRequest != "" {
		return head, tx.SetRequestHead(org, target.HeadID(), head)
	}
	tx.SetHead(org, target.HeadID(), head)
	return head, nil
}
