package server

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

// pageComputer makes the pages that computed pages stand for. A server without one shows computed pages as they are.
type pageComputer interface {
	// compute returns what stands below a page that is made of source, as of now. A source that is gone makes no pages.
	compute(ctx context.Context, org string, source api.Computed) (computation, error)
}

// computation is what a computed page stands for at a moment.
type computation struct {
	seed  string // changes when the pages do
	pages []computedPage
}

// computedPage is a page that is made, not stored. Keys are unique in a computation and may stand in an id; slugs
// are unique among siblings.
type computedPage struct {
	key, title, slug, description string
	markdown                      []byte
	pages                         []computedPage
}

// keySeparator joins the id of a computed page and the key of a page below it to an id.
const keySeparator = "-"

// expand puts what computed pages stand for below them, unless the parameter computed is false.
func (s *Server) expand(ctx context.Context, c *rest.Call, at revision.Target, pages []api.RevisionPage, o api.ContentOptions) error {
	if computed, given := o.Computed.Get(); s.computer == nil || given && !computed {
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
		pages[i].ComputedSeed = made.seed
		pages[i].Pages = s.computedAnswers(at, pages[i], pages[i].Path, made.pages)
	}
	return nil
}

func (s *Server) compute(ctx context.Context, c *rest.Call, source api.Computed) (computation, error) {
	made, err := s.computer.compute(ctx, c.Org, source)
	if err != nil {
		return made, fmt.Errorf("compute pages of %s: %w", source.Dependencies.Spec.Ref.Spec, err)
	}
	return made, nil
}

// computedAnswers are pages below a computed page as they are on the wire.
func (s *Server) computedAnswers(at revision.Target, owner api.RevisionPage, path string, pages []computedPage) []api.RevisionPage {
	answers := make([]api.RevisionPage, 0, len(pages))
	for _, p := range pages {
		answer := api.RevisionPage{
			ID: owner.ID + keySeparator + p.key, Title: p.title, Type: api.PageDocument, Kind: "sheet", Slug: p.slug, Path: path + "/" + p.slug,
			Description: p.description, CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt, Layout: new(api.DefaultLayout()),
			Computed: owner.Computed, ComputedSeed: owner.ComputedSeed,
		}
		answer.URLs = s.view.PageURLs(at, answer.ID)
		answer.Pages = s.computedAnswers(at, owner, answer.Path, p.pages)
		answers = append(answers, answer)
	}
	return answers
}

// computedPage is a page below a computed one, with its text if that was asked for. What the name does not lead to is
// not found.
func (s *Server) computedPage(ctx context.Context, c *rest.Call, t *revision.Tree, at revision.Target, name pageName, o api.PageOptions) (api.RevisionPage, error) {
	owner := name.owner(t)
	if computed, given := o.Computed.Get(); owner == nil || s.computer == nil || given && !computed {
		return api.RevisionPage{}, api.NotFound()
	}
	made, err := s.compute(ctx, c, *owner.Computed)
	if err != nil {
		return api.RevisionPage{}, err
	}
	above := s.view.Page(t, at, owner, withTimes(o.ContentOptions))
	above.ComputedSeed = made.seed
	found, ok := name.among(s.computedAnswers(at, above, above.Path, made.pages))
	if !ok {
		return found, api.NotFound()
	}
	if o.Format == "" {
		return found, nil
	}
	markdown := markdownOf(made.pages, strings.TrimPrefix(found.ID, owner.ID+keySeparator))
	turn, err := s.slow.Begin(ctx, len(markdown)*budgets.WrittenFactor)
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
func markdownOf(pages []computedPage, key string) []byte {
	for _, p := range pages {
		if p.key == key {
			return p.markdown
		}
		if markdown := markdownOf(p.pages, key); markdown != nil {
			return markdown
		}
	}
	return nil
}

// namedSpec reads a specification by its slug or by its id, which no slug looks like.
func (s *Server) namedSpec(ctx context.Context, org, name string) (d store.OpenAPISpecDocument, err error) {
	if !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		return s.spec(ctx, org, name)
	}
	b := s.store.Pipeline()
	behind := b.Range(store.OpenAPISpecsKey(org), name, 1, false)
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("find specification %s: %w", name, err)
	}
	members, _, err := behind.Get()
	if err != nil || len(members) == 0 || !strings.HasPrefix(members[0], store.OpenAPISpecMember(name, "")) {
		return d, rest.Missing(err)
	}
	return s.spec(ctx, org, store.OpenAPISpecSlug(members[0]))
}

// spec reads a specification outside a transaction.
func (s *Server) spec(ctx context.Context, org, slug string) (d store.OpenAPISpecDocument, err error) {
	b := s.store.Pipeline()
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
