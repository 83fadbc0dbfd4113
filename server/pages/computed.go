package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
)

// Computer makes the pages that computed pages stand for. A server without one shows computed pages as they are.
type Computer interface {
	// Compute returns what stands below a page that is made of source, as of now. A source that is gone makes no pages.
	Compute(ctx context.Context, org string, source api.Computed) (Computation, error)
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

// keySeparator joins the id of a computed page and the key of a page below it to an id.
const keySeparator = "-"

// expand puts what computed pages stand for below them, unless the parameter computed is false.
func (s *Service) expand(ctx context.Context, c *rest.Call, at revision.Target, pages []api.RevisionPage, o api.ContentOptions) error {
	if computed, given := o.Computed.Get(); s.Computer == nil || given && !computed {
		return nil
	}
	for i := range pages {
		if pages[i].Type != api.PageComputed {
			if err := s.expand(ctx, c, at, pages[i].Pages, o); err != nil {
				return err
			}
			continue
		}
		made, err := s.compute(ctx, c, *pages[i].Computed)
		if err != nil {
			return err
		}
		pages[i].ComputedSeed = made.Seed
		pages[i].Pages = s.computedAnswers(at, pages[i], pages[i].Path, made.Pages)
	}
	return nil
}

func (s *Service) compute(ctx context.Context, c *rest.Call, source api.Computed) (Computation, error) {
	made, err := s.Computer.Compute(ctx, c.Org, source)
	if err != nil {
		return made, fmt.Errorf("compute pages of %s: %w", source.Dependencies.Spec.Ref.Spec, err)
	}
	return made, nil
}

// computedAnswers are pages below a computed page as they are on the wire.
func (s *Service) computedAnswers(at revision.Target, owner api.RevisionPage, path string, pages []ComputedPage) []api.RevisionPage {
	answers := make([]api.RevisionPage, 0, len(pages))
	for _, p := range pages {
		answer := api.RevisionPage{
			ID: owner.ID + keySeparator + p.Key, Title: p.Title, Type: api.PageDocument, Kind: "sheet", Slug: p.Slug, Path: path + "/" + p.Slug,
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
func (s *Service) computedPage(ctx context.Context, c *rest.Call, t *revision.Tree, at revision.Target, name pageName, o api.PageOptions) (api.RevisionPage, error) {
	owner := name.owner(t)
	if computed, given := o.Computed.Get(); owner == nil || s.Computer == nil || given && !computed {
		return api.RevisionPage{}, api.NotFound()
	}
	made, err := s.compute(ctx, c, *owner.Computed)
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
	markdown := markdownOf(made.Pages, strings.TrimPrefix(found.ID, owner.ID+keySeparator))
	turn, err := s.Slow.Begin(ctx, len(markdown)*budgets.WrittenFactor)
	if err != nil {
		return found, err
	}
	defer turn.End()
	text, err := content.Parse(found.ID, markdown, content.Text{})
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return found, api.WrongState("The page cannot be shown: the %s.", wrong)
	}
	addText(&found, text, o.Format)
	return found, err
}

// owner is the computed page below which the name leads, nil if there is none.
func (n pageName) owner(t *revision.Tree) *revision.Page {
	if id, _, ok := strings.Cut(n.id, keySeparator); ok {
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
	if !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		return s.Spec(ctx, org, name)
	}
	b := s.Store.Pipeline()
	behind := b.Range(store.OpenAPISpecsKey(org), name, 1, false)
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("find specification %s: %w", name, err)
	}
	members := behind.Value()
	if len(members) == 0 || !strings.HasPrefix(members[0], store.OpenAPISpecMember(name, "")) {
		return d, api.NotFound()
	}
	return s.Spec(ctx, org, store.OpenAPISpecSlug(members[0]))
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
