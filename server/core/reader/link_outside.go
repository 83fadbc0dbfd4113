package reader

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Observer is the caller that links are shown to, and its organization with the access model.
type Observer struct {
	Org    string
	Caller *access.Caller
	Model  *txn.Feed
}

// VisibleLinks returns the links of a page, or of all pages, as the caller may see them: a hidden space or collection counts
// as missing.
func (l *Links) VisibleLinks(ctx context.Context, by Observer, g *Graph, page string) ([]Link, error) {
	ids := g.IDs
	if page != "" {
		ids = []string{page}
	}
	var links []Link
	for _, id := range ids {
		links = append(links, g.Pages[id]...)
	}
	var outside []*Link
	for i := range links {
		if links[i].Outside {
			outside = append(outside, &links[i])
		}
	}
	if len(outside) == 0 {
		return links, nil
	}
	places, specs := []*Link(nil), []*Link(nil)
	for _, l := range outside {
		if l.Target.Kind == api.RefOpenAPI {
			specs = append(specs, l)
		} else {
			places = append(places, l)
		}
	}
	hideInvisible(by, places)
	if err := l.checkSpecs(ctx, by, specs); err != nil {
		return nil, err
	}
	return links, l.checkOtherSpaces(ctx, by, places)
}

// checkSpecs marks links to specifications that do not exist, or that the caller may not see, as broken.
func (l *Links) checkSpecs(ctx context.Context, by Observer, links []*Link) error {
	if len(links) == 0 {
		return nil
	}
	b := l.Store.NewBatch()
	found := make([]*txn.Future[txn.Record], len(links))
	for i, l := range links {
		found[i] = b.Record(store.OpenAPISpecKey(by.Org, l.Target.Spec))
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read specifications: %w", err)
	}
	for i, l := range links {
		_, exists, err := found[i].Get()
		if err != nil {
			return err
		}
		if !exists || !by.Caller.Role.AtLeast(api.RoleRead) {
			l.fail(api.NoSuchSpec)
		}
	}
	return nil
}

// hideInvisible marks links to content that the caller may not see as broken. A target in another organization is
// treated as an external URL.
func hideInvisible(by Observer, links []*Link) {
	access.View(by.Model, func(model *access.Model) {
		v := access.NewViewer(model, by.Caller)
		for _, l := range links {
			id := cmp.Or(l.Target.Space, l.Target.Collection)
			home, isID := txn.HomeOrganization(id)
			switch {
			case v.CanRead(id):
			case isID && home != by.Org && model.Entry(id) == nil && !InSpace(l.Href):
				l.Target, l.Outside = api.ContentRef{Kind: api.RefURL, URL: l.Href}, false
			case l.Target.Collection != "":
				l.fail(api.NoSuchCollection)
			default:
				l.fail(api.NoSuchSpace)
			}
		}
	})
}

// checkOtherSpaces marks links to missing pages of other spaces as broken.
func (l *Links) checkOtherSpaces(ctx context.Context, by Observer, links []*Link) error {
	pages := map[string]map[string]bool{} // by space
	for _, l := range links {
		if l.Outside && l.Target.Page != "" && l.Status != api.LinkBroken {
			if pages[l.Target.Space] == nil {
				pages[l.Target.Space] = map[string]bool{}
			}
			pages[l.Target.Space][storedPage(l.Target.Page)] = true
		}
	}
	heads, err := l.LoadHeads(ctx, by.Org, slices.Sorted(maps.Keys(pages)))
	if err != nil {
		return err
	}
	for space, wanted := range pages {
		known, err := l.Store.Content(space).Get(ctx, heads[space].Pages, slices.Sorted(maps.Keys(wanted))...)
		if err != nil {
			return fmt.Errorf("pages of %s: %w", space, err)
		}
		for _, l := range links {
			if _, exists := known[storedPage(l.Target.Page)]; l.Target.Space == space && l.Target.Page != "" && !exists {
				l.fail(api.NoSuchPage)
			}
		}
	}
	return nil
}

// storedPage returns the id of the stored page for a page: for a generated one, the computed page above it.
func storedPage(id string) string {
	owner, _, _ := OwnerOf(id)
	return owner
}

// LoadHeads returns the heads of spaces. Spaces without a head are missing in the map.
func (l *Links) LoadHeads(ctx context.Context, org string, spaces []string) (map[string]store.Head, error) {
	b := l.Store.NewBatch()
	fields := b.Fields(store.HeadsKey(org), spaces...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read heads: %w", err)
	}
	heads := make(map[string]store.Head, len(fields.Value()))
	for space, text := range fields.Value() {
		head, err := store.ParseHead(text)
		if err != nil {
			return nil, err
		}
		heads[space] = head
	}
	return heads, nil
}
