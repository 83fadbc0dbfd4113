package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CollectionsService manages collections.
type CollectionsService struct{ c *Client }

// List lists the collections of an organization.
func (s CollectionsService) List(ctx context.Context, in api.ListCollectionsInput, options ...CallOption) (api.Page[api.Collection], error) {
	return call(ctx, s.c, api.ListCollections, in, options)
}

// Create creates a collection.
func (s CollectionsService) Create(ctx context.Context, in api.CreateCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.CreateCollection, in, options)
}

// Get shows a collection.
func (s CollectionsService) Get(ctx context.Context, in api.CollectionRef, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.GetCollection, in, options)
}

// Update changes a collection's title, description or default level.
func (s CollectionsService) Update(ctx context.Context, in api.UpdateCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.UpdateCollection, in, options)
}

// Delete deletes a collection and the collections in it.
func (s CollectionsService) Delete(ctx context.Context, in api.CollectionRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollection, in, options)
}

// ListSpaces lists the spaces of a collection, in their order.
func (s CollectionsService) ListSpaces(ctx context.Context, in api.ListCollectionSpacesInput, options ...CallOption) (api.Page[api.Space], error) {
	return call(ctx, s.c, api.ListCollectionSpaces, in, options)
}

// Move moves a collection to another parent or position.
func (s CollectionsService) Move(ctx context.Context, in api.MoveCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.MoveCollection, in, options)
}
