package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// Computer generates the pages below computed pages. A server without a Computer returns computed pages as stored.
type Computer interface {
	// Compute returns the pages below a computed page. The result has no pages if the source was deleted and no
	// version of it is pinned.
	Compute(ctx context.Context, of ComputeInput) (ComputeResult, error)
}

// ComputeInput is the input of Computer.Compute.
type ComputeInput struct {
	Organization, Space string
	Source              api.Computed
	Pinned              revision.SpecVersion // version pinned by the revision; zero for the newest
}

// ComputeResult is the result of Computer.Compute.
type ComputeResult struct {
	Seed  string // changes whenever the pages change
	Pages []ComputedPage
}

// ComputedPage is a generated page. Keys are unique in a computation and valid in ids; slugs are unique among
// siblings.
type ComputedPage struct {
	Key, Title, Slug, description string
	Markdown                      []byte
	Pages                         []ComputedPage
}

// expander adds the pages of computed pages to a page tree of a revision.
type expander struct {
	service  *Service
	org      string
	target   revision.Target
	revision string
	loaded   *revision.Revision // loaded on first use
}

// expand adds the generated pages below the computed pages of a revision, unless the option computed is false.
func (s *Service) expand(ctx context.Context, c *rest.Call, target revision.Target, id string, pages []api.RevisionPage,
	o api.ContentOptions,
) error {
	if computed, given := o.Computed.Get(); s.Computer == nil || given && !computed {
		return nil
	}
	e := &expander{service: s, org: c.Org, target: target, revision: id}
	return e.expand(ctx, pages)
}

func (e *expander) expand(ctx context.Context, pages []api.RevisionPage) error {
	for i := range pages {
		if pages[i].Type != api.PageComputed {
			if err := e.expand(ctx, pages[i].Pages); err != nil {
				return err
			}
			continue
		}
		made, err := e.compute(ctx, *pages[i].Computed)
		if err != nil {
			return err
		}
		pages[i].ComputedSeed = made.Seed
		pages[i].Pages = e.service.encodeComputedPages(e.target, pages[i], pages[i].Path, made.Pages)
	}
	return nil
}

// compute generates the pages of a source, from the version that the revision pins.
func (e *expander) compute(ctx context.Context, source api.Computed) (made ComputeResult, err error) {
	name := source.Dependencies.Spec.Ref.Spec
	if e.loaded == nil {
		r, err := e.service.Revisions.Revision(ctx, e.service.Store.Content(e.target.Space), e.revision)
		if err != nil {
			return made, err
		}
		e.loaded = &r
	}
	of := ComputeInput{Organization: e.org, Space: e.target.Space, Source: source, Pinned: e.loaded.Specs[name]}
	if made, err = e.service.Computer.Compute(ctx, of); err != nil {
		err = fmt.Errorf("compute pages of %s: %w", name, err)
	}
	return made, err
}

// encodeComputedPages returns the JSON form of generated pages below a computed page.
func (s *Service) encodeComputedPages(target revision.Target, owner api.RevisionPage, path string,
	pages []ComputedPage,
) []api.RevisionPage {
	answers := make([]api.RevisionPage, 0, len(pages))
	for _, p := range pages {
		answer := api.RevisionPage{
			ID: reader.GeneratedID(owner.ID, p.Key), Title: p.Title, Type: api.PageDocument, Kind: "sheet", Slug: p.Slug, Path: path + "/" +
				p.Slug,
			Description: p.description, CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt, Layout: new(api.DefaultLayout()),
			Computed: owner.Computed, ComputedSeed: owner.ComputedSeed,
		}
		answer.URLs = s.View.PageURLs(target, answer.ID)
		answer.Pages = s.encodeComputedPages(target, owner, answer.Path, p.Pages)
		answers = append(answers, answer)
	}
	return answers
}

