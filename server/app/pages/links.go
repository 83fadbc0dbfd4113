package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Links) linkEndpoints() []rest.Endpoint {
	return append([]rest.Endpoint{
		rest.Read(api.ListSpaceLinks, auth.InSpace(api.RoleRead), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListLinksInput,
		) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, r, b, revision.Target{Space: in.Space}, linkFilter{status: in.Status}, in.ListOptions)
		}),
		rest.Read(api.ListContentLinks, auth.InSpace(api.RoleRead), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListPageLinksInput,
		) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, r, b, revision.Target{Space: in.Space}, linkFilter{page: in.Page, status: in.Status}, in.ListOptions)
		}),
		rest.Read(api.ListChangeRequestContentLinks, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestLinksInput,
		) rest.Finish[api.LinkList] {
			return s.listLinks(ctx, r, b, revision.RequestTarget(in.ChangeRequestRef), linkFilter{page: in.Page}, in.ListOptions)
		}),
	}, rest.Twins(api.ListContentBacklinks.Row, auth.InSpace(api.RoleRead),
		rest.Read(api.ListChangeRequestContentBacklinks, auth.InSpace(api.RoleComment), s.listBacklinks))...)
}

// linkFilter selects links of a graph by page and status.
type linkFilter struct {
	page   string // "" for all pages
	status api.LinkStatus
}

// listLinks lists links by page and destination. The statistics cover all links of the page or space, regardless of the status
// filter.
func (s *Links) listLinks(
	ctx context.Context, r *rest.Request, b *txn.Batch, target revision.Target, f linkFilter, o api.ListOptions,
) rest.Finish[api.LinkList] {
	w := r.NewPager(o, false, string(f.status))
	lc := s.newLinkContext(ctx, r, b, target)
	p := lc.head
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.LinkList], err error) {
		g, err := s.loadGraph(ctx, p)
		if err := errors.Join(w.Err, err); err != nil {
			return none, err
		}
		if f.page != "" && g.Tree.Page(f.page) == nil {
			return none, api.NotFound()
		}
		all, err := s.Links.VisibleLinks(ctx, reader.Observer{Org: c.Org, Caller: c.Caller, Model: c.Model}, g, f.page)
		if err != nil {
			return none, err
		}
		stats := api.LinkStats{Total: len(all), Broken: api.BrokenLinks{Total: countBroken(all)}}
		if target.ChangeRequest != "" {
			if stats.Broken.ChangeRequest, err = s.countNewlyBroken(ctx, p, all); err != nil {
				return none, err
			}
		}
		wanted := slices.DeleteFunc(all, func(l reader.Link) bool { return f.status != "" && l.Status != f.status })
		return s.encodeLinkList(ctx, c, lc, linkSelection{g, wanted, stats}, w)
	}
}

// loadGraph returns the link graph of a target.
func (s *Links) loadGraph(ctx context.Context, p revision.TargetRead) (*reader.Graph, error) {
	head, _, err := p.Get()
	if err != nil {
		return nil, err
	}
	return s.Links.Graph(ctx, s.Store.Content(p.Space), head)
}

func countBroken(links []reader.Link) (broken int) {
	for _, l := range links {
		if l.Status == api.LinkBroken {
			broken++
		}
	}
	return broken
}

// countNewlyBroken counts the broken links that are not broken in the base revision of a change request.
func (s *Links) countNewlyBroken(ctx context.Context, p revision.TargetRead, links []reader.Link) (*int, error) {
	record, _, err := p.Record.Get()
	if err != nil {
		return nil, err
	}
	var request store.ChangeRequestDocument
	if err := request.Decode(record); err != nil {
		return nil, err
	}
	content := s.Store.Content(p.Space)
	base := cmp.Or(request.Fields.RevisionMergedAncestor, request.Fields.RevisionInitial)
	r, err := s.Revisions.Revision(ctx, content, base)
	if err != nil {
		return nil, fmt.Errorf("base of the change request: %w", err)
	}
	g, err := s.Links.Graph(ctx, content, store.Head{Revision: base, Pages: r.Pages, Files: r.Files, Links: r.Links})
	if err != nil {
		return nil, err
	}
	count := 0
	for _, l := range links {
		before, had := g.Link(l.Page, l.Key)
		if l.Status == api.LinkBroken && (!had || before.Status != api.LinkBroken) {
			count++
		}
	}
	return &count, nil
}

// linkSelection is a list of links of a graph, with the statistics of all links.
type linkSelection struct {
	graph *reader.Graph
	links []reader.Link
	stats api.LinkStats
}

// encodeLinkList encodes one page of a list of links.
func (s *Links) encodeLinkList(
	ctx context.Context, c *rest.Call, lc *linkContext, selected linkSelection, w rest.Pager,
) (rest.Result[api.LinkList], error) {
	keys, byKey := make([]string, len(selected.links)), make(map[string]reader.Link, len(selected.links))
	for i, l := range selected.links {
		keys[i], byKey[l.Key] = l.Key, l
	}
	page, next := w.Slice(keys, rest.OldestFirst)
	shown := make([]reader.Link, len(page))
	for i, key := range page {
		shown[i] = byKey[key]
	}
	references, err := s.loadReferences(ctx, c, lc, selected.graph, shown)
	if err != nil {
		return rest.Result[api.LinkList]{}, err
	}
	items := make([]linkItem, len(shown))
	for i, l := range shown {
		items[i] = linkItem{
			Status: l.Status, Relation: "reference", Href: l.Href, Problem: l.Problem, Match: l.Match, Locations: references.locations(l),
		}
		if l.Status != api.LinkBroken {
			items[i].Target = references.targetOf(l)
		}
	}
	answer := struct {
		api.Page[linkItem]
		Stats api.LinkStats `json:"stats"`
	}{api.Page[linkItem]{Next: rest.NextPage(next), Count: len(selected.links), Items: items}, selected.stats}
	data, err := json.Marshal(answer)
	if err != nil {
		return rest.Result[api.LinkList]{}, fmt.Errorf("encode links: %w", err)
	}
	return rest.Result[api.LinkList]{JSON: data}, nil
}

// listBacklinks lists the uses of a file by page and block.
func (s *Links) listBacklinks(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestBacklinksInput,
) rest.Finish[api.Page[api.Reference]] {
	id := in.File
	w := r.NewPager(in.ListOptions, false)
	lc := s.newLinkContext(ctx, r, b, revision.RequestTarget(in.ChangeRequestRef))
	p := lc.head
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Reference]], err error) {
		g, err := s.loadGraph(ctx, p)
		if err := errors.Join(w.Err, err); err != nil {
			return none, err
		}
		if _, known := g.Files[id]; !known {
			return none, api.NotFound()
		}
		keys, places := g.Uses(id)
		page, next := w.Slice(keys, rest.OldestFirst)
		references, err := s.loadReferences(ctx, c, lc, g, nil)
		if err != nil {
			return none, err
		}
		items := make([]reference, len(page))
		for i, key := range page {
			items[i] = references.location(places[key].Page, places[key].Block)
		}
		data, err := json.Marshal(api.Page[reference]{Next: rest.NextPage(next), Count: len(keys), Items: items})
		if err != nil {
			return none, fmt.Errorf("encode backlinks: %w", err)
		}
		return rest.Result[api.Page[api.Reference]]{JSON: data}, nil
	}
}
