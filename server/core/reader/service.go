package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/core/specprocess"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
)

// Service creates the views of revisions.
type Service struct {
	Log       *slog.Logger
	Revisions *revision.Revisions
	Slow      budgets.WorkLimiter
	Specs     specprocess.Reader
	Caches    Caches

	locks cache.NamedLocks // by version, because parsing a large document takes time and memory
}

// Caches holds the caches that views share.
type Caches struct {
	specs      *objects.DerivedCache[openapi.Pages] // by version
	trees      *objects.DerivedCache[expandedTree]  // by pages and versions
	sizeChecks *objects.DerivedCache[bool]          // by links, variables and reusable contents

	resolvers   *objects.DerivedCache[*resolve.Resolver]    // by pages, files and versions
	definitions *objects.DerivedCache[[]content.Definition] // by pages and document
}

// NewCaches returns caches with a common budget in bytes.
func NewCaches(budget int64) Caches {
	const treesPart, fitsPart, resolversPart, definitionsPart = 4, 64, 8, 64
	specsBudget := budget - budget/treesPart - budget/fitsPart - budget/resolversPart - budget/definitionsPart
	return Caches{
		specs: objects.NewDerivedCache(specsBudget, openapi.Pages.Size),
		trees: objects.NewDerivedCache(budget/treesPart,
			func(e expandedTree) int { return e.tree.Bytes() + generatedBytes*len(e.generated) }),
		sizeChecks: objects.NewDerivedCache(budget/fitsPart, func(bool) int { return 1 }),

		resolvers:   objects.NewDerivedCache(budget/resolversPart, (*resolve.Resolver).Bytes),
		definitions: objects.NewDerivedCache(budget/definitionsPart, definitionBytes),
	}
}

// Stats returns the size and the use of all caches together.
func (c Caches) Stats() (total cache.Stats) {
	for _, s := range []cache.Stats{
		c.specs.Stats(), c.trees.Stats(), c.sizeChecks.Stats(), c.resolvers.Stats(), c.definitions.Stats(),
	} {
		total.Add(s)
	}
	return total
}

// generatedBytes estimates the memory of a generated page in addition to its tree entry and text.
const generatedBytes = 160

// expandedTree is a page tree that includes generated pages.
type expandedTree struct {
	tree      *revision.Tree
	generated map[string][]byte // Markdown of the generated pages by id
}

// View is the content of one revision as its readers see it. It is not safe for concurrent use.
type View struct {
	Head     store.Head
	Revision revision.Revision
	Tree     *revision.Tree // including generated pages

	service     *Service
	content     *objects.Content
	generated   map[string][]byte // as in expanded
	reusables   map[string][]byte // texts by id, nil if the content does not exist
	cachedBytes int               // total size of reusables
	versions    string            // of the revision's specifications
	pageLinks   map[string]revision.PageLinks
	links       string         // root of the link map, "" if not yet known
	sizes       map[string]int // of evaluated reusable contents
}

// At opens the view of a head.
func (s *Service) At(ctx context.Context, c *objects.Content, head store.Head) (*View, error) {
	r, err := s.Revisions.Revision(ctx, c, head.Revision)
	if err != nil {
		return nil, err
	}
	v := &View{
		Head: head, Revision: r, service: s, content: c, reusables: map[string][]byte{}, sizes: map[string]int{},
		pageLinks: map[string]revision.PageLinks{},
	}
	versions, err := json.Marshal(r.Specs)
	if err != nil {
		return nil, fmt.Errorf("specifications of %s: %w", head.Revision, err)
	}
	v.versions = string(versions)
	v.Tree, v.generated, err = s.expand(ctx, c, r, v.versions)
	return v, err
}

