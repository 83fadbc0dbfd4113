package revision

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store/objects"
)

// Prefix and limit of reusable contents.
const (
	ReusablePrefix = "rc_"
	MaxReusables   = 1000 // per space
)

// ReadReusables reads the reusable contents with the given ids, or all if there are none. Missing ones are omitted. A
// reusable content is stored as a page outside of the tree and is merged like a page.
func ReadReusables(ctx context.Context, c *objects.Content, root string, ids ...string) (map[string]*Page, error) {
	var entries map[string]objects.Entry
	var err error
	if len(ids) > 0 {
		entries, err = c.Get(ctx, root, ids...)
	} else {
		entries, err = c.All(ctx, root)
	}
	if err != nil {
		return nil, fmt.Errorf("reusable contents of %s: %w", c.Space(), err)
	}
	found := make(map[string]*Page, len(entries))
	for id, e := range entries {
		if found[id], err = DecodePage(id, e); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Reusable returns a reusable content of the worktree, or nil if there is none.
func (w *Worktree) Reusable(ctx context.Context, id string) (*Page, error) {
	if p, known := w.Reusables[id]; known {
		return p, nil
	}
	found, err := ReadReusables(ctx, w.Content, w.BaseRevision.Reusables, id)
	return found[id], err
}
