package search

import (
	"cmp"
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) searchEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.SearchSpace, auth.InSpace(api.RoleRead), s.searchSpace),
		rest.Op(api.SearchSite, auth.InSite(api.RoleRead), s.searchSite),
		rest.Op(api.SearchOrganization, auth.Member(), s.searchOrganization),
	}
}

const (
	shownSections = 3  // per page
	shownPages    = 10 // per space, in a search of the organization
	excerptBytes  = 240
	spaceBatch    = 500
)

// searchSpace finds pages of a space, best matches first.
func (s *Service) searchSpace(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.SearchSpaceInput,
) rest.Finish[api.Page[api.PageHit]] {
	org := r.Org
	states := queueIndexStates(b, org, []string{in.Space})
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.PageHit]], err error) {
		w := c.NewPager(in.ListOptions, false, in.Query)
		if w.Err != nil {
			return none, w.Err
		}
		limited, cancel := context.WithTimeout(ctx, s.MaxIndexWait)
		defer cancel()
		heads, unreadable, err := s.ensureIndexed(ctx, limited, states)
		if err = cmp.Or(err, unreadable[in.Space]); err != nil {
			return none, err
		}
		a := s.newSpaceSearch(in.Space, heads[in.Space], terms.Parse(in.Query))
		asked := []*spaceSearch{a}
		if err := s.searchIndexes(ctx, org, asked); err != nil {
			return none, err
		}
		if err := s.searchSimilar(ctx, org, asked, a.findMisspelled()); err != nil {
			return none, err
		}
		a.match()
		hits := a.bestHits(w.After, w.Size+1)
		keys := make([]string, len(hits))
		for i, h := range hits {
			keys[i] = h.key()
		}
		page, next := w.Cut(keys)
		items, err := s.pageHits(ctx, []spaceResult{{search: a, hits: hits[:len(page)]}})
		if err != nil {
			return none, err
		}
		return rest.Value(api.Page[api.PageHit]{Next: rest.NextPage(next), Count: len(a.matches), Items: items[0]})
	}
}
