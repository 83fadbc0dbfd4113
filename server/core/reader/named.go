package reader

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
)

// Named are those of some pages, or of all without ids, whose texts have expressions: they may read otherwise than they
// are stored. No text is read.
func (v *View) Named(ctx context.Context, ids ...string) (map[string]bool, error) {
	links, err := v.linkMap(ctx)
	if err != nil {
		return nil, err
	}
	texts, err := revision.ReadLinks(ctx, v.content, links, ids...)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for id, text := range texts {
		if len(text.Names) > 0 {
			named[id] = true
		}
	}
	return named, nil
}

// linkMap is the root of the map of links.
func (v *View) linkMap(ctx context.Context) (root string, err error) {
	if v.links == "" {
		v.links, err = v.service.Revisions.LinkMap(ctx, v.content, v.Head)
	}
	return v.links, err
}

// Links are those of the stored text of a page, read once.
func (v *View) Links(ctx context.Context, page string) (revision.PageLinks, error) {
	if known, ok := v.linksOf[page]; ok {
		return known, nil
	}
	links, err := v.linkMap(ctx)
	if err != nil {
		return revision.PageLinks{}, err
	}
	found, err := revision.ReadLinks(ctx, v.content, links, page)
	if err == nil {
		v.linksOf[page] = found[page]
	}
	return found[page], err
}
