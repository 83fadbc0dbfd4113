// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TransfersService shows the transfers of an organization, and takes them back.
type TransfersService struct{ c *Client }

// Agree gives back what another organization transferred to this one and asks for. It may take minutes, and only the
// context limits it.
//
//	POST /v1/orgs/{organizationId}/transfers/{transferId}/agree (operation transfersAgree)
func (s TransfersService) Agree(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.AgreeTransfer, in, options)
}

// Ask asks the admins of the other organization to give back what was transferred to it.
//
//	POST /v1/orgs/{organizationId}/transfers/{transferId}/ask (operation transfersAsk)
func (s TransfersService) Ask(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.AskTransfer, in, options)
}

// Copy takes a copy of what was transferred to another organization, as it was then. It may take minutes, and only
// the context limits it.
//
//	POST /v1/orgs/{organizationId}/transfers/{transferId}/copy (operation transfersCopy)
func (s TransfersService) Copy(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.CopyTransfer, in, options)
}

// Get shows a transfer: where it is, and until when it can be taken back.
//
//	GET /v1/orgs/{organizationId}/transfers/{transferId} (operation transfersGet)
func (s TransfersService) Get(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.GetTransfer, in, options)
}

// List lists the transfers from an organization and to it. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/orgs/{organizationId}/transfers (operation transfersList)
func (s TransfersService) List(ctx context.Context, in api.ListTransfersInput, options ...CallOption) (api.Page[api.TransferRecord], error) {
	return call(ctx, s.c, api.ListTransfers, in, options)
}

// Refuse refuses to give back what another organization transferred to this one and asks for.
//
//	POST /v1/orgs/{organizationId}/transfers/{transferId}/refuse (operation transfersRefuse)
func (s TransfersService) Refuse(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.RefuseTransfer, in, options)
}

// TakeBack takes back what was transferred to another organization, as long as nobody there has written in it or
// shows it on a site. It may take minutes, and only the context limits it.
//
//	POST /v1/orgs/{organizationId}/transfers/{transferId}/take-back (operation transfersTakeBack)
func (s TransfersService) TakeBack(ctx context.Context, in api.TransferRef, options ...CallOption) (api.TransferRecord, error) {
	return call(ctx, s.c, api.TakeTransferBack, in, options)
}
