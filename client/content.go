package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ContentService shows and imports what readers of a space see.
type ContentService struct{ c *Client }

// Get shows the current revision: its page tree, files and variables.
func (s ContentService) Get(ctx context.Context, in api.GetContentInput, options ...CallOption) (api.Revision, error) {
	return call(ctx, s.c, api.GetContent, in, options)
}

// ListPages shows the page tree.
func (s ContentService) ListPages(ctx context.Context, in api.GetContentInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListContentPages, in, options)
}

// ListFiles lists the files.
func (s ContentService) ListFiles(ctx context.Context, in api.ListFilesInput, options ...CallOption) (api.Page[api.File], error) {
	return call(ctx, s.c, api.ListContentFiles, in, options)
}

// GetFile shows a file and where to download it.
func (s ContentService) GetFile(ctx context.Context, in api.FileInput, options ...CallOption) (api.File, error) {
	return call(ctx, s.c, api.GetContentFile, in, options)
}

// GetReusableContent shows a reusable content.
func (s ContentService) GetReusableContent(ctx context.Context, in api.ReusableContentInput, options ...CallOption) (api.ReusableContent, error) {
	return call(ctx, s.c, api.GetContentReusableContent, in, options)
}

// GetPage shows a page.
func (s ContentService) GetPage(ctx context.Context, in api.PageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetContentPage, in, options)
}

// GetPageByPath shows the page at a path.
func (s ContentService) GetPageByPath(ctx context.Context, in api.PagePathInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetContentPageByPath, in, options)
}

// Import imports documentation from a URL.
func (s ContentService) Import(ctx context.Context, in api.ImportInput, options ...CallOption) (api.ImportResult, error) {
	return call(ctx, s.c, api.ImportContent, in, options)
}

// ListBacklinks lists the places that use a file.
func (s ContentService) ListBacklinks(ctx context.Context, in api.ListBacklinksInput, options ...CallOption) (api.Page[api.Reference], error) {
	return call(ctx, s.c, api.ListContentBacklinks, in, options)
}

// ListLinks lists the links of a page.
func (s ContentService) ListLinks(ctx context.Context, in api.ListPageLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListContentLinks, in, options)
}
