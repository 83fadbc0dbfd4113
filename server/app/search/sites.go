package search

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// searchSite finds pages in the spaces of a site that the caller may read. Spaces are sorted by their best page.
func (s *Service) searchSite(ctx context.Context, c *rest.Call, in api.SearchSiteInput) (none rest.Result[api.Page[api.SiteHit]],
	err error,
) {
	asked, err := json.Marshal(in.Body)
	if err != nil {
		return none, fmt.Errorf("search of a site: %w", err)
	}
	w := c.NewPager(in.ListOptions, false, in.Site, string(asked))
	if w.Err != nil {
		return none, w.Err
	}
	within, err := s.loadSpaces(ctx, c, in)
	if err != nil {
		return none, err
	}
	o := organizationSearch{
		Service: s, call: c, query: terms.Parse(in.Body.Query), scope: within, results: map[string]spaceResult{},
		unreadable: map[string]bool{},
	}
	if err := o.find(ctx); err != nil {
		return none, err
	}
	p, err := o.page(ctx, w, slices.Sorted(maps.Keys(o.results)))
	if err != nil {
		return none, err
	}
	items := make([]api.SiteHit, len(p.items))
	for i, hit := range p.items {
		if items[i], err = s.newSiteHit(ctx, hit, p.results[i]); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(api.Page[api.SiteHit]{Next: rest.NextPage(p.next), Count: p.count, Items: items})
	return r.WithOmitted(slices.Sorted(maps.Keys(o.unreadable))), err
}

// loadSpaces returns the spaces of a site to search.
func (s *Service) loadSpaces(ctx context.Context, c *rest.Call, in api.SearchSiteInput) (map[string]bool, error) {
	b := s.Store.NewBatch()
	read := b.Record(store.SiteKey(c.Org, in.Site))
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read site: %w", err)
	}
	record, ok, err := read.Get()
	if err != nil || !ok {
		return nil, rest.NotFoundIfNil(err)
	}
	var site store.SiteDocument
	if err := site.Decode(record); err != nil {
		return nil, fmt.Errorf("site %s: %w", in.Site, err)
	}
	var wrong []api.FieldError
	for path, ids := range namedSiteSpaces(in.Body) {
		for _, id := range ids {
			if site.Private.Space(id) == nil {
				wrong = append(wrong, api.FieldError{Path: path, Message: "is not a site space of this site: " + id})
			}
		}
	}
	if len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	spaces := map[string]bool{}
	for _, shown := range site.Private.Spaces {
		if selects(in.Body, shown.ID) {
			spaces[shown.Space] = true
		}
	}
	return spaces, nil
}

// namedSiteSpaces returns the site spaces that a query names, by the member that contains them.
func namedSiteSpaces(q api.SiteSearch) map[string][]string {
	ids := map[string][]string{"siteSpaceIds": q.SiteSpaceIDs}
	if q.SiteSpaceID != "" {
		ids["siteSpaceId"] = []string{q.SiteSpaceID}
	}
	if q.Scope != nil {
		ids["scope.siteSpaceIds"] = q.Scope.SiteSpaceIDs
		if current := q.Scope.CurrentSiteSpace; current != "" {
			ids["scope.currentSiteSpace"] = []string{current}
		}
	}
	return ids
}

// selects reports whether a query includes a site space.
func selects(q api.SiteSearch, siteSpace string) bool {
	switch {
	case q.Mode == api.SearchCurrent:
		return siteSpace == q.SiteSpaceID
	case q.Mode == api.SearchSpecific:
		return slices.Contains(q.SiteSpaceIDs, siteSpace)
	case q.Scope == nil:
		return true
	case q.Scope.Mode == api.ScopeSpecific:
		return slices.Contains(q.Scope.SiteSpaceIDs, siteSpace)
	case q.Scope.RestrictTo == api.OnlyCurrent:
		return siteSpace == q.Scope.CurrentSiteSpace
	case q.Scope.RestrictTo == api.OnlyOthers:
		return siteSpace != q.Scope.CurrentSiteSpace
	}
	return true
}

// newSiteHit returns the site search result for a space: its pages in found with their paths and scores.
func (s *Service) newSiteHit(ctx context.Context, space api.SpaceHit, found spaceResult) (api.SiteHit, error) {
	v, err := s.Reading.At(ctx, s.Store.Content(found.search.id), found.search.head)
	if err != nil {
		return api.SiteHit{}, err
	}
	ranks := make(map[string]int, len(found.hits))
	for _, h := range found.hits {
		ranks[h.page] = h.rank
	}
	hit := api.SiteHit{
		Type: "space", ID: space.ID, Title: space.Title, Score: float64(found.rank), Pages: make([]api.SitePageHit, len(space.Pages)),
	}
	for i, page := range space.Pages {
		hit.Pages[i] = sitePageHit(v.Tree, page, i, float64(ranks[page.ID]))
	}
	return hit, nil
}

func sitePageHit(t *revision.Tree, page api.PageHit, rank int, score float64) api.SitePageHit {
	hit := api.SitePageHit{
		ID: page.ID, Title: page.Title, Path: page.Path, Score: score, Rank: rank, ResultType: "page",
		Sections: make([]api.SiteSectionHit, len(page.Sections)), Ancestors: []api.PageAncestor{}, URLs: page.URLs,
	}
	for i, section := range page.Sections {
		hit.Sections[i] = api.SiteSectionHit{SectionHit: section, Score: score, ResultType: "section"}
	}
	p := t.Page(page.ID)
	if p == nil {
		return hit
	}
	hit.Description = p.Description
	for above := t.Page(p.Parent); above != nil && len(hit.Ancestors) < revision.MaxPageDepth; above = t.Page(above.Parent) {
		hit.Ancestors = append(hit.Ancestors, api.PageAncestor{Title: above.Name()})
	}
	slices.Reverse(hit.Ancestors)
	return hit
}
