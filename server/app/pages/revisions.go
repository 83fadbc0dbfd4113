package pages

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// revisionEndpoints returns the operations on the content of a revision. They correspond to those on the content of
// the head.
func (s *Service) revisionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetRevision, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionInput,
		) rest.Finish[api.Revision] {
			return withRevision(r, s, b, in.RevisionRef, func(ctx context.Context, c *rest.Call, r loadedRevision) (api.Revision, error) {
				return s.encodeRevision(ctx, c, r.target, in.Revision, in.ContentOptions)
			})
		}),
		rest.Read(api.ListRevisionPages, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionInput,
		) rest.Finish[api.PageTree] {
			return withRevision(r, s, b, in.RevisionRef, func(ctx context.Context, c *rest.Call, r loadedRevision) (api.PageTree, error) {
				answer := api.PageTree{Pages: s.View.Pages(r.tree, r.target, "", includesMetadata(in.ContentOptions))}
				return answer, s.expand(ctx, c, r.target, in.Revision, answer.Pages, in.ContentOptions)
			})
		}),
		rest.Read(api.GetRevisionPage, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionPageInput,
		) rest.Finish[api.RevisionPage] {
			return s.showRevisionPage(r, b, in.RevisionRef, pageRef{id: in.Page}, in.PageOptions)
		}),
		rest.Read(api.GetRevisionPageByPath, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionPagePathInput,
		) rest.Finish[api.RevisionPage] {
			return s.showRevisionPage(r, b, in.RevisionRef, pageRef{path: in.PagePath}, in.PageOptions)
		}),
		rest.Read(api.ListRevisionFiles, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionFilesInput,
		) rest.Finish[api.Page[api.File]] {
			w := r.NewPager(in.ListOptions, false)
			finish := withRevision(r, s, b, in.RevisionRef, func(
				ctx context.Context, c *rest.Call, r loadedRevision,
			) (api.Page[api.File], error) {
				return s.filesPage(ctx, c, w, fileTree{r.target.Space, r.Files})
			})
			return func(ctx context.Context, c *rest.Call) (rest.Result[api.Page[api.File]], error) {
				result, err := finish(ctx, c)
				return result.WithVersion(""), err // lists have no version
			}
		}),
		rest.Read(api.GetRevisionFile, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, b *txn.Batch, in api.RevisionFileInput,
		) rest.Finish[api.File] {
			return withRevision(r, s, b, in.RevisionRef, func(ctx context.Context, c *rest.Call, r loadedRevision) (api.File, error) {
				return s.readFile(ctx, c, fileTree{r.target.Space, r.Files}, in.File)
			})
		}),
	}
}

// loadedRevision is the revision named in a request, with its page tree.
type loadedRevision struct {
	revision.Revision
	revisionTree
}

// withRevision returns an operation that loads a revision and converts it.
func withRevision[Out any](
	r *rest.Request, s *Service, b *txn.Batch, in api.RevisionRef, answer func(context.Context, *rest.Call, loadedRevision) (Out, error),
) rest.Finish[Out] {
	loaded := loadedRevision{revisionTree: revisionTree{id: in.Revision, target: revision.Target{Space: in.Space}}}
	p := s.Revisions.ReadTarget(r.Org, b, loaded.target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[Out], err error) {
		_, version, err := p.Get()
		if err != nil {
			return none, err
		}
		if loaded.Revision, err = s.Revisions.LookupRevision(ctx, c.Org, in.Space, in.Revision); err != nil {
			return none, err
		}
		if loaded.tree, err = s.Revisions.Tree(ctx, s.Store.Content(in.Space), loaded.Pages); err != nil {
			return none, err
		}
		out, err := answer(ctx, c, loaded)
		if err != nil {
			return none, err
		}
		result, err := rest.Value(out)
		return result.WithVersion(version), err
	}
}

// showRevisionPage returns a page of a revision.
func (s *Service) showRevisionPage(
	r *rest.Request, b *txn.Batch, in api.RevisionRef, ref pageRef, o api.PageOptions,
) rest.Finish[api.RevisionPage] {
	return withRevision(r, s, b, in, func(ctx context.Context, c *rest.Call, r loadedRevision) (api.RevisionPage, error) {
		return s.encodePage(ctx, c, r.revisionTree, ref, o)
	})
}
