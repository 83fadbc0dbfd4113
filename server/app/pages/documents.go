package pages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// documentEndpoints returns the operations on texts as documents, without the pages that contain them.
func (s *Service) documentEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetContentDocument, auth.InSpace(api.RoleRead), s.getDocument),
		rest.Read(api.GetRevisionPageDocument, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionPageDocumentInput,
		) rest.Finish[api.JSONDocument] {
			return withRevision(r, s, b, in.RevisionRef, func(
				ctx context.Context, c *rest.Call, r loadedRevision,
			) (api.JSONDocument, error) {
				o := api.PageOptions{Format: api.FormatDocument, TextOptions: in.TextOptions}
				page, err := s.encodePage(ctx, c, r.revisionTree, pageRef{id: in.Page}, o)
				if err != nil || page.Document == nil {
					return api.JSONDocument{}, rest.NotFoundIfNil(err)
				}
				return *page.Document, nil
			})
		}),
		rest.Read(api.GetRevisionReusableContentDocument, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionReusableContentDocumentInput,
		) rest.Finish[api.JSONDocument] {
			return withRevision(r, s, b, in.RevisionRef, func(
				ctx context.Context, _ *rest.Call, r loadedRevision,
			) (api.JSONDocument, error) {
				found, err := revision.ReadReusables(ctx, s.Store.Content(in.Space), r.Reusables, in.ReusableContent)
				if err != nil || found[in.ReusableContent] == nil {
					return api.JSONDocument{}, rest.NotFoundIfNil(err)
				}
				return s.reusableDocument(ctx, in.Space, r.id, found[in.ReusableContent], in.TextOptions)
			})
		}),
	}
}

// reusableDocument returns the text of a reusable content of a revision as a document. It does not depend on the
// pages that include it.
func (s *Service) reusableDocument(ctx context.Context, space, id string, p *revision.Page, o api.TextOptions) (none api.JSONDocument,
	err error,
) {
	objects := s.Store.Content(space)
	text, err := revision.ReadText(ctx, objects, p.Text, p.Blocks)
	if err != nil {
		return none, err
	}
	work, err := s.Slow.Begin(ctx, len(text.Markdown)*budgets.RenderFactor)
	if err != nil {
		return none, err
	}
	defer work.End()
	v, err := s.Reading.AtRevision(ctx, objects, id)
	if err != nil {
		return none, err
	}
	text, err = applyReplacements(ctx, v, p, text, api.PageOptions{Format: api.FormatDocument, TextOptions: o})
	if err != nil {
		return none, err
	}
	return untitledDocument(ctx, v, p, text, api.DocumentData{Evaluated: o.Variables(), Dereferenced: o.Includes()})
}

// untitledDocument converts a text to a document with all of its headings: none of them is used as a page title.
func untitledDocument(
	ctx context.Context, v *reader.View, p *revision.Page, text content.Text, made api.DocumentData,
) (api.JSONDocument, error) {
	targets := newLinkTargets(ctx, v, p)
	d := documents.Write(documents.Source{Text: text, Resolve: targets.find, Data: made})
	return d, targets.err
}

// getDocument returns a text of a space by its hash. Readers can read the texts of the content they see. All other
// texts may have been removed on purpose or be unpublished, so they require access to change requests and history.
func (s *Service) getDocument(_ context.Context, r *rest.Request, b *txn.Batch, in api.DocumentInput) rest.Finish[api.JSONDocument] {
	target := revision.Target{Space: in.Space}
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.JSONDocument], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		d, found, err := s.currentDocument(ctx, c, target, head, in.Document)
		if err == nil && !found {
			if !c.Caller.Role.AtLeast(api.RoleComment) {
				return none, api.NotFound()
			}
			d, err = s.storedDocument(ctx, in.Space, head.Revision, in.Document)
		}
		if err != nil {
			return none, err
		}
		result, err := rest.Value(d)
		return result.WithVersion(version), err
	}
}

// currentDocument returns the text as a document if a page or a reusable content of the head has it.
func (s *Service) currentDocument(ctx context.Context, c *rest.Call, target revision.Target, head store.Head,
	text string,
) (d api.JSONDocument, found bool, err error) {
	objects := s.Store.Content(target.Space)
	t, err := s.Revisions.Tree(ctx, objects, head.Pages)
	if err != nil {
		return d, false, err
	}
	for _, id := range t.ReadingOrder("") {
		if p := t.Page(id); p.Text == text {
			page, err := s.encodeStoredPage(ctx, c, revisionTree{head.Revision, target, t}, p, api.PageOptions{Format: api.FormatDocument})
			if err != nil {
				return d, false, err
			}
			return *page.Document, true, nil
		}
	}
	r, err := s.Revisions.Revision(ctx, objects, head.Revision)
	if err != nil {
		return d, false, err
	}
	reusables, err := revision.ReadReusables(ctx, objects, r.Reusables)
	if err != nil {
		return d, false, err
	}
	for _, id := range slices.Sorted(maps.Keys(reusables)) {
		if reusables[id].Text == text {
			d, err = s.reusableDocument(ctx, target.Space, head.Revision, reusables[id], api.TextOptions{})
			return d, err == nil, err
		}
	}
	return d, false, nil
}

// storedDocument returns any stored text of a space as a document. Links are resolved from the root of the head, and
// block ids are generated.
func (s *Service) storedDocument(ctx context.Context, space, head, hash string) (none api.JSONDocument, err error) {
	stored := s.Store.Content(space)
	markdown, err := stored.Blob(ctx, hash)
	if errors.Is(err, objects.ErrMissing) || err == nil && !utf8.Valid(markdown) {
		return none, api.NotFound()
	}
	if err != nil {
		return none, fmt.Errorf("text %s: %w", hash, err)
	}
	work, err := s.Slow.Begin(ctx, len(markdown)*budgets.RenderFactor)
	if err != nil {
		return none, err
	}
	defer work.End()
	text, err := content.Parse(hash, markdown, content.Text{})
	if _, beyond := errors.AsType[*content.TextError](err); beyond { // not a valid page text
		return none, api.NotFound()
	}
	if err != nil {
		return none, err
	}
	v, err := s.Reading.AtRevision(ctx, stored, head)
	if err != nil {
		return none, err
	}
	return untitledDocument(ctx, v, &revision.Page{ID: hash, Type: api.PageDocument}, text, api.DocumentData{})
}
