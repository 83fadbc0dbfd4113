package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
)

var searchEndpoints = []Endpoint{
	op(api.SearchSpace, inSpace(api.RoleRead), (*Server).searchSpace),
	op(api.SearchOrganization, member(), (*Server).searchOrganization),
}

const (
	shownSections = 3  // of a page
	shownPages    = 10 // of a space, in a search of the organization
	excerptBytes  = 240
	spacesAtOnce  = 500
)

// searchSpace finds pages of a space, the best first.
func (s *Server) searchSpace(ctx context.Context, in api.SearchSpaceInput) (Result[api.Page[api.PageHit]], error) {
	var none Result[api.Page[api.PageHit]]
	c := callFrom(ctx)
	w := newWindow(c, in.ListOptions, false, in.Query)
	query := search.Parse(in.Query)
	heads, err := s.indexed(ctx, []string{in.Space})
	if err := errors.Join(w.err, err); err != nil {
		return none, err
	}
	found, err := s.askSpaces(ctx, []string{in.Space}, query)
	if err != nil {
		return none, err
	}
	keys := make([]string, len(found[0]))
	for i, h := range found[0] {
		keys[i] = h.key()
	}
	page, next := w.of(keys, oldestFirst)
	var shown []hit
	if len(page) > 0 {
		from, _ := slices.BinarySearch(keys, page[0]) // hits are in the order of their keys
		shown = found[0][from : from+len(page)]
	}
	items, err := s.pageHits(ctx, []foundIn{{in.Space, heads[in.Space], shown}}, query)
	if err != nil {
		return none, err
	}
	return value(api.Page[api.PageHit]{Next: nextPage(next), Count: len(keys), Items: items[0]})
}

// indexed brings the indexes of spaces to their heads, and returns these.
func (s *Server) indexed(ctx context.Context, spaces []string) (map[string]store.Head, error) {
	org := callFrom(ctx).org
	for range searchAttempts {
		b := s.store.Pipeline()
		fields := b.Fields(store.HeadsKey(org), spaces...)
		states := make([]*store.Future[store.SearchState], len(spaces))
		for i, space := range spaces {
			states[i] = b.SearchState(space)
		}
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("read search index: %w", err)
		}
		texts, _, err := fields.Get()
		if err != nil {
			return nil, err
		}
		heads := make(map[string]store.Head, len(spaces))
		behind := 0
		for i, space := range spaces {
			if heads[space], err = store.ParseHead(texts[space]); err != nil {
				return nil, err
			}
			state, _, _ := states[i].Get() // what cannot be read is built anew
			if state.Reflects(search.Form, org, heads[space].Pages) {
				continue
			}
			behind++
			if err := s.indexForSearch(ctx, org, space); err != nil {
				return nil, err
			}
		}
		if behind == 0 {
			return heads, nil
		}
	}
	return nil, store.ErrBusy
}

// foundIn are hits in a space, at a head that its index reflected.
type foundIn struct {
	space string
	head  store.Head
	hits  []hit
}

// pageHits writes out hits, by space, in one trip.
func (s *Server) pageHits(ctx context.Context, found []foundIn, query []search.QueryWord) ([][]api.PageHit, error) {
	trees, texts := make([]*tree, len(found)), make([]map[string]*store.Future[[]byte], len(found))
	sections := make([]*store.Future[map[string]string], len(found))
	b := s.store.Pipeline()
	for i, f := range found {
		t, err := s.tree(ctx, s.store.Content(f.space), f.head.Pages)
		if err != nil {
			return nil, err
		}
		trees[i], texts[i] = t, map[string]*store.Future[[]byte]{}
		var ids []string
		for _, h := range f.hits {
			ids = append(ids, h.page)
			if p := t.page(h.page); p != nil && p.Text != "" {
				texts[i][h.page] = b.Object(f.space, p.Text) //nolint:contextcheck,nolintlint // it runs under the context of the trip
			}
		}
		sections[i] = b.SearchSections(f.space, ids)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read hits: %w", err)
	}
	answers := make([][]api.PageHit, len(found))
	for i, f := range found {
		sectionsOf, _, err := sections[i].Get()
		if err != nil {
			return nil, err
		}
		answers[i] = make([]api.PageHit, 0, len(f.hits))
		for _, h := range f.hits {
			var markdown []byte
			if text := texts[i][h.page]; text != nil {
				if markdown, _, err = text.Get(); err != nil {
					return nil, err
				}
			}
			if p := trees[i].page(h.page); p != nil { // the index went on meanwhile
				answers[i] = append(answers[i], s.pageHit(trees[i], f.space, h, markdown, sectionsOf[h.page], query))
			}
		}
	}
	return answers, nil
}

