package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SpacesService manages spaces.
type SpacesService struct{ c *Client }

// List lists the spaces of an organization that you can read.
func (s SpacesService) List(ctx context.Context, in api.ListSpacesInput, options ...CallOption) (api.Page[api.Space], error) {
	return call(ctx, s.c, api.ListSpaces, in, options)
}

// Create creates a space.
func (s SpacesService) Create(ctx context.Context, in api.CreateSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.CreateSpace, in, options)
}

// Get shows a space.
func (s SpacesService) Get(ctx context.Context, in api.GetSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.GetSpace, in, options)
}

// GetPdf prints the content as a PDF and says where it can be downloaded.
func (s SpacesService) GetPdf(ctx context.Context, in api.GetSpacePDFInput, options ...CallOption) (api.PDF, error) {
	return call(ctx, s.c, api.GetSpacePdf, in, options)
}

// Update changes a space's title, emoji, edit mode or default level.
func (s SpacesService) Update(ctx context.Context, in api.UpdateSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.UpdateSpace, in, options)
}

// Delete deletes a space.
func (s SpacesService) Delete(ctx context.Context, in api.SpaceRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSpace, in, options)
}

// Duplicate copies a space with its content; change requests, comments and grants stay behind.
func (s SpacesService) Duplicate(ctx context.Context, in api.SpaceRef, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.DuplicateSpace, in, options)
}

// Restore restores a space deleted within the last 7 days.
func (s SpacesService) Restore(ctx context.Context, in api.SpaceRef, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.RestoreSpace, in, options)
}

// Move moves a space to another collection or position.
func (s SpacesService) Move(ctx context.Context, in api.MoveSpaceInput, options ...CallOption) (api.Space, error) {
	return call(ctx, s.c, api.MoveSpace, in, options)
}

// ListLinks lists the links of a space.
func (s SpacesService) ListLinks(ctx context.Context, in api.ListLinksInput, options ...CallOption) (api.LinkList, error) {
	return call(ctx, s.c, api.ListSpaceLinks, in, options)
}

// ListCommenters lists the members who commented on what readers see of a space.
func (s SpacesService) ListCommenters(ctx context.Context, in api.ListCommentersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListSpaceCommenters, in, options)
}

// Search finds pages of a space.
func (s SpacesService) Search(ctx context.Context, in api.SearchSpaceInput, options ...CallOption) (api.Page[api.PageHit], error) {
	return call(ctx, s.c, api.SearchSpace, in, options)
}
