package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Server) linkEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSpaceLinks, auth.InSpace(api.RoleRead), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListLinksInput) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, c, b, revision.Target{Space: in.Space}, linkFilter{status: in.Status}, in.ListOptions)
		}),
		rest.Read(api.ListContentLinks, auth.InSpace(api.RoleRead), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListPageLinksInput) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, c, b, revision.Target{Space: in.Space}, linkFilter{page: in.Page, status: in.Status}, in.ListOptions)
		}),
		rest.Read(api.ListChangeRequestContentLinks, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListChangeRequestLinksInput) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, c, b, revision.TargetOf(in.ChangeRequestRef), linkFilter{page: in.Page}, in.ListOptions)
		}),
		rest.Read(api.ListContentBacklinks, auth.InSpace(api.RoleRead), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListBacklinksInput) rest.Finish[api.Page[api.Reference]] {
			return s.listBacklinks(ctx, c, b, revision.Target{Space: in.Space}, in.File, in.ListOptions)
		}),
		rest.Read(api.ListChangeRequestContentBacklinks, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListChangeRequestBacklinksInput) rest.Finish[api.Page[api.Reference]] {
			return s.listBacklinks(ctx, c, b, revision.TargetOf(in.ChangeRequestRef), in.File, in.ListOptions)
		}),
	}
}

// linkFilter says which links of a graph a list has.
type linkFilter struct {
	page   string // "" = all
	status api.LinkStatus
}

// listLinks lists links by page and destination. Its statistics are those of all links of the page or space.
func (s *Server) listLinks(ctx context.Context, c *rest.Call, b *txn.Batch, at revision.Target, f linkFilter, o api.ListOptions) rest.Finish[api.LinkList] {
	w := rest.NewPager(c, o, false, string(f.status))
	around := s.surroundings(ctx, c, b, at)
	p := around.head
	return func(ctx context.Context) (rest.Result[api.LinkList], error) {
		var none rest.Result[api.LinkList]
		g, err := s.placedGraph(ctx, p)
		if err := errors.Join(w.Err, err); err != nil {
			return none, err
		}
		if f.page != "" && g.tree.Page(f.page) == nil {
			return none, api.NotFound()
		}
		all, err := s.linksSeen(ctx, c, g, f.page)
		if err != nil {
			return none, err
		}
		stats := api.LinkStats{Total: len(all), Broken: api.BrokenLinks{Total: countBroken(all)}}
		if at.ChangeRequest != "" {
			if stats.Broken.ChangeRequest, err = s.brokenByRequest(ctx, p, all); err != nil {
				return none, err
			}
		}
		wanted := slices.DeleteFunc(all, func(l link) bool { return f.status != "" && l.status != f.status })
		return s.linkList(ctx, c, around, g, wanted, w, stats)
	}
}

// placedGraph is the graph of links of a place.
func (s *Server) placedGraph(ctx context.Context, p revision.Located) (*linkGraph, error) {
	head, _, err := p.Get()
	if err != nil {
		return nil, err
	}
	return s.linkGraph(ctx, s.store.Content(p.Space), head)
}

func countBroken(links []link) (broken int) {
	for _, l := range links {
		if l.status == api.LinkBroken {
			broken++
		}
	}
	return broken
}

// brokenByRequest counts the links that are not broken in the revision that a change request stands on.
func (s *Server) brokenByRequest(ctx context.Context, p revision.Located, links []link) (*int, error) {
	record, _, err := p.Record.Get()
	if err != nil {
		return nil, err
	}
	var request store.ChangeRequestDocument
	if err := request.Decode(record); err != nil {
		return nil, err
	}
	content := s.store.Content(p.Space)
	base := cmp.Or(request.Fields.RevisionMergedAncestor, request.Fields.RevisionInitial)
	r, err := s.revisions.Revision(ctx, content, base)
	if err != nil {
		return nil, fmt.Errorf("base of the change request: %w", err)
	}
	g, err := s.linkGraph(ctx, content, store.Head{Revision: base, Pages: r.Pages, Files: r.Files, Links: r.Links})
	if err != nil {
		return nil, err
	}
	count := 0
	for _, l := range links {
		before, had := g.link(l.page, l.key)
		if l.status == api.LinkBroken && (!had || before.status != api.LinkBroken) {
			count++
		}
	}
	return &count, nil
}

