package revision

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store/objects"
)

// Reusable contents of a space.
const (
	ReusablePrefix = "rc_"
	MaxReusables   = 1000 // of a space
)

// ReadReusables reads some of them, or all; those that are not there are left out. A reusable
// content is kept as a page that stands nowhere: it has a title and a text with blocks, and merges as pages do.
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

// Reusable is a reusable content as the worktree has it, nil if it has none of that id.
func (d *Worktree) Reusable(ctx context.Context, id string) (*Page, error) {
	if p, known := d.Reusables[id]; known {
		return p, nil
	}
	found, err := ReadReusables(ctx, d.Content, d.Was.Reusables, id)
	return found[id], err
}
