// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SpacesService manages spaces.
type SpacesService struct{ c *Client }

// Create creates a space. Body may be zero.
//
//	POST /v1/orgs/{organizationId}/spaces (operation createSpace)
func (s SpacesService) Create(ctx context.Context, in api.CreateSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.CreateSpace, in, options)
}

// Delete deletes a space; it can be restored for 7 days.
//
//	DELETE /v1/spaces/{spaceId} (operation deleteSpaceById)
func (s SpacesService) Delete(ctx context.Context, in api.SpaceRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSpace, in, options)
}

// Duplicate copies a space with its content; change requests, comments and grants stay behind. It may take minutes,
// and only the context limits it.
//
//	POST /v1/spaces/{spaceId}/duplicate (operation duplicateSpace)
func (s SpacesService) Duplicate(ctx context.Context, in api.SpaceRef, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.DuplicateSpace, in, options)
}

// Get shows a space.
//
//	GET /v1/spaces/{spaceId} (operation getSpaceById)
func (s SpacesService) Get(ctx context.Context, in api.GetSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.GetSpace, in, options)
}

// GetPdf prints the content of a space as a PDF and answers where it can be downloaded for an hour. It may take
// minutes, and only the context limits it.
//
//	GET /v1/spaces/{spaceId}/pdf (operation getSpacePDF)
func (s SpacesService) GetPdf(ctx context.Context, in api.GetSpacePDFInput, options ...CallOption) (api.PDF, error) {
	return call(ctx, s.c, api.GetSpacePdf, in, options)
}

// List lists the spaces of an organization that you can read. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/spaces (operation listSpacesInOrganizationById)
func (s SpacesService) List(ctx context.Context, in api.ListSpacesInput, options ...CallOption) (api.Page[api.Space], error) {
	return call(ctx, s.c, api.ListSpaces, in, options)
}

// ListCommenters lists the members who commented on what readers see of a space. It answers a page of the list; [All]
// goes through all of it.
//
//	GET /v1/spaces/{spaceId}/commenters (operation listCommentersInSpace)
func (s SpacesService) ListCommenters(ctx context.Context, in api.ListCommentersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListSpaceCommenters, in, options)
}

// ListLinks lists the links of a space: ok, broken, or into the app.
//
//	GET /v1/spaces/{spaceId}/links (operation listSpaceLinks)
func (s SpacesService) ListLinks(ctx context.Context, in api.ListLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListSpaceLinks, in, options)
}

// ListRevisions lists the revisions of a space, newest first; of a source, those among the newest 1,000. It answers a
// page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/revisions (operation spacesListRevisions)
func (s SpacesService) ListRevisions(ctx context.Context, in api.SpaceRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListSpaceRevisions, in, options)
}

// Move moves a space to another collection or position.
//
//	POST /v1/spaces/{spaceId}/move (operation moveSpace)
func (s SpacesService) Move(ctx context.Context, in api.MoveSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.MoveSpace, in, options)
}

// Restore restores a space deleted within the last 7 days.
//
//	POST /v1/spaces/{spaceId}/restore (operation restoreSpace)
func (s SpacesService) Restore(ctx context.Context, in api.SpaceRef, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.RestoreSpace, in, options)
}

// Search finds pages of a space; the last word may be unfinished. It answers a page of the list; [All] goes through
// all of it.
//
//	GET /v1/spaces/{spaceId}/search (operation searchSpaceContent)
func (s SpacesService) Search(ctx context.Context, in api.SearchSpaceInput, options ...CallOption) (api.Page[api.PageHit], error) {
	return call(ctx, s.c, api.SearchSpace, in, options)
}

// Transfer moves a space to another organization. It may take minutes, and only the context limits it.
//
//	POST /v1/spaces/{spaceId}/transfer (operation transferSpace)
func (s SpacesService) Transfer(ctx context.Context, in api.TransferSpaceInput, options ...CallOption) (api.TransferredSpace, error) {
	return call(ctx, s.c, api.TransferSpace, in, options)
}

// Update changes a space's title, emoji, icon, language, edit mode, default level or merge rules.
//
//	PATCH /v1/spaces/{spaceId} (operation updateSpaceById)
func (s SpacesService) Update(ctx context.Context, in api.UpdateSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.UpdateSpace, in, options)
}
