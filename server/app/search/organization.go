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

// searchOrganization finds pages in all spaces that the caller may read, the space with the best page first.
func (s *Service) searchOrganization(ctx context.Context, c *rest.Call, in api.SearchOrganizationInput) (none rest.Result[api.Page[api.SpaceHit]], err error) {
	w := rest.NewPager(c, in.ListOptions, false, in.Query)
	if w.Err != nil {
		return none, w.Err
	}
	o := organizationSearch{Service: s, call: c, query: terms.Parse(in.Query), found: map[string]foundIn{}, without: map[string]bool{}}
	if err := o.find(ctx); err != nil {
		return none, err
	}
	p, err := o.page(ctx, w, slices.Sorted(maps.Keys(o.found)))
	if err != nil {
		return none, err
	}
	r, err := rest.Value(api.Page[api.SpaceHit]{Next: rest.NextPage(p.next), Count: p.count, Items: p.items})
	return r.GoOnWithout(slices.Sorted(maps.Keys(o.without))), err
}

// organizationSearch is a query that is put to all spaces that the caller may read. Nothing of other spaces is looked
// at but in the directory, which only says whom to ask.
type organizationSearch struct {
	*Service
	call    *rest.Call
	query   []terms.QueryWord
	within  map[string]bool    // nil: all spaces
	found   map[string]foundIn // by the key of the hit
	without map[string]bool    // spaces whose content nobody can read
}

// find asks for the words as they stand. Where nothing has all of them, it asks for what may be meant by those that
// nothing has.
func (o *organizationSearch) find(ctx context.Context) error {
	if len(o.query) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	d, err := o.askDirectory(ctx, o.call.Org, o.query)
	if err != nil {
		return err
	}
	if err := o.ask(ctx, limited, d.candidates(), nil); err != nil || len(o.found) > 0 {
		return err
	}
	misspelt, err := o.misspelt(ctx, limited, d)
	if err != nil || len(misspelt) == 0 {
		return err
	}
	if err := d.askNear(ctx, o.Service, misspelt); err != nil {
		return err
	}
	return o.ask(ctx, limited, d.candidates(), misspelt)
}

// ask puts the query to those of spaces that the caller may read. The patience of the request is limited.
func (o *organizationSearch) ask(ctx, limited context.Context, spaces []string, misspelt []int) error {
	for chunk := range slices.Chunk(o.readable(spaces), spacesAtOnce) {
		asked, err := o.askReadable(ctx, limited, chunk, o.query)
		if err != nil {
			return err
		}
		if err := o.askNear(ctx, o.call.Org, asked, misspelt); err != nil {
			return err
		}
		for _, a := range asked {
			o.take(a, misspelt)
		}
	}
	return nil
}

// take takes what a space has.
func (o *organizationSearch) take(a *spaceSearch, misspelt []int) {
	a.find()
	best := a.best("", shownPages)
	rank := a.title.rank(o.query, misspelt)
	if len(best) > 0 {
		rank = max(rank, best[0].rank)
	}
	if rank > 0 {
		o.found[hit{page: a.id, rank: rank}.key()] = foundIn{a, best, rank}
	}
}

// fewSpaces are asked at first whether one of them has a word: nearly always one has.
const fewSpaces = 16

// misspelt are the numbers of the words that nothing has which the caller may see, and that one wrong letter may
// explain.
func (o *organizationSearch) misspelt(ctx, limited context.Context, d *directorySearch) (numbers []int, err error) {
	for n, word := range o.query {
		if !word.MayBeMisspelt() {
			continue
		}
		found, most := false, fewSpaces
		for left := o.readable(d.having(n)); len(left) > 0 && !found; most = spacesAtOnce {
			asked, err := o.askReadable(ctx, limited, left[:min(most, len(left))], o.query[n:n+1])
			if err != nil {
				return nil, err
			}
			found = slices.ContainsFunc(asked, func(a *spaceSearch) bool { return a.has(0) })
			left = left[min(most, len(left)):]
		}
		if !found {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// askReadable puts a query to spaces that the caller may read, but for those whose content nobody can read.
func (o *organizationSearch) askReadable(ctx, limited context.Context, spaces []string, query []terms.QueryWord) (asked []*spaceSearch, err error) {
	org := o.call.Org
	heads, unreadable, err := o.indexedNow(ctx, limited, org, spaces)
	if err != nil {
		return nil, err
	}
	for space := range unreadable {
		o.without[space] = true
	}
	records, err := rest.ReadRecords(ctx, o.Store, spaces, func(id string) redis.Key { return store.SpaceKey(org, id) })
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		at, indexed := heads[space]
		record, known := records[space]
		if !indexed || !known {
			continue // removed meanwhile
		}
		var document store.SpaceDocument
		if err := document.Decode(record); err != nil {
			return nil, err
		}
		a := o.newSpaceSearch(space, at, query)
		a.title = titleOf(document.Fields.Title)
		asked = append(asked, a)
	}
	return asked, o.askSpaces(ctx, org, asked)
}

// readable keeps the spaces that the caller may read.
func (o *organizationSearch) readable(spaces []string) (kept []string) {
	if o.within != nil {
		spaces = slices.DeleteFunc(slices.Clone(spaces), func(space string) bool { return !o.within[space] })
	}
	o.call.Access(func(model *access.Model) { kept = access.NewViewer(model, o.call.Caller).Visible(spaces) })
	return kept
}

// spacesPage is a page of hits, by space.
type spacesPage struct {
	items []api.SpaceHit
	shown []foundIn // by item
	count int
	next  string
}

// page writes out a page. Spaces that cannot be read turn out here, at the latest: they are left out, and named.
func (o *organizationSearch) page(ctx context.Context, w rest.Pager, keys []string) (p spacesPage, err error) {
	for {
		page, next := w.Slice(keys, rest.OldestFirst)
		shown := make([]foundIn, len(page))
		for i, key := range page {
			shown[i] = o.found[key]
		}
		p.items, err = o.spaceHits(ctx, shown)
		p.shown, p.count, p.next = shown, len(keys), next
		u, unreadable := objects.AsUnreadable(err)
		if !unreadable {
			return p, err
		}
		rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return o.found[key].asked.id == u.Space })
		if len(rest) == len(keys) {
			return p, err
		}
		keys, o.without[u.Space] = rest, true
	}
}

// spaceHits writes out hits with their spaces.
func (s *Service) spaceHits(ctx context.Context, found []foundIn) ([]api.SpaceHit, error) {
	pages, err := s.pageHits(ctx, found)
	if err != nil {
		return nil, err
	}
	items := make([]api.SpaceHit, 0, len(found))
	for i, f := range found {
		items = append(items, api.SpaceHit{ID: f.asked.id, Title: f.asked.title.text, Pages: pages[i]})
	}
	return items, nil
}
