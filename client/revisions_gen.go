// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// RevisionsService reads and restores the revisions of a space.
type RevisionsService struct{ c *Client }

// Diff compares the texts of a revision with those of its parent or another revision, word by word; format=unified
// answers a patch.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/diff (operation revisionsDiff)
func (s RevisionsService) Diff(ctx context.Context, in api.RevisionDiffInput, options ...CallOption) (api.ContentDiff, error) {
	return call(ctx, s.c, api.DiffRevision, in, options)
}

// Export downloads the content of a revision as an archive, as content.export does. It may take minutes, and only the
// context limits it.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/export (operation revisionsExport)
func (s RevisionsService) Export(ctx context.Context, in api.ExportRevisionInput, options ...CallOption) (api.Archive, error) {
	return call(ctx, s.c, api.ExportRevision, in, options)
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

// GetFile shows a file of a revision and where to download it.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/files/{fileId} (operation getFileInRevisionById)
func (s RevisionsService) GetFile(ctx context.Context, in api.RevisionFileInput, options ...CallOption) (api.File, error) {
	return call(ctx, s.c, api.GetRevisionFile, in, options)
}

// GetMetaLinks shows which address of a page was the canonical one in a revision, and its alternates.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links (operation listRevisionPageMetaLinks)
func (s RevisionsService) GetMetaLinks(ctx context.Context, in api.RevisionMetaLinksInput, options ...CallOption) (api.PageMetaLinks, error) {
	return call(ctx, s.c, api.GetRevisionMetaLinks, in, options)
}

// GetPage shows a page as it was in a revision; format=markdown or format=document adds its text.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId} (operation getPageInRevisionById)
func (s RevisionsService) GetPage(ctx context.Context, in api.RevisionPageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetRevisionPage, in, options)
}

// GetPageByPath shows the page that was at a path in a revision.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath...} (operation getPageInRevisionByPath)
func (s RevisionsService) GetPageByPath(ctx context.Context, in api.RevisionPagePathInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetRevisionPageByPath, in, options)
}

// GetPageDocument shows the text of a page as it was in a revision, as a document.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document (operation getPageDocumentInRevisionById)
func (s RevisionsService) GetPageDocument(ctx context.Context, in api.RevisionPageDocumentInput, options ...CallOption) (api.JSONDocument, error) {
	return call(ctx, s.c, api.GetRevisionPageDocument, in, options)
}

// GetReusableContentDocument shows the text of a reusable content as it was in a revision, as a document.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document (operation getReusableContentDocumentInRevisionById)
func (s RevisionsService) GetReusableContentDocument(ctx context.Context, in api.RevisionReusableContentDocumentInput, options ...CallOption) (api.JSONDocument, error) {
	return call(ctx, s.c, api.GetRevisionReusableContentDocument, in, options)
}

// ListFiles lists the files of a revision. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/files (operation listFilesInRevisionById)
func (s RevisionsService) ListFiles(ctx context.Context, in api.RevisionFilesInput, options ...CallOption) (api.Page[api.File], error) {
	return call(ctx, s.c, api.ListRevisionFiles, in, options)
}

// ListPages shows the page tree of a revision.
//
//	GET /v1/spaces/{spaceId}/revisions/{revisionId}/pages (operation listPagesInRevisionById)
func (s RevisionsService) ListPages(ctx context.Context, in api.RevisionInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListRevisionPages, in, options)
}

// Rollback gives a space the content of an earlier revision, as a new one; nothing is lost.
//
//	POST /v1/spaces/{spaceId}/revisions/{revisionId}/rollback (operation revisionsRollback)
func (s RevisionsService) Rollback(ctx context.Context, in api.RevisionRef, options ...CallOption) (api.HistoryEntry, error) {
	return call(ctx, s.c, api.RollbackRevision, in, options)
}
