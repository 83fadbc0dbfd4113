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

// TransfersService shows the transfers of an organization, and takes them back.
type TransfersService struct{ c *Client }

// List lists the transfers from an organization and to it.
func (s TransfersService) List(ctx context.Context, in api.ListTransfersInput, options ...CallOption) (api.Page[api.TransferRecord], error) {
	return call(ctx, s.c, api.ListTransfers, in, options)
}

// Get shows a transfer.
func (s TransfersService) Get(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.GetTransfer, in, options)
}

// TakeBack takes back what was transferred to another organization.
func (s TransfersService) TakeBack(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.TakeTransferBack, in, options)
}

// Ask asks the other organization to give back what was transferred to it.
func (s TransfersService) Ask(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.AskTransfer, in, options)
}

// Agree gives back what another organization asks for.
func (s TransfersService) Agree(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.AgreeTransfer, in, options)
}

// Refuse does not give back what another organization asks for.
func (s TransfersService) Refuse(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.RefuseTransfer, in, options)
}

// Copy takes a copy of what was transferred to another organization, as it was then.
func (s TransfersService) Copy(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.CopyTransfer, in, options)
}
