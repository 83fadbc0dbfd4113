package reader

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
)

// PagesWithExpressions returns which of the given pages, or of all pages if no ids are given, have texts with expressions: only
// their texts may differ from the stored ones. It reads no texts.
func (v *View) PagesWithExpressions(ctx context.Context, ids ...string) (map[string]bool, error) {
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

// linkMap returns the root of the link map.
func (v *View) linkMap(ctx context.Context) (root string, err error) {
	if v.links == "" {
		v.links, err = v.service.Revisions.LinksRoot(ctx, v.content, v.Head)
	}
	return v.links, err
}

// Links returns the links of the stored text of a page. The view caches them.
func (v *View) Links(ctx context.Context, page string) (revision.PageLinks, error) {
	if known, ok := v.pageLinks[page]; ok {
		return known, nil
	}
	links, err := v.linkMap(ctx)
	if err != nil {
		return revision.PageLinks{}, err
	}
	found, err := revision.ReadLinks(ctx, v.content, links, page)
	if err == nil {
		v.pageLinks[page] = found[page]
	}
	return found[page], err
}
