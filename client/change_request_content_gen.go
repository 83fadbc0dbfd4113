// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestContentService shows, edits and imports the content of a change request.
type ChangeRequestContentService struct{ c *Client }

// Edit applies 1 to 50 content operations as one new revision, or none of them.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content (operation updateChangeRequestContent)
func (s ChangeRequestContentService) Edit(ctx context.Context, in api.EditContentInput, options ...CallOption) (api.ContentResult, error) {
	return call(ctx, s.c, api.EditChangeRequestContent, in, options)
}

// Export downloads the content as an archive: Markdown at its source paths, files, SUMMARY.md, and a manifest with
// ids and hashes. It may take minutes, and only the context limits it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/export (operation changeRequestContentExport)
func (s ChangeRequestContentService) Export(ctx context.Context, in api.ChangeRequestExportInput, options ...CallOption) (api.Archive, error) {
	return call(ctx, s.c, api.ExportChangeRequestContent, in, options)
}

// Get shows the change request's revision.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content (operation getRevisionOfChangeRequestById)
func (s ChangeRequestContentService) Get(ctx context.Context, in api.ChangeRequestContentInput, options ...CallOption) (api.Revision, error) {
	return call(ctx, s.c, api.GetChangeRequestContent, in, options)
}

// GetFile shows a file and where to download it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId} (operation getFileInChangeRequestById)
func (s ChangeRequestContentService) GetFile(ctx context.Context, in api.ChangeRequestFileInput, options ...CallOption) (api.File, error) {
	return call(ctx, s.c, api.GetChangeRequestContentFile, in, options)
}

// GetMetaLinks shows which address of a page is the canonical one, and its alternates.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/meta-links (operation listChangeRequestPageMetaLinks)
func (s ChangeRequestContentService) GetMetaLinks(ctx context.Context, in api.ChangeRequestMetaLinksInput, options ...CallOption) (api.PageMetaLinks, error) {
	return call(ctx, s.c, api.GetChangeRequestContentMetaLinks, in, options)
}

// GetPage shows a page; format=markdown or format=document adds its text.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId} (operation getPageInChangeRequestById)
func (s ChangeRequestContentService) GetPage(ctx context.Context, in api.ChangeRequestPageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetChangeRequestContentPage, in, options)
}

// GetPageByPath shows the page at a path.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath...} (operation getPageInChangeRequestByPath)
func (s ChangeRequestContentService) GetPageByPath(ctx context.Context, in api.ChangeRequestPagePathInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetChangeRequestContentPageByPath, in, options)
}

// GetReusableContent shows a reusable content; format=markdown adds its text.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId} (operation getReusableContentInChangeRequestById)
func (s ChangeRequestContentService) GetReusableContent(ctx context.Context, in api.ChangeRequestReusableContentInput, options ...CallOption) (api.ReusableContent, error) {
	return call(ctx, s.c, api.GetChangeRequestContentReusableContent, in, options)
}

// Import imports a website, an archive or a document into the change request. It may take minutes, and only the
// context limits it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import (operation importContentInChangeRequest)
func (s ChangeRequestContentService) Import(ctx context.Context, in api.ChangeRequestImportInput, options ...CallOption) (api.ImportResult, error) {
	return call(ctx, s.c, api.ImportChangeRequestContent, in, options)
}

// ImportUpload is Import with the content as the body, which is application/zip, text/markdown or text/html.
func (s ChangeRequestContentService) ImportUpload(ctx context.Context, in api.ChangeRequestImportUploadInput, content Content, options ...CallOption) (api.ImportResult, error) {
	return upload[api.ImportResult](ctx, s.c, api.ImportChangeRequestContent.Row, in, content, options)
}

// ListBacklinks lists the places of the change request that use a file. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks (operation listChangeRequestFileBacklinks)
func (s ChangeRequestContentService) ListBacklinks(ctx context.Context, in api.ListChangeRequestBacklinksInput, options ...CallOption) (api.Page[api.Reference], error) {
	return call(ctx, s.c, api.ListChangeRequestContentBacklinks, in, options)
}

// ListFiles lists the files. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files (operation listFilesInChangeRequestById)
func (s ChangeRequestContentService) ListFiles(ctx context.Context, in api.ChangeRequestFilesInput, options ...CallOption) (api.Page[api.File], error) {
	return call(ctx, s.c, api.ListChangeRequestContentFiles, in, options)
}

// ListLinks lists the links of a page of the change request.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links (operation listPageLinksInChangeRequest)
func (s ChangeRequestContentService) ListLinks(ctx context.Context, in api.ListChangeRequestLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListChangeRequestContentLinks, in, options)
}

// ListPages shows the page tree.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages (operation listPagesInChangeRequest)
func (s ChangeRequestContentService) ListPages(ctx context.Context, in api.ChangeRequestContentInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListChangeRequestContentPages, in, options)
}
