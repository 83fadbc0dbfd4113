// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// RevisionsService reads the revisions of a space, and goes back to them.
type RevisionsService struct{ c *Client }

// Diff compares the texts of a revision with those of its parent or another revision, word by word; format=unified
// answers a patch.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/diff (operation revisionsDiff)
func (s RevisionsService) Diff(ctx context.Context, in api.RevisionDiffInput, options ...CallOption) (api.ContentDiff, error) {
	return call(ctx, s.c, api.DiffRevision, in, options)
}

// Get shows a revision: its page tree, files and variables.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId} (operation getRevisionById)
func (s RevisionsService) Get(ctx context.Context, in api.RevisionInput, options ...CallOption) (api.Revision, error) {
	return call(ctx, s.c, api.GetRevision, in, options)
}

// GetChanges shows what changed in a revision, against its parent or another revision.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/changes (operation getRevisionSemanticChanges)
func (s RevisionsService) GetChanges(ctx context.Context, in api.RevisionChangesInput, options ...CallOption) (api.SemanticChanges, error) {
	return call(ctx, s.c, api.GetRevisionChanges, in, options)
}

// GetPage shows a page as it was in a revision; format=markdown or format=document adds its text.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId} (operation revisionsGetPage)
func (s RevisionsService) GetPage(ctx context.Context, in api.RevisionPageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetRevisionPage, in, options)
}

// ListPages shows the page tree of a revision.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/pages (operation revisionsListPages)
func (s RevisionsService) ListPages(ctx context.Context, in api.RevisionInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListRevisionPages, in, options)
}

// Rollback gives a space the content of an earlier revision, as a new one; nothing is lost.
//
//	POST /v1/spaces/{spaceId}/revisions/{revisionId}/rollback (operation revisionsRollback)
func (s RevisionsService) Rollback(ctx context.Context, in api.RevisionRef, options ...CallOption) (api.HistoryEntry, error) {
	return call(ctx, s.c, api.RollbackRevision, in, options)
}
