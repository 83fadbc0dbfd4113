package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store/objects"
)

const (
	reusablePrefix = "rc_"
	maxReusables   = 1000 // of a space
)

// A reusable content is kept as a page that stands nowhere: it has a title and a text with blocks, and merges as
// pages do. readReusables reads some of them, or all; those that are not there are left out.
func readReusables(ctx context.Context, c *objects.Content, root string, ids ...string) (map[string]*page, error) {
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
	found := make(map[string]*page, len(entries))
	for id, e := range entries {
		if found[id], err = decodePage(id, e); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// reusable is a reusable content as the draft has it, nil if it has none of that id.
func (d *draft) reusable(ctx context.Context, id string) (*page, error) {
	if p, known := d.reusables[id]; known {
		return p, nil
	}
	found, err := readReusables(ctx, d.content, d.was.Reusables, id)
	return found[id], err
}
