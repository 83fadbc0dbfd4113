package pages

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// revisionEndpoints show what a revision has, as the operations on content show what the head has.
func (s *Service) revisionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetRevision, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionInput) rest.Finish[api.Revision] {
			return inRevision(c, s, b, in.RevisionRef, func(ctx context.Context, r known) (api.Revision, error) {
				return s.revisionAnswer(ctx, c, r.at, in.Revision, in.ContentOptions)
			})
		}),
		rest.Read(api.ListRevisionPages, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionInput) rest.Finish[api.PageTree] {
			return inRevision(c, s, b, in.RevisionRef, func(ctx context.Context, r known) (api.PageTree, error) {
				answer := api.PageTree{Pages: s.View.Pages(r.tree, r.at, "", withTimes(in.ContentOptions))}
				return answer, s.expand(ctx, c, r.at, in.Revision, answer.Pages, in.ContentOptions)
			})
		}),
		rest.Read(api.GetRevisionPage, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionPageInput) rest.Finish[api.RevisionPage] {
			return s.showRevisionPage(c, b, in.RevisionRef, pageName{id: in.Page}, in.PageOptions)
		}),
		rest.Read(api.GetRevisionPageByPath, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionPagePathInput) rest.Finish[api.RevisionPage] {
			return s.showRevisionPage(c, b, in.RevisionRef, pageName{path: in.PagePath}, in.PageOptions)
		}),
		rest.Read(api.ListRevisionFiles, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionFilesInput) rest.Finish[api.Page[api.File]] {
			w := rest.NewPager(c, in.ListOptions, false)
			finish := inRevision(c, s, b, in.RevisionRef, func(ctx context.Context, r known) (api.Page[api.File], error) {
				return s.filesPage(ctx, w, r.at, r.Files)
			})
			return func(ctx context.Context) (rest.Result[api.Page[api.File]], error) {
				result, err := finish(ctx)
				return result.Versioned(""), err // lists have none
			}
		}),
		rest.Read(api.GetRevisionFile, auth.InSpace(api.RoleComment), func(_ context.Context, c *rest.Call, b *txn.Batch, in api.RevisionFileInput) rest.Finish[api.File] {
			return inRevision(c, s, b, in.RevisionRef, func(ctx context.Context, r known) (api.File, error) {
				return s.fileAnswer(ctx, r.at, r.Files, in.File)
			})
		}),
	}
}

// known is a revision that a request names, with its pages.
type known struct {
	revision.Revision

	id   string
	at   revision.Target
	tree *revision.Tree
}

// inRevision answers what a revision has.
func inRevision[Out any](c *rest.Call, s *Service, b *txn.Batch, in api.RevisionRef, answer func(context.Context, known) (Out, error)) rest.Finish[Out] {
	r := known{id: in.Revision, at: revision.Target{Space: in.Space}}
	p := s.Revisions.Placed(c, b, r.at)
	return func(ctx context.Context) (none rest.Result[Out], err error) {
		_, version, err := p.Get()
		if err != nil {
			return none, err
		}
		if r.Revision, err = s.Revisions.KnownRevision(ctx, c, in.Space, in.Revision); err != nil {
			return none, err
		}
		if r.tree, err = s.Revisions.Tree(ctx, s.Store.Content(in.Space), r.Pages); err != nil {
			return none, err
		}
		out, err := answer(ctx, r)
		if err != nil {
			return none, err
		}
		result, err := rest.Value(out)
		return result.Versioned(version), err
	}
}

// showRevisionPage answers a page as it was in a revision.
func (s *Service) showRevisionPage(c *rest.Call, b *txn.Batch, in api.RevisionRef, name pageName, o api.PageOptions) rest.Finish[api.RevisionPage] {
	return inRevision(c, s, b, in, func(ctx context.Context, r known) (api.RevisionPage, error) {
		return s.pageAnswer(ctx, c, r.tree, r.at, r.id, name, o)
	})
}
