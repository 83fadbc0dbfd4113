package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestContentService shows, edits and imports what a change request proposes.
type ChangeRequestContentService struct{ c *Client }

// Get shows the change request's revision.
func (s ChangeRequestContentService) Get(ctx context.Context, in api.ChangeRequestContentInput, options ...CallOption) (api.Revision, error) {
	return call(ctx, s.c, api.GetChangeRequestContent, in, options)
}

// Edit applies 1 to 50 content operations as one new revision, or none of them.
func (s ChangeRequestContentService) Edit(ctx context.Context, in api.EditContentInput, options ...CallOption) (api.ContentResult, error) {
	return call(ctx, s.c, api.EditChangeRequestContent, in, options)
}

// Import imports documentation from a URL into the change request.
func (s ChangeRequestContentService) Import(ctx context.Context, in api.ChangeRequestImportInput, options ...CallOption) (api.ImportResult, error) {
	return call(ctx, s.c, api.ImportChangeRequestContent, in, options)
}

// ListPages shows the page tree.
func (s ChangeRequestContentService) ListPages(ctx context.Context, in api.ChangeRequestContentInput, options ...CallOption) (api.PageTree, error) {
	return call(ctx, s.c, api.ListChangeRequestContentPages, in, options)
}

// ListFiles lists the files.
func (s ChangeRequestContentService) ListFiles(ctx context.Context, in api.ChangeRequestFilesInput, options ...CallOption) (api.Page[api.File], error) {
	return call(ctx, s.c, api.ListChangeRequestContentFiles, in, options)
}

// GetFile shows a file and where to download it.
func (s ChangeRequestContentService) GetFile(ctx context.Context, in api.ChangeRequestFileInput, options ...CallOption) (api.File, error) {
	return call(ctx, s.c, api.GetChangeRequestContentFile, in, options)
}

// GetReusableContent shows a reusable content.
func (s ChangeRequestContentService) GetReusableContent(ctx context.Context, in api.ChangeRequestReusableContentInput, options ...CallOption) (api.ReusableContent, error) {
	return call(ctx, s.c, api.GetChangeRequestContentReusableContent, in, options)
}

// GetPage shows a page.
func (s ChangeRequestContentService) GetPage(ctx context.Context, in api.ChangeRequestPageInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetChangeRequestContentPage, in, options)
}

// GetPageByPath shows the page at a path.
func (s ChangeRequestContentService) GetPageByPath(ctx context.Context, in api.ChangeRequestPagePathInput, options ...CallOption) (api.RevisionPage, error) {
	return call(ctx, s.c, api.GetChangeRequestContentPageByPath, in, options)
}

// ListBacklinks lists the places of the change request that use a file.
func (s ChangeRequestContentService) ListBacklinks(ctx context.Context, in api.ListChangeRequestBacklinksInput, options ...CallOption) (api.Page[api.Reference], error) {
	return call(ctx, s.c, api.ListChangeRequestContentBacklinks, in, options)
}

// ListLinks lists the links of a page of the change request.
func (s ChangeRequestContentService) ListLinks(ctx context.Context, in api.ListChangeRequestLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListChangeRequestContentLinks, in, options)
}
