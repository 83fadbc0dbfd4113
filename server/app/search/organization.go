package search

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// searchOrganization finds pages in all spaces that the caller may read. Spaces are sorted by their best page.
func (s *Service) searchOrganization(ctx context.Context, c *rest.Call,
	in api.SearchOrganizationInput,
) (none rest.Result[api.Page[api.SpaceHit]], err error) {
	w := c.NewPager(in.ListOptions, false, in.Query)
	if w.Err != nil {
		return none, w.Err
	}
	o := organizationSearch{
		Service: s, call: c, query: terms.Parse(in.Query), results: map[string]spaceResult{}, unreadable: map[string]bool{},
	}
	if err := o.find(ctx); err != nil {
		return none, err
	}
	p, err := o.page(ctx, w, slices.Sorted(maps.Keys(o.results)))
	if err != nil {
		return none, err
	}
	r, err := rest.Value(api.Page[api.SpaceHit]{Next: rest.NextPage(p.next), Count: p.count, Items: p.items})
	return r.WithOmitted(slices.Sorted(maps.Keys(o.unreadable))), err
}

// organizationSearch is a query of all spaces that the caller may read. Of other spaces it reads the directory only,
// which selects the spaces to search.
type organizationSearch struct {
	*Service
	call       *rest.Call
	query      []terms.QueryWord
	scope      map[string]bool        // nil for all spaces
	results    map[string]spaceResult // by the key of the hit
	unreadable map[string]bool        // spaces whose content cannot be read
}

// find searches for the words as given. If no page has all of them, it also searches for words similar to those that
// have no match.
func (o *organizationSearch) find(ctx context.Context) error {
	if len(o.query) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, o.MaxIndexWait)
	defer cancel()
	d, err := o.searchDirectory(ctx, o.call.Org, o.query)
	if err != nil {
		return err
	}
	if err := o.search(ctx, limited, d.candidates(), nil); err != nil || len(o.results) > 0 {
		return err
	}
	misspelled, err := o.findMisspelled(ctx, limited, d)
	if err != nil || len(misspelled) == 0 {
		return err
	}
	if err := d.searchSimilar(ctx, o.Service, misspelled); err != nil {
		return err
	}
	return o.search(ctx, limited, d.candidates(), misspelled)
}

// search queries those of the spaces that the caller may read. The context limited ends at the request's deadline.
func (o *organizationSearch) search(ctx, limited context.Context, spaces []string, misspelled []int) error {
	for chunk := range slices.Chunk(o.readableSpaces(spaces), spaceBatch) {
		asked, err := o.searchReadable(ctx, limited, chunk, o.query)
		if err != nil {
			return err
		}
		if err := o.searchSimilar(ctx, o.call.Org, asked, misspelled); err != nil {
			return err
		}
		for _, a := range asked {
			o.add(a, misspelled)
		}
	}
	return nil
}

// add computes the hits of a space and adds them to the results, unless neither a page nor the title of the space matches.
func (o *organizationSearch) add(a *spaceSearch, misspelled []int) {
	a.match()
	best := a.bestHits("", shownPages)
	rank := a.title.rank(o.query, misspelled)
	if len(best) > 0 {
		rank = max(rank, best[0].rank)
	}
	if rank > 0 {
		o.results[hit{page: a.id, rank: rank}.key()] = spaceResult{a, best, rank}
	}
}

// probeSpaces is the number of spaces that are first searched for a word: usually one of them has it.
const probeSpaces = 16

// findMisspelled returns the indexes of the words that have no match the caller may see and that may contain one wrong
// letter.
func (o *organizationSearch) findMisspelled(ctx, limited context.Context, d *directorySearch) (numbers []int, err error) {
	for n, word := range o.query {
		if !word.MayBeMisspelled() {
			continue
		}
		found, most := false, probeSpaces
		for left := o.readableSpaces(d.spacesWithWord(n)); len(left) > 0 && !found; most = spaceBatch {
			asked, err := o.searchReadable(ctx, limited, left[:min(most, len(left))], o.query[n:n+1])
			if err != nil {
				return nil, err
			}
			found = slices.ContainsFunc(asked, func(a *spaceSearch) bool { return a.hasWord(0) })
			left = left[min(most, len(left)):]
		}
		if !found {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// searchReadable queries the spaces that the caller may read, except those whose content cannot be read.
func (o *organizationSearch) searchReadable(ctx, limited context.Context, spaces []string, query []terms.QueryWord) (asked []*spaceSearch,
	err error,
) {
	org := o.call.Org
	heads, unreadable, err := o.readIndexed(ctx, limited, org, spaces)
	if err != nil {
		return nil, err
	}
	for space := range unreadable {
		o.unreadable[space] = true
	}
	records, err := rest.ReadRecords(ctx, o.Store, spaces, func(id string) redis.Key { return store.SpaceKey(org, id) })
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		at, indexed := heads[space]
		record, known := records[space]
		if !indexed || !known {
			continue // deleted in the meantime
		}
		var document store.SpaceDocument
		if err := document.Decode(record); err != nil {
			return nil, err
		}
		a := o.newSpaceSearch(space, at, query)
		a.title = newSpaceTitle(document.Fields.Title)
		asked = append(asked, a)
	}
	return asked, o.searchIndexes(ctx, org, asked)
}

// readableSpaces returns those of the spaces that the caller may read.
func (o *organizationSearch) readableSpaces(spaces []string) (kept []string) {
	if o.scope != nil {
		spaces = slices.DeleteFunc(slices.Clone(spaces), func(space string) bool { return !o.scope[space] })
	}
	o.call.Access(func(model *access.Model) { kept = access.NewViewer(model, o.call.Caller).Visible(spaces) })
	return kept
}

// spacesPage is a page of hits by space.
type spacesPage struct {
	items   []api.SpaceHit
	results []spaceResult // by item
	count   int
	next    string
}

// page encodes a page of hits. Spaces that turn out to be unreadable are left out and reported.
func (o *organizationSearch) page(ctx context.Context, w rest.Pager, keys []string) (p spacesPage, err error) {
	for {
		page, next := w.Slice(keys, rest.OldestFirst)
		shown := make([]spaceResult, len(page))
		for i, key := range page {
			shown[i] = o.results[key]
		}
		p.items, err = o.spaceHits(ctx, shown)
		p.results, p.count, p.next = shown, len(keys), next
		u, unreadable := objects.AsUnreadable(err)
		if !unreadable {
			return p, err
		}
		rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return o.results[key].search.id == u.Space })
		if len(rest) == len(keys) {
			return p, err
		}
		keys, o.unreadable[u.Space] = rest, true
	}
}

// spaceHits returns the JSON forms of hits with their spaces.
func (s *Service) spaceHits(ctx context.Context, found []spaceResult) ([]api.SpaceHit, error) {
	pages, err := s.pageHits(ctx, found)
	if err != nil {
		return nil, err
	}
	items := make([]api.SpaceHit, 0, len(found))
	for i, f := range found {
		items = append(items, api.SpaceHit{ID: f.search.id, Title: f.search.title.text, Pages: pages[i]})
	}
	return items, nil
}
