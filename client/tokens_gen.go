// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TokensService manages the caller's tokens.
type TokensService struct{ c *Client }

// Create makes a token; its secret is shown once. The answer holds a secret, so a repeat with the same
// [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/user/tokens (operation tokensCreate)
func (s TokensService) Create(ctx context.Context, in api.CreateTokenInput, options ...CallOption) (api.Token, error) {
	return call(ctx, s.c, api.CreateToken, in, options)
}

// Delete revokes a token and those that it made; the next request with one of them fails.
//
//	DELETE /v1/user/tokens/{tokenId} (operation tokensDelete)
func (s TokensService) Delete(ctx context.Context, in api.TokenRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteToken, in, options)
}

// List lists your tokens, without their secrets. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/user/tokens (operation tokensList)
func (s TokensService) List(ctx context.Context, in api.ListTokensInput, options ...CallOption) (api.Page[api.Token], error) {
	return call(ctx, s.c, api.ListTokens, in, options)
}

// Rotate gives a token a new secret, shown once; what the token may do and the tokens that it made stay. Body may be
// zero. The answer holds a secret, so a repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/user/tokens/{tokenId}/rotate (operation tokensRotate)
func (s TokensService) Rotate(ctx context.Context, in api.RotateTokenInput, options ...CallOption) (api.Token, error) {
	return call(ctx, s.c, api.RotateToken, in, options)
}
