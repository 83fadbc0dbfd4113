// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CollectionsService manages collections.
type CollectionsService struct{ c *Client }

// Create creates a collection. Body may be zero.
//
//	POST /v1/orgs/{organizationId}/collections (operation createCollection)
func (s CollectionsService) Create(ctx context.Context, in api.CreateCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.CreateCollection, in, options)
}

// Delete deletes a collection and the collections in it; their spaces go to the trash for 7 days.
//
//	DELETE /v1/collections/{collectionId} (operation deleteCollectionById)
func (s CollectionsService) Delete(ctx context.Context, in api.CollectionRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollection, in, options)
}

// Get shows a collection.
//
//	GET /v1/collections/{collectionId} (operation getCollectionById)
func (s CollectionsService) Get(ctx context.Context, in api.CollectionRef, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.GetCollection, in, options)
}

// List lists the collections of an organization. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/collections (operation listCollectionsInOrganizationById)
func (s CollectionsService) List(ctx context.Context, in api.ListCollectionsInput, options ...CallOption) (api.Page[api.Collection], error) {
	return call(ctx, s.c, api.ListCollections, in, options)
}

// ListSpaces lists the spaces of a collection, in their order. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/collections/{collectionId}/spaces (operation listSpacesInCollectionById)
func (s CollectionsService) ListSpaces(ctx context.Context, in api.ListCollectionSpacesInput, options ...CallOption) (api.Page[api.Space], error) {
	return call(ctx, s.c, api.ListCollectionSpaces, in, options)
}

// Move moves a collection to another parent or position.
//
//	POST /v1/collections/{collectionId}/move (operation moveCollection)
func (s CollectionsService) Move(ctx context.Context, in api.MoveCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.MoveCollection, in, options)
}

// Restore restores a collection deleted within the last 7 days, with what was deleted with it and is still in the
// trash.
//
//	POST /v1/collections/{collectionId}/restore (operation collectionsRestore)
func (s CollectionsService) Restore(ctx context.Context, in api.CollectionRef, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.RestoreCollection, in, options)
}

// Transfer moves a collection with all its spaces to another organization. It may take minutes, and only the context
// limits it.
//
//	POST /v1/collections/{collectionId}/transfer (operation transferCollection)
func (s CollectionsService) Transfer(ctx context.Context, in api.TransferCollectionInput, options ...CallOption) (api.TransferredCollection, error) {
	return call(ctx, s.c, api.TransferCollection, in, options)
}

// Update changes a collection's title, description or default level.
//
//	PATCH /v1/collections/{collectionId} (operation updateCollectionById)
func (s CollectionsService) Update(ctx context.Context, in api.UpdateCollectionInput, options ...CallOption) (api.Collection, error) {
	return call(ctx, s.c, api.UpdateCollection, in, options)
}
