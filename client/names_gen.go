// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// NamesService finds spaces, collections, sites, teams and members by name.
type NamesService struct{ c *Client }

// Find finds spaces, collections, docs sites, teams and members by name.
//
//	POST /v1/orgs/{organizationId}/names (operation namesFind)
func (s NamesService) Find(ctx context.Context, in api.FindNameInput, options ...CallOption) (api.NameList, error) {
	return call(ctx, s.c, api.FindName, in, options)
}
