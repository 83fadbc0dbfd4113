package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// UserService shows the caller.
type UserService struct{ c *Client }

// Get shows who the token belongs to.
func (s UserService) Get(ctx context.Context, in api.NoInput, options ...CallOption) (api.User, error) {
	return call(ctx, s.c, api.GetUser, in, options)
}

// TokensService manages the caller's tokens.
type TokensService struct{ c *Client }

// List lists your tokens, without their secrets.
func (s TokensService) List(ctx context.Context, in api.ListTokensInput, options ...CallOption) (api.Page[api.Token], error) {
	return call(ctx, s.c, api.ListTokens, in, options)
}

// Create makes a token.
func (s TokensService) Create(ctx context.Context, in api.CreateTokenInput, options ...CallOption) (api.Token, error) {
	return call(ctx, s.c, api.CreateToken, in, options)
}

// Rotate gives a token a new secret.
func (s TokensService) Rotate(ctx context.Context, in api.RotateTokenInput, options ...CallOption) (api.Token, error) {
	return call(ctx, s.c, api.RotateToken, in, options)
}

// Delete revokes a token, and those that it made.
func (s TokensService) Delete(ctx context.Context, in api.TokenRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteToken, in, options)
}

// UsersService shows users.
type UsersService struct{ c *Client }

// Show shows yourself, or somebody who is in an organization with you.
func (s UsersService) Show(ctx context.Context, in api.UserRef, options ...CallOption) (api.User, error) {
	return call(ctx, s.c, api.ShowUser, in, options)
}

// Update changes your own name or photo.
func (s UsersService) Update(ctx context.Context, in api.UpdateUserInput, options ...CallOption) (api.User, error) {
	return call(ctx, s.c, api.UpdateUser, in, options)
}
