package indexing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) searchEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.SearchSpace, auth.InSpace(api.RoleRead), s.searchSpace),
		rest.Op(api.SearchOrganization, auth.Member(), s.searchOrganization),
	}
}

const (
	shownSections = 3  // of a page
	shownPages    = 10 // of a space, in a search of the organization
	excerptBytes  = 240
	spacesAtOnce  = 500
)

// searchSpace finds pages of a space, the best first.
func (s *Service) searchSpace(ctx context.Context, c *rest.Call, b *txn.Batch, in api.SearchSpaceInput) rest.Finish[api.Page[api.PageHit]] {
	org := c.Org
	states := queueIndexStates(b, org, []string{in.Space})
	return func(ctx context.Context) (none rest.Result[api.Page[api.PageHit]], err error) {
		w := rest.NewPager(c, in.ListOptions, false, in.Query)
		if w.Err != nil {
			return none, w.Err
		}
		heads, unreadable, err := s.indexed(ctx, states)
		if err = cmp.Or(err, unreadable[in.Space]); err != nil {
			return none, err
		}
		query := search.Parse(in.Query)
		a := s.newSpaceSearch(in.Space, heads[in.Space], query)
		if err := s.askSpaces(ctx, []*spaceSearch{a}); err != nil {
			return none, err
		}
		hits := a.best(w.After, w.Size+1)
		keys := make([]string, len(hits))
		for i, h := range hits {
			keys[i] = h.key()
		}
		page, next := w.Cut(keys)
		items, err := s.pageHits(ctx, []foundIn{{a, hits[:len(page)]}}, query)
		if err != nil {
			return none, err
		}
		return rest.Value(api.Page[api.PageHit]{Next: rest.NextPage(next), Count: len(a.found), Items: items[0]})
	}
}

// searchOrganization finds pages in all spaces that the caller may read, the space with the best page first.
func (s *Service) searchOrganization(ctx context.Context, c *rest.Call, in api.SearchOrganizationInput) (none rest.Result[api.Page[api.SpaceHit]], err error) {
	w := rest.NewPager(c, in.ListOptions, false, in.Query)
	if w.Err != nil {
		return none, w.Err
	}
	query := search.Parse(in.Query)
	spaces, err := s.spacesToAsk(ctx, c, query)
	if err != nil {
		return none, err
	}
	found := map[string]foundIn{}
	var keys, without []string
	for chunk := range slices.Chunk(spaces, spacesAtOnce) {
		asked, missed, err := s.askReadable(ctx, c, chunk, query)
		if err != nil {
			return none, err
		}
		without = append(without, missed...)
		for _, a := range asked {
			if best := a.best("", shownPages); len(best) > 0 {
				key := hit{page: a.space, rank: best[0].rank}.key()
				keys, found[key] = append(keys, key), foundIn{a, best}
			}
		}
	}
	slices.Sort(keys)
	p, err := s.spacesPage(ctx, c, w, keys, found, query)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(api.Page[api.SpaceHit]{Next: rest.NextPage(p.next), Count: p.count, Items: p.items})
	return r.GoOnWithout(append(without, p.without...)), err
}

// askReadable puts a query to spaces that the caller may read, and names those whose content nobody can read.
func (s *Service) askReadable(ctx context.Context, c *rest.Call, spaces []string, query []search.QueryWord) (asked []*spaceSearch, without []string, err error) {
	heads, unreadable, err := s.indexedNow(ctx, c.Org, spaces)
	if err != nil {
		return nil, nil, err
	}
	for _, space := range spaces {
		if at, ok := heads[space]; ok {
			asked = append(asked, s.newSpaceSearch(space, at, query))
		}
	}
	return asked, slices.Sorted(maps.Keys(unreadable)), s.askSpaces(ctx, asked)
}

// spaceHits writes out hits with their spaces.
func (s *Service) spaceHits(ctx context.Context, c *rest.Call, found []foundIn, query []search.QueryWord) ([]api.SpaceHit, error) {
	org := c.Org
	pages, err := s.pageHits(ctx, found, query)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.asked.space
	}
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.SpaceKey(org, id) })
	if err != nil {
		return nil, err
	}
	items := make([]api.SpaceHit, 0, len(found))
	for i, f := range found {
		record, known := records[f.asked.space]
		if !known {
			continue // removed meanwhile
		}
		var space store.SpaceDocument
		if err := space.Decode(record); err != nil {
			return nil, err
		}
		items = append(items, api.SpaceHit{ID: f.asked.space, Title: space.Fields.Title, Pages: pages[i]})
	}
	return items, nil
}

// spacesToAsk are the spaces that the caller may read and that may have all the words: what the organization knows of
// their terms holds for all but those whose index is behind, which are brought forward first.
func (s *Service) spacesToAsk(ctx context.Context, c *rest.Call, query []search.QueryWord) ([]string, error) {
	org := c.Org
	index := postings.OfOrganization(org)
	b := s.Store.Pipeline()
	behind := b.Members(postings.StaleKey(org))
	var terms [][]string
	var completions []*txn.Reply[[]string]
	for _, w := range query {
		if w.Optional {
			continue
		}
		terms = append(terms, []string{w.Term})
		var more *txn.Reply[[]string]
		if w.Prefix {
			more = index.Terms(b, w.Folded, prefixTerms)
		}
		completions = append(completions, more)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	stale := behind.Value()
	stale = s.readable(c, stale)
	if len(terms) == 0 {
		return nil, nil
	}
	b = s.Store.Pipeline()
	sets := make([]*txn.Reply[[]string], len(terms))
	for i := range terms {
		if completions[i] != nil {
			more := completions[i].Value()
			terms[i] = append(terms[i], more...)
		}
		sets[i] = index.Spaces(b, terms[i])
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	having := map[string]int{}
	for _, set := range sets {
		spaces := set.Value()
		for _, space := range spaces {
			having[space]++
		}
	}
	for _, space := range stale {
		having[space] = len(sets)
	}
	var candidates []string
	for space, n := range having {
		if n == len(sets) {
			candidates = append(candidates, space)
		}
	}
	candidates = s.readable(c, candidates)
	slices.Sort(candidates)
	return candidates, nil
}

// readable keeps the spaces that the caller may read.
func (s *Service) readable(c *rest.Call, spaces []string) (kept []string) {
	c.Access(func(model *access.Model) { kept = access.NewViewer(model, c.Caller).Visible(spaces) })
	return kept
}

// spacesPage is a page of hits, by space. Spaces that cannot be read turn out here, at the latest: they are left out,
// and named.
type spacesPage struct {
	items   []api.SpaceHit
	count   int
	next    string
	without []string
}

func (s *Service) spacesPage(ctx context.Context, c *rest.Call, w rest.Pager, keys []string, found map[string]foundIn, query []search.QueryWord) (p spacesPage, err error) {
	for {
		page, next := w.Slice(keys, rest.OldestFirst)
		shown := make([]foundIn, len(page))
		for i, key := range page {
			shown[i] = found[key]
		}
		p.items, err = s.spaceHits(ctx, c, shown, query)
		p.count, p.next = len(keys), next
		u, unreadable := objects.AsUnreadable(err)
		if !unreadable {
			return p, err
		}
		rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return found[key].asked.space == u.Space })
		if len(rest) == len(keys) {
			return p, err
		}
		keys, p.without = rest, append(p.without, u.Space)
	}
}