// linkList writes out a page of links.
func (s *Server) linkList(ctx context.Context, c *rest.Call, around *surroundings, g *linkGraph, links []link, w rest.Pager, stats api.LinkStats) (rest.Result[api.LinkList], error) {
	keys, byKey := make([]string, len(links)), make(map[string]link, len(links))
	for i, l := range links {
		keys[i], byKey[l.key] = l.key, l
	}
	page, next := w.Slice(keys, rest.OldestFirst)
	shown := make([]link, len(page))
	for i, key := range page {
		shown[i] = byKey[key]
	}
	references, err := s.references(ctx, c, around, g, shown)
	if err != nil {
		return rest.Result[api.LinkList]{}, err
	}
	items := make([]linkItem, len(shown))
	for i, l := range shown {
		items[i] = linkItem{Status: l.status, Relation: "reference", Href: l.href, Problem: l.problem, Locations: references.locations(l)}
		if l.status != api.LinkBroken {
			items[i].Target = references.target(l)
		}
	}
	answer := struct {
		api.Page[linkItem]
		Stats api.LinkStats `json:"stats"`
	}{api.Page[linkItem]{Next: nextPage(next), Count: len(links), Items: items}, stats}
	data, err := json.Marshal(answer)
	if err != nil {
		return rest.Result[api.LinkList]{}, fmt.Errorf("encode links: %w", err)
	}
	return rest.Result[api.LinkList]{JSON: data}, nil
}

// listBacklinks lists the places that use a file, by page and block.
func (s *Server) listBacklinks(ctx context.Context, c *rest.Call, b *txn.Batch, at revision.Target, id string, o api.ListOptions) rest.Finish[api.Page[api.Reference]] {
	w := rest.NewPager(c, o, false)
	around := s.surroundings(ctx, c, b, at)
	p := around.head
	return func(ctx context.Context) (rest.Result[api.Page[api.Reference]], error) {
		var none rest.Result[api.Page[api.Reference]]
		g, err := s.placedGraph(ctx, p)
		if err := errors.Join(w.Err, err); err != nil {
			return none, err
		}
		if _, known := g.files[id]; !known {
			return none, api.NotFound()
		}
		keys, places := g.uses(id)
		page, next := w.Slice(keys, rest.OldestFirst)
		references, err := s.references(ctx, c, around, g, nil)
		if err != nil {
			return none, err
		}
		items := make([]reference, len(page))
		for i, key := range page {
			items[i] = references.location(places[key].page, places[key].block)
		}
		data, err := json.Marshal(api.Page[reference]{Next: nextPage(next), Count: len(keys), Items: items})
		if err != nil {
			return none, fmt.Errorf("encode backlinks: %w", err)
		}
		return rest.Result[api.Page[api.Reference]]{JSON: data}, nil
	}
}

// usedAt is a block of a page, or the page itself.
type usedAt struct{ page, block string }

// uses returns where a file is used, by sort key, and the keys in order.
func (g *linkGraph) uses(file string) (keys []string, places map[string]usedAt) {
	places = map[string]usedAt{}
	for _, page := range g.ids {
		for _, l := range g.pages[page] {
			if l.target.File != file {
				continue
			}
			for _, block := range l.places() {
				places[page+" "+block] = usedAt{page, block}
			}
		}
	}
	for key := range places {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, places
}

// places are the blocks that have the link, or the page itself as "".
func (l link) places() []string {
	if len(l.blocks) == 0 {
		return []string{""}
	}
	return l.blocks
}
