// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// UserService shows the caller.
type UserService struct{ c *Client }

// Get shows who the token belongs to.
//
//	GET /v1/user (operation getAuthenticatedUser)
func (s UserService) Get(ctx context.Context, in api.NoInput, options ...CallOption) (api.CurrentUser, error) {
	return call(ctx, s.c, api.GetUser, in, options)
}
