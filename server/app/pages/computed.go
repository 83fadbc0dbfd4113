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

// Computer makes the pages that computed pages stand for. A server without one shows computed pages as they are.
type Computer interface {
	// Compute returns what stands below a page. A source that is gone, and of which no version is named, makes no pages.
	Compute(ctx context.Context, of Computing) (Computation, error)
}

// Computing says what pages are to be made of.
type Computing struct {
	Organization, Space string
	Source              api.Computed
	Named               revision.SpecVersion // by the revision; the zero value asks for what is newest
}

// Computation is what a computed page stands for at a moment.
type Computation struct {
	Seed  string // changes when the pages do
	Pages []ComputedPage
}

// ComputedPage is a page that is made, not stored. Keys are unique in a computation and may stand in an id; slugs
// are unique among siblings.
type ComputedPage struct {
	Key, Title, Slug, description string
	Markdown                      []byte
	Pages                         []ComputedPage
}

// expansion makes the computed pages of a revision.
type expansion struct {
	service  *Service
	org      string
	at       revision.Target
	revision string
	made     *revision.Revision // read when the first computed page is met
}

// expand puts what computed pages stand for in a revision below them, unless the parameter computed is false.
func (s *Service) expand(ctx context.Context, c *rest.Call, at revision.Target, id string, pages []api.RevisionPage, o api.ContentOptions) error {
	if computed, given := o.Computed.Get(); s.Computer == nil || given && !computed {
		return nil
	}
	e := &expansion{service: s, org: c.Org, at: at, revision: id}
	return e.expand(ctx, pages)
}

func (e *expansion) expand(ctx context.Context, pages []api.RevisionPage) error {
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
		pages[i].Pages = e.service.computedAnswers(e.at, pages[i], pages[i].Path, made.Pages)
	}
	return nil
}

// compute makes the pages of a source, of the version that the revision names.
func (e *expansion) compute(ctx context.Context, source api.Computed) (made Computation, err error) {
	name := source.Dependencies.Spec.Ref.Spec
	if e.made == nil {
		r, err := e.service.Revisions.Revision(ctx, e.service.Store.Content(e.at.Space), e.revision)
		if err != nil {
			return made, err
		}
		e.made = &r
	}
	of := Computing{Organization: e.org, Space: e.at.Space, Source: source, Named: e.made.Specs[name]}
	if made, err = e.service.Computer.Compute(ctx, of); err != nil {
		err = fmt.Errorf("compute pages of %s: %w", name, err)
	}
	return made, err
}

// computedAnswers are pages below a computed page as they are on the wire.
func (s *Service) computedAnswers(at revision.Target, owner api.RevisionPage, path string, pages []ComputedPage) []api.RevisionPage {
	answers := make([]api.RevisionPage, 0, len(pages))
	for _, p := range pages {
		answer := api.RevisionPage{
			ID: reader.ComputedID(owner.ID, p.Key), Title: p.Title, Type: api.PageDocument, Kind: "sheet", Slug: p.Slug, Path: path + "/" + p.Slug,
			Description: p.description, CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt, Layout: new(api.DefaultLayout()),
			Computed: owner.Computed, ComputedSeed: owner.ComputedSeed,
		}
		answer.URLs = s.View.PageURLs(at, answer.ID)
		answer.Pages = s.computedAnswers(at, owner, answer.Path, p.Pages)
		answers = append(answers, answer)
	}
	return answers
}

// ComputedPage is a page below a computed one, with its text if that was asked for. What the name does not lead to is
// not found.
func (s *Service) computedPage(ctx context.Context, c *rest.Call, t *revision.Tree, at revision.Target, head string, name pageName, o api.PageOptions) (api.RevisionPage, error) {
	owner := name.owner(t)
	if computed, given := o.Computed.Get(); owner == nil || s.Computer == nil || given && !computed {
		return api.RevisionPage{}, api.NotFound()
	}
	e := &expansion{service: s, org: c.Org, at: at, revision: head}
	made, err := e.compute(ctx, *owner.Computed)
	if err != nil {
		return api.RevisionPage{}, err
	}
	above := s.View.Page(t, at, owner, withTimes(o.ContentOptions))
	above.ComputedSeed = made.Seed
	found, ok := name.among(s.computedAnswers(at, above, above.Path, made.Pages))
	if !ok {
		return found, api.NotFound()
	}
	if o.Format == "" {
		return found, nil
	}
	_, key, _ := reader.OwnerOf(found.ID)
	text, err := s.madeText(ctx, found.ID, markdownOf(made.Pages, key))
	if err != nil {
		return found, err
	}
	p := &revision.Page{ID: found.ID, Type: found.Type, Title: found.Title, Slug: found.Slug, Parent: owner.ID}
	written, err := s.write(ctx, s.Store.Content(at.Space), head, p, text, o)
	written.addTo(&found, o.Format)
	return found, err
}

// madeText is the text of a page that is not stored.
func (s *Service) madeText(ctx context.Context, id string, markdown []byte) (content.Text, error) {
	turn, err := s.Slow.Begin(ctx, len(markdown)*budgets.WrittenFactor)
	if err != nil {
		return content.Text{}, err
	}
	defer turn.End()
	text, err := content.Parse(id, markdown, content.Text{})
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return text, api.WrongState("The page cannot be shown: the %s.", wrong)
	}
	return text, err
}

// owner is the computed page below which the name leads, nil if there is none.
func (n pageName) owner(t *revision.Tree) *revision.Page {
	if id, _, ok := reader.OwnerOf(n.id); ok {
		if p := t.Page(id); p != nil && p.Type == api.PageComputed {
			return p
		}
	}
	for path := n.path; path != ""; {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
		if p, ok := t.ByPath(path); ok && p.Type == api.PageComputed {
			return p
		}
	}
	return nil
}

// among finds the named page in a list of pages with pages below them.
func (n pageName) among(pages []api.RevisionPage) (api.RevisionPage, bool) {
	for _, p := range pages {
		if n.id != "" && p.ID == n.id || n.id == "" && p.Path == strings.Trim(n.path, "/") {
			return p, true
		}
		if found, ok := n.among(p.Pages); ok {
			return found, true
		}
	}
	return api.RevisionPage{}, false
}

// markdownOf is the text of the page with a key.
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

// NamedSpec reads a specification by its slug or by its id, which no slug looks like.
func (s *Service) NamedSpec(ctx context.Context, org, name string) (d store.OpenAPISpecDocument, err error) {
	slug, err := s.Revisions.SpecSlug(ctx, org, name)
	if err == nil && slug == "" {
		err = api.NotFound()
	}
	if err != nil {
		return d, err
	}
	return s.Spec(ctx, org, slug)
}

// Spec reads a specification outside a transaction.
func (s *Service) Spec(ctx context.Context, org, slug string) (d store.OpenAPISpecDocument, err error) {
	b := s.Store.Pipeline()
	future := b.Record(store.OpenAPISpecKey(org, slug))
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("read specification %s: %w", slug, err)
	}
	record, ok, err := future.Get()
	if err != nil || !ok {
		return d, rest.Missing(err)
	}
	return d, d.Decode(record)
}
