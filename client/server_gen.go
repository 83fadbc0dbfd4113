// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ServerService shows the version of the server.
type ServerService struct{ c *Client }

// Get shows the version and the build of the server.
//
//	GET /v1/ (operation getApiInformation)
func (s ServerService) Get(ctx context.Context, in api.NoInput, options ...CallOption) (api.ServerInfo, error) {
	return call(ctx, s.c, api.GetServer, in, options)
}
