package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
)

// Service makes the views of revisions.
type Service struct {
	Log       *slog.Logger
	Revisions *revision.Revisions
	Slow      budgets.Slow
	Caches    Caches

	making cache.Turns // by version: a large document takes time and memory
}

// Caches keep what views are made of.
type Caches struct {
	specs *cache.Cache[openapi.Pages] // by version
	trees *cache.Cache[expanded]      // by pages and versions
	fits  *cache.Cache[bool]          // by links, variables and reusable contents

	resolvers   *cache.Cache[*revision.Resolver]   // by pages, files and versions
	definitions *cache.Cache[[]content.Definition] // by pages and document
}

// NewCaches returns caches with that budget in bytes together.
func NewCaches(budget int64) Caches {
	const treesPart, fitsPart, resolversPart, definitionsPart = 4, 64, 8, 64
	return Caches{
		specs: cache.New(budget-budget/treesPart-budget/fitsPart-budget/resolversPart-budget/definitionsPart, openapi.Pages.Size),
		trees: cache.New(budget/treesPart, func(e expanded) int { return e.tree.Bytes() + madeBytes*len(e.made) }),
		fits:  cache.New(budget/fitsPart, func(bool) int { return 1 }),

		resolvers:   cache.New(budget/resolversPart, (*revision.Resolver).Bytes),
		definitions: cache.New(budget/definitionsPart, definitionBytes),
	}
}

// madeBytes is what a page that is made costs beside its place in the tree and its text, roughly.
const madeBytes = 160

// expanded is a tree with the pages that computed pages stand for.
type expanded struct {
	tree *revision.Tree
	made map[string][]byte // Markdown of the pages that are not stored, by id
}

// View is what the readers of one revision see. It is for one caller at a time.
type View struct {
	Head     store.Head
	Revision revision.Revision
	Tree     *revision.Tree // with the pages that computed pages stand for

	service   *Service
	content   *objects.Content
	made      map[string][]byte // as in expanded
	reusables map[string][]byte // texts by id, nil where there is none
	kept      int               // bytes of their texts
	versions  string            // of the specifications of the revision
	linksOf   map[string]revision.PageLinks
	links     string         // root of the map of links, once it is known
	sizes     map[string]int // of reusable contents with all that is in them
}

// At opens the view of a head.
func (s *Service) At(ctx context.Context, c *objects.Content, head store.Head) (*View, error) {
	r, err := s.Revisions.Revision(ctx, c, head.Revision)
	if err != nil {
		return nil, err
	}
	v := &View{Head: head, Revision: r, service: s, content: c, reusables: map[string][]byte{}, sizes: map[string]int{}, linksOf: map[string]revision.PageLinks{}}
	versions, err := json.Marshal(r.Specs)
	if err != nil {
		return nil, fmt.Errorf("specifications of %s: %w", head.Revision, err)
	}
	v.versions = string(versions)
	v.Tree, v.made, err = s.expanded(ctx, c, r, v.versions)
	return v, err
}

// AtRevision opens the view of a revision by its id.
func (s *Service) AtRevision(ctx context.Context, c *objects.Content, id string) (*View, error) {
	r, err := s.Revisions.Revision(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.At(ctx, c, store.Head{Revision: id, Pages: r.Pages, Files: r.Files, Links: r.Links, At: r.At})
}

// IsMade reports whether a page is not stored but made.
func (v *View) IsMade(id string) bool { _, made := v.made[id]; return made }

// Made are the ids of the pages that are made, in no order.
func (v *View) Made() iter.Seq[string] { return maps.Keys(v.made) }

// ComputedID is the id of a page below a computed one, by its key there.
func ComputedID(owner, key string) string { return owner + separator + key }

// OwnerOf takes such an id apart; ok is false for that of a stored page.
func OwnerOf(id string) (owner, key string, ok bool) { return strings.Cut(id, separator) }

// separator joins the id of a computed page and the key of a page below it; ids of stored pages do not have it.
const separator = "-"

// expanded returns the tree of a revision with the pages that computed pages stand for, of the versions that the
// revision names.
func (s *Service) expanded(ctx context.Context, c *objects.Content, r revision.Revision, versions string) (*revision.Tree, map[string][]byte, error) {
	stored, err := s.Revisions.Tree(ctx, c, r.Pages)
	if err != nil || len(r.Specs) == 0 {
		return stored, nil, err
	}
	key := cache.KeyOf(c, []string{r.Pages}, versions)
	if e, ok := s.Caches.trees.Get(key); ok {
		return e.tree, e.made, nil
	}
	e := expanded{stored.Next(), map[string][]byte{}}
	for _, id := range stored.Under("")[1:] {
		owner := stored.Page(id)
		name, ok := revision.SpecOf(owner)
		named := r.Specs[name]
		if !ok || named.Version == "" {
			continue
		}
		pages, err := s.SpecPages(ctx, named.Version, func(ctx context.Context) ([]byte, error) {
			return s.Revisions.ReadFile(ctx, c.Space(), named.Bundle)
		})
		if err != nil {
			return nil, nil, fmt.Errorf("pages of %s: %w", name, err)
		}
		e.add(owner, pages.Asked(owner.Computed.Props))
	}
	s.Caches.trees.Put(key, e)
	return e.tree, e.made, nil
}

// add puts pages below a computed one.
func (e expanded) add(owner *revision.Page, pages []openapi.Page) {
	below := make([]*revision.Page, len(pages))
	for i, p := range pages {
		id := ComputedID(owner.ID, p.Slug)
		e.made[id] = p.Markdown
		below[i] = &revision.Page{
			ID: id, Parent: owner.ID, Order: fmt.Sprintf("%06d", i), Type: api.PageDocument, Title: p.Title, Slug: p.Slug,
			Hidden: owner.Hidden, NoIndex: owner.NoIndex, NoRobotsIndex: owner.NoRobotsIndex, CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt,
		}
	}
	e.tree.Graft(owner.ID, below)
}

// SpecPages are the pages of a version of a specification, whose bundled document is read when it has to be.
func (s *Service) SpecPages(ctx context.Context, version string, read func(context.Context) ([]byte, error)) (openapi.Pages, error) {
	if made, ok := s.Caches.specs.Get(cache.RecordKey(version)); ok {
		return made, nil
	}
	done, err := s.making.Take(ctx, version)
	if err != nil {
		return openapi.Pages{}, err
	}
	defer done()
	if made, ok := s.Caches.specs.Get(cache.RecordKey(version)); ok {
		return made, nil
	}
	bundle, err := read(ctx)
	if err != nil {
		return openapi.Pages{}, err
	}
	turn, err := s.Slow.Begin(ctx, len(bundle)*budgets.SpecFactor)
	if err != nil {
		return openapi.Pages{}, err
	}
	defer turn.End()
	made, err := openapi.MakePages(bundle)
	if err != nil { // it will not be better the next time
		s.Log.WarnContext(ctx, "no pages can be made of a specification", slog.String("version", version), slog.Any("error", err))
	}
	s.Caches.specs.Put(cache.RecordKey(version), made)
	return made, nil
}