// pageHit writes out one page with the sections that have the most of the query.
func (s *Server) pageHit(t *tree, space string, h hit, markdown []byte, stored string, query []search.QueryWord) api.PageHit {
	p := t.page(h.page)
	path, app := t.path(p.ID), s.appURL("pages", space+"~"+p.ID)
	answer := api.PageHit{ID: p.ID, Title: p.name(), Path: path, Sections: []api.SectionHit{}, URLs: api.PageURLs{App: app}}
	var sections []searchSection
	if json.Unmarshal([]byte(stored), &sections) != nil {
		return answer
	}
	for _, n := range h.bestSections(shownSections) {
		if n >= len(sections) || sections[n].Start > sections[n].End || sections[n].End > len(markdown) {
			continue // of another text: the index went on meanwhile
		}
		at := sections[n]
		hit := api.SectionHit{ID: orDefault(at.Anchor, p.ID), Title: orDefault(at.Title, p.name()), Path: path, URLs: api.PageURLs{App: app}}
		if at.Anchor != "" {
			hit.Path, hit.URLs.App = path+"#"+at.Anchor, app+"#"+at.Anchor
		}
		hit.Body = content.Excerpt(markdown[at.Start:at.End], wordsOf(query), excerptBytes)
		answer.Sections = append(answer.Sections, hit)
	}
	return answer
}

// wordsOf are the forms of the words that an excerpt should show, the rarest form first.
func wordsOf(query []search.QueryWord) []string {
	var words []string
	for _, w := range query {
		if !w.Optional {
			words = append(words, w.Folded, w.Term)
		}
	}
	return words
}

// searchOrganization finds pages in all spaces that the caller may read, the space with the best page first.
func (s *Server) searchOrganization(ctx context.Context, in api.SearchOrganizationInput) (Result[api.Page[api.SpaceHit]], error) {
	var none Result[api.Page[api.SpaceHit]]
	w := newWindow(callFrom(ctx), in.ListOptions, false, in.Query)
	if w.err != nil {
		return none, w.err
	}
	query := search.Parse(in.Query)
	spaces, err := s.spacesToAsk(ctx, query)
	if err != nil {
		return none, err
	}
	found := map[string]foundIn{}
	var keys []string
	for chunk := range slices.Chunk(spaces, spacesAtOnce) {
		heads, err := s.indexed(ctx, chunk)
		if err != nil {
			return none, err
		}
		hits, err := s.askSpaces(ctx, chunk, query)
		if err != nil {
			return none, err
		}
		for i, space := range chunk {
			if len(hits[i]) > 0 {
				key := hit{page: space, rank: hits[i][0].rank}.key()
				keys, found[key] = append(keys, key), foundIn{space, heads[space], hits[i][:min(shownPages, len(hits[i]))]}
			}
		}
	}
	slices.Sort(keys)
	page, next := w.of(keys, oldestFirst)
	shown := make([]foundIn, len(page))
	for i, key := range page {
		shown[i] = found[key]
	}
	items, err := s.spaceHits(ctx, shown, query)
	if err != nil {
		return none, err
	}
	return value(api.Page[api.SpaceHit]{Next: nextPage(next), Count: len(keys), Items: items})
}

// spaceHits writes out hits with their spaces.
func (s *Server) spaceHits(ctx context.Context, found []foundIn, query []search.QueryWord) ([]api.SpaceHit, error) {
	org := callFrom(ctx).org
	pages, err := s.pageHits(ctx, found, query)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.space
	}
	records, err := s.records(ctx, ids, func(id string) store.Key { return store.SpaceKey(org, id) })
	if err != nil {
		return nil, err
	}
	items := make([]api.SpaceHit, 0, len(found))
	for i, f := range found {
		record, known := records[f.space]
		if !known {
			continue // removed meanwhile
		}
		var space store.SpaceDocument
		if err := space.Decode(record); err != nil {
			return nil, err
		}
		items = append(items, api.SpaceHit{ID: f.space, Title: space.Fields.Title, Pages: pages[i]})
	}
	return items, nil
}

// spacesToAsk are the spaces that the caller may read and that may have all the words: what the organization knows of
// their terms holds for all but those whose index is behind, which are brought forward first.
func (s *Server) spacesToAsk(ctx context.Context, query []search.QueryWord) ([]string, error) {
	org := callFrom(ctx).org
	index := store.OrganizationSearch(org)
	b := s.store.Pipeline()
	behind := b.Members(store.StaleKey(org))
	var terms [][]string
	var completions []*store.Future[[]string]
	for _, w := range query {
		if w.Optional {
			continue
		}
		terms = append(terms, []string{w.Term})
		var more *store.Future[[]string]
		if w.Prefix {
			more = index.Terms(b, w.Folded, prefixTerms)
		}
		completions = append(completions, more)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	stale, _, _ := behind.Get()
	stale = s.readable(ctx, stale)
	if len(terms) == 0 {
		return nil, nil
	}
	b = s.store.Pipeline()
	sets := make([]*store.Future[[]string], len(terms))
	for i := range terms {
		if completions[i] != nil {
			more, _, _ := completions[i].Get()
			terms[i] = append(terms[i], more...)
		}
		sets[i] = index.Spaces(b, terms[i])
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	having := map[string]int{}
	for _, set := range sets {
		spaces, _, _ := set.Get()
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
	candidates = s.readable(ctx, candidates)
	slices.Sort(candidates)
	return candidates, nil
}

// readable keeps the spaces that the caller may read.
func (s *Server) readable(ctx context.Context, spaces []string) (kept []string) {
	c := callFrom(ctx)
	c.withShape(func(sh *shape) { kept = newViewer(sh, c.caller).visible(spaces) })
	return kept
}
