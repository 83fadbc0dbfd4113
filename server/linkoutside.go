package server

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// linksSeen returns the links of a page, or of all pages, as the caller may see them: a space or collection that is
// hidden from the caller is like one that does not exist.
func (s *Server) linksSeen(ctx context.Context, c *rest.Call, g *linkGraph, page string) ([]link, error) {
	ids := g.ids
	if page != "" {
		ids = []string{page}
	}
	var links []link
	for _, id := range ids {
		links = append(links, g.pages[id]...)
	}
	var outside []*link
	for i := range links {
		if links[i].outside {
			outside = append(outside, &links[i])
		}
	}
	if len(outside) == 0 {
		return links, nil
	}
	hideUnseen(c, outside)
	return links, s.checkElsewhere(ctx, c, outside)
}

// hideUnseen breaks the links to what the caller does not see. What belongs to another organization is a URL like
// any other: nothing is told about it.
func hideUnseen(c *rest.Call, links []*link) {
	c.Access(func(sh *access.Model) {
		v := access.NewViewer(sh, c.Caller)
		for _, l := range links {
			id := cmp.Or(l.target.Space, l.target.Collection)
			home, isID := txn.HomeOrganization(id)
			switch {
			case v.Sees(id):
			case isID && home != c.Org && sh.Node(id) == nil:
				l.target, l.outside = api.ContentRef{Kind: api.RefURL, URL: l.href}, false
			case l.target.Collection != "":
				l.fail(api.NoSuchCollection)
			default:
				l.fail(api.NoSuchSpace)
			}
		}
	})
}

// checkElsewhere breaks the links to pages that other spaces do not have.
func (s *Server) checkElsewhere(ctx context.Context, c *rest.Call, links []*link) error {
	pages := map[string]map[string]bool{} // by space
	for _, l := range links {
		if l.outside && l.target.Page != "" && l.status != api.LinkBroken {
			if pages[l.target.Space] == nil {
				pages[l.target.Space] = map[string]bool{}
			}
			pages[l.target.Space][l.target.Page] = true
		}
	}
	heads, err := s.headsOf(ctx, c, slices.Sorted(maps.Keys(pages)))
	if err != nil {
		return err
	}
	for space, wanted := range pages {
		known, err := s.store.Content(space).Get(ctx, heads[space].Pages, slices.Sorted(maps.Keys(wanted))...)
		if err != nil {
			return fmt.Errorf("pages of %s: %w", space, err)
		}
		for _, l := range links {
			if _, exists := known[l.target.Page]; l.target.Space == space && l.target.Page != "" && !exists {
				l.fail(api.NoSuchPage)
			}
		}
	}
	return nil
}

// headsOf reads the heads of spaces; those that have none are not in the map.
func (s *Server) headsOf(ctx context.Context, c *rest.Call, spaces []string) (map[string]store.Head, error) {
	b := s.store.Pipeline()
	fields := b.Fields(store.HeadsKey(c.Org), spaces...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	texts, _, err := fields.Get()
	if err != nil {
		return nil, err
	}
	heads := make(map[string]store.Head, len(texts))
	for space, text := range texts {
		if heads[space], err = store.ParseHead(text); err != nil {
			return nil, err
		}
	}
	return heads, nil
}
