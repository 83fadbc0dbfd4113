// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// UsersService shows users.
type UsersService struct{ c *Client }

// Show shows yourself, or somebody who is in an organization with you.
//
//	GET /v1/users/{userId} (operation getUserById)
func (s UsersService) Show(ctx context.Context, in api.UserRef, options ...CallOption) (api.User, error) {
	return call(ctx, s.c, api.ShowUser, in, options)
}

// Update changes your own name or photo.
//
//	PATCH /v1/users/{userId} (operation updateUserById)
func (s UsersService) Update(ctx context.Context, in api.UpdateUserInput, options ...CallOption) (api.User, error) {
	return call(ctx, s.c, api.UpdateUser, in, options)
}
