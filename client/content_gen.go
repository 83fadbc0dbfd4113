// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ContentService shows and imports the published content of a space.
type ContentService struct{ c *Client }

// Export downloads the content as an archive: Markdown at its source paths, files, SUMMARY.md, and a manifest with
// ids and hashes. It may take minutes, and only the context limits it.
//
//	GET /v1/spaces/{spaceId}/content/export (operation contentExport)
func (s ContentService) Export(ctx context.Context, in api.ExportInput, options ...CallOption) (api.Archive, error) {
	return call(ctx, s.c, api.ExportContent, in, options)
}

// Find shows what is at an address: of the app, of this interface, or of a published site.
//
//	GET /v1/urls/content (operation getContentByUrl)
func (s ContentService) Find(ctx context.Context, in api.FindContentInput, options ...CallOption) (api.FoundContent, error) {
	return call(ctx, s.c, api.FindContent, in, options)
}

// Get shows the current revision: its page tree, files and variables.
//
//	GET /v1/spaces/{spaceId}/content (operation getCurrentRevision)
func (s ContentService) Get(ctx context.Context, in api.GetContentInput, options ...CallOption) (api.Revision, error) {
	return call(ctx, s.c, api.GetContent, in, options)
}

// GetDocument shows the text that documentId of a page names, or before and after of a change, as a document.
//
//	GET /v1/spaces/{spaceId}/documents/{documentId} (operation getDocumentById)
func (s ContentService) GetDocument(ctx context.Context, in api.DocumentInput, options ...CallOption) (api.JSONDocument, error) {
	return call(ctx, s.c, api.GetContentDocument, in, options)
}

// GetFile shows a file and where to download it.
//
//	GET /v1/spaces/{spaceId}/content/files/{fileId} (operation getFileById)
func (s ContentService) GetFile(ctx context.Context, in api.FileInput, options ...CallOption) (api.File, error) {
	return call(ctx, s.c, api.GetContentFile, in, options)
}

// GetMetaLinks shows which address of a page is the canonical one, and its alternates.
//
//	GET /v1/spaces/{spaceId}/content/page/{pageId}/meta-links (operation listSpacePageMetaLinks)
func (s ContentService) GetMetaLinks(ctx context.Context, in api.MetaLinksInput, options ...CallOption) (api.PageMetaLinks, error) {
	return call(ctx, s.c, api.GetContentMetaLinks, in, options)
}

// GetPage shows a page; format=markdown or format=document adds its text.
//
//	GET /v1/spaces/{spaceId}/content/page/{pageId} (operation getPageById)
func (s ContentService) GetPage(ctx context.Context, in api.PageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetContentPage, in, options)
}

// GetPageByPath shows the page at a path.
//
//	GET /v1/spaces/{spaceId}/content/path/{pagePath...} (operation getPageByPath)
func (s ContentService) GetPageByPath(ctx context.Context, in api.PagePathInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetContentPageByPath, in, options)
}

// GetReusableContent shows a reusable content; format=markdown adds its text.
//
//	GET /v1/spaces/{spaceId}/content/reusable-contents/{reusableContentId} (operation getReusableContentById)
func (s ContentService) GetReusableContent(ctx context.Context, in api.ReusableContentInput, options ...CallOption) (api.ReusableContent, error) {
	return call(ctx, s.c, api.GetContentReusableContent, in, options)
}

// Import imports a website, an archive or a document; all of it becomes one new revision, or nothing does. It may
// take minutes, and only the context limits it.
//
//	POST /v1/spaces/{spaceId}/content/import (operation importContent)
func (s ContentService) Import(ctx context.Context, in api.ImportInput, options ...CallOption) (api.ImportResult, error) {
	return call(ctx, s.c, api.ImportContent, in, options)
}

// ImportUpload is Import with the content as the body, which is application/zip, text/markdown or text/html.
func (s ContentService) ImportUpload(ctx context.Context, in api.ImportUploadInput, content Content, options ...CallOption) (api.ImportResult, error) {
	return upload[api.ImportResult](ctx, s.c, api.ImportContent.Row, in, content, options)
}

// ListBacklinks lists the places that use a file. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/content/files/{fileId}/backlinks (operation listSpaceFileBacklinks)
func (s ContentService) ListBacklinks(ctx context.Context, in api.ListBacklinksInput, options ...CallOption) (api.Page[api.Reference], error) {
	return call(ctx, s.c, api.ListContentBacklinks, in, options)
}

// ListFiles lists the files. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/content/files (operation listFiles)
func (s ContentService) ListFiles(ctx context.Context, in api.ListFilesInput, options ...CallOption) (api.Page[api.File], error) {
	return call(ctx, s.c, api.ListContentFiles, in, options)
}

// ListLinks lists the links of a page.
//
//	GET /v1/spaces/{spaceId}/content/page/{pageId}/links (operation listPageLinksInSpace)
func (s ContentService) ListLinks(ctx context.Context, in api.ListPageLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListContentLinks, in, options)
}

// ListPages shows the page tree.
//
//	GET /v1/spaces/{spaceId}/content/pages (operation listPages)
func (s ContentService) ListPages(ctx context.Context, in api.GetContentInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListContentPages, in, options)
}