// AtRevision opens the view of a revision by its id.
func (s *Service) AtRevision(ctx context.Context, c *objects.Content, id string) (*View, error) {
	r, err := s.Revisions.Revision(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.At(ctx, c, store.Head{Revision: id, Pages: r.Pages, Files: r.Files, Links: r.Links, MovedAt: r.CreatedAt})
}

// IsGenerated reports whether a page is generated rather than stored.
func (v *View) IsGenerated(id string) bool { _, made := v.generated[id]; return made }

// Generated returns the ids of the generated pages in no particular order.
func (v *View) Generated() iter.Seq[string] { return maps.Keys(v.generated) }

// GeneratedID returns the id of a generated page from the id of its computed page and its key.
func GeneratedID(owner, key string) string { return owner + separator + key }

// OwnerOf splits the id of a generated page. It reports false for the id of a stored page.
func OwnerOf(id string) (owner, key string, ok bool) { return strings.Cut(id, separator) }

// separator separates owner and key in the id of a generated page. Ids of stored pages do not contain it.
const separator = "-"

// expand returns the tree of a revision with the generated pages of the pinned versions.
func (s *Service) expand(ctx context.Context, c *objects.Content, r revision.Revision, versions string) (*revision.Tree,
	map[string][]byte, error,
) {
	stored, err := s.Revisions.Tree(ctx, c, r.Pages)
	if err != nil || len(r.Specs) == 0 {
		return stored, nil, err
	}
	key := objects.KeyOf(c, []string{r.Pages}, versions)
	if e, ok := s.Caches.trees.Get(key); ok {
		return e.tree, e.generated, nil
	}
	e := expandedTree{stored.Next(), map[string][]byte{}}
	for _, id := range stored.Subtree("")[1:] {
		owner := stored.Page(id)
		name, ok := revision.SpecName(owner)
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
		e.add(owner, pages.Select(owner.Computed.Props))
	}
	s.Caches.trees.Put(key, e)
	return e.tree, e.generated, nil
}

// add adds generated pages below a computed page.
func (e expandedTree) add(owner *revision.Page, pages []openapi.Page) {
	below := make([]*revision.Page, len(pages))
	for i, p := range pages {
		id := GeneratedID(owner.ID, p.Slug)
		e.generated[id] = p.Markdown
		below[i] = &revision.Page{
			ID: id, Parent: owner.ID, Order: fmt.Sprintf("%06d", i), Type: api.PageDocument, Title: p.Title, Slug: p.Slug,
			Hidden: owner.Hidden, NoIndex: owner.NoIndex, NoRobotsIndex: owner.NoRobotsIndex, CreatedAt: owner.CreatedAt,
			UpdatedAt: owner.UpdatedAt,
		}
	}
	e.tree.AddChildren(owner.ID, below)
}

// SpecPages returns the pages of a version of a specification. It calls read for the bundled document if the pages
// are not cached.
func (s *Service) SpecPages(ctx context.Context, version string, read func(context.Context) ([]byte, error)) (openapi.Pages, error) {
	if made, ok := s.Caches.specs.Get(objects.RecordKey(version)); ok {
		return made, nil
	}
	done, err := s.locks.Lock(ctx, version)
	if err != nil {
		return openapi.Pages{}, err
	}
	defer done()
	if made, ok := s.Caches.specs.Get(objects.RecordKey(version)); ok {
		return made, nil
	}
	bundle, err := read(ctx)
	if err != nil {
		return openapi.Pages{}, err
	}
	work, err := s.Slow.Begin(ctx, len(bundle)*budgets.SpecFactor)
	if err != nil {
		return openapi.Pages{}, err
	}
	defer work.End()
	made, err := s.Specs.MakePages(ctx, bundle)
	if wrong, ok := errors.AsType[*openapi.ParseError](err); ok { // the result is cached, since a retry would fail, too
		s.Log.WarnContext(ctx, "no pages can be made of a specification", slog.String("version", version), slog.Any("error", err))
		made, err = openapi.PageOfError(wrong), nil
	}
	if err != nil {
		return openapi.Pages{}, err
	}
	s.Caches.specs.Put(objects.RecordKey(version), made)
	return made, nil
}
