package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Transfer moves a space to another organization.
func (s SpacesService) Transfer(ctx context.Context, in api.TransferSpaceInput, options ...CallOption) (api.TransferredSpace, error) {
	return call(ctx, s.c, api.TransferSpace, in, options)
}

// Transfer moves a collection with all its spaces to another organization.
func (s CollectionsService) Transfer(ctx context.Context, in api.TransferCollectionInput, options ...CallOption) (api.TransferredCollection, error) {
	return call(ctx, s.c, api.TransferCollection, in, options)
}