// computedPage returns a generated page, with its text if the options include it. It returns a not_found error if the reference
// does not resolve.
func (s *Service) computedPage(
	ctx context.Context, c *rest.Call, t revisionTree, ref pageRef, o api.PageOptions,
) (api.RevisionPage, error) {
	owner := ref.owner(t.tree)
	if computed, given := o.Computed.Get(); owner == nil || s.Computer == nil || given && !computed {
		return api.RevisionPage{}, api.NotFound()
	}
	e := &expander{service: s, org: c.Org, target: t.target, revision: t.id}
	made, err := e.compute(ctx, *owner.Computed)
	if err != nil {
		return api.RevisionPage{}, err
	}
	above := s.View.Page(t.tree, t.target, owner, includesMetadata(o.ContentOptions))
	above.ComputedSeed = made.Seed
	found, ok := ref.findIn(s.encodeComputedPages(t.target, above, above.Path, made.Pages))
	if !ok {
		return found, api.NotFound()
	}
	if o.Format == "" {
		return found, nil
	}
	_, key, _ := reader.OwnerOf(found.ID)
	text, err := s.parseComputedText(ctx, found.ID, markdownOf(made.Pages, key))
	if err != nil {
		return found, err
	}
	p := &revision.Page{ID: found.ID, Type: found.Type, Title: found.Title, Slug: found.Slug, Parent: owner.ID}
	written, err := s.renderText(ctx, s.Store.Content(t.target.Space), t.id, p, text, o)
	written.addTo(&found, o.Format)
	return found, err
}

// parseComputedText parses the Markdown of a generated page.
func (s *Service) parseComputedText(ctx context.Context, id string, markdown []byte) (content.Text, error) {
	work, err := s.Slow.Begin(ctx, len(markdown)*budgets.RenderFactor)
	if err != nil {
		return content.Text{}, err
	}
	defer work.End()
	text, err := content.Parse(id, markdown, content.Text{})
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return text, api.WrongState("The page cannot be shown: the %s.", wrong)
	}
	return text, err
}

// owner returns the computed page that the referenced page is generated for, nil if there is none.
func (r pageRef) owner(t *revision.Tree) *revision.Page {
	if id, _, ok := reader.OwnerOf(r.id); ok {
		if p := t.Page(id); p != nil && p.Type == api.PageComputed {
			return p
		}
	}
	for path := r.path; path != ""; {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
		if p, ok := t.ByPath(path); ok && p.Type == api.PageComputed {
			return p
		}
	}
	return nil
}

// findIn returns the referenced page in a list of page trees.
func (r pageRef) findIn(pages []api.RevisionPage) (api.RevisionPage, bool) {
	for _, p := range pages {
		if r.id != "" && p.ID == r.id || r.id == "" && p.Path == strings.Trim(r.path, "/") {
			return p, true
		}
		if found, ok := r.findIn(p.Pages); ok {
			return found, true
		}
	}
	return api.RevisionPage{}, false
}

// markdownOf returns the Markdown of the page with the given key.
func markdownOf(pages []ComputedPage, key string) []byte {
	for _, p := range pages {
		if p.Key == key {
			return p.Markdown
		}
		if markdown := markdownOf(p.Pages, key); markdown != nil {
			return markdown
		}
	}
	return nil
}

// SpecByName returns the specification with the given slug or id. No slug has the form of an id.
func (s *Service) SpecByName(ctx context.Context, org, name string) (d store.OpenAPISpecDocument, err error) {
	slug, err := s.Revisions.SpecSlug(ctx, org, name)
	if err == nil && slug == "" {
		err = api.NotFound()
	}
	if err != nil {
		return d, err
	}
	return s.SpecBySlug(ctx, org, slug)
}

// SpecBySlug returns the specification with the given slug. It reads outside of a transaction.
func (s *Service) SpecBySlug(ctx context.Context, org, slug string) (d store.OpenAPISpecDocument, err error) {
	b := s.Store.NewBatch()
	future := b.Record(store.OpenAPISpecKey(org, slug))
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("read specification %s: %w", slug, err)
	}
	record, ok, err := future.Get()
	if err != nil || !ok {
		return d, rest.NotFoundIfNil(err)
	}
	return d, d.Decode(record)
}
