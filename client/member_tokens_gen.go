// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// MemberTokensService lists the tokens of members, and ends them.
type MemberTokensService struct{ c *Client }

// Delete ends a token of a member, and those that it made: a token that works in other organizations, too, only ends
// for this one.
//
//	DELETE /v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId} (operation memberTokensDelete)
func (s MemberTokensService) Delete(ctx context.Context, in api.MemberTokenRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteMemberToken, in, options)
}

// List lists the tokens of a member that work in the organization. It answers a page of the list; [All] goes through
// all of it.
//
//	GET /v1/orgs/{organizationId}/members/{userId}/tokens (operation memberTokensList)
func (s MemberTokensService) List(ctx context.Context, in api.ListMemberTokensInput, options ...CallOption) (api.Page[api.MemberToken], error) {
	return call(ctx, s.c, api.ListMemberTokens, in, options)
}
