// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IdentitiesService manages the identities of providers by which members sign in.
type IdentitiesService struct{ c *Client }

// Delete removes an identity; its sign-ins end.
//
//	DELETE /v1/orgs/{organizationId}/identities/{identityId} (operation identitiesDelete)
func (s IdentitiesService) Delete(ctx context.Context, in api.IdentityRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteIdentity, in, options)
}

// Get shows an identity of a provider, with its member or the members who have its address.
//
//	GET /v1/orgs/{organizationId}/identities/{identityId} (operation identitiesGet)
func (s IdentitiesService) Get(ctx context.Context, in api.IdentityRef, options ...CallOption) (api.Identity, error) {
	return call(ctx, s.c, api.GetIdentity, in, options)
}

// List lists the identities by which members sign in, and those that an admin can link with a member. It answers a
// page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/identities (operation identitiesList)
func (s IdentitiesService) List(ctx context.Context, in api.ListIdentitiesInput, options ...CallOption) (api.Page[api.Identity], error) {
	return call(ctx, s.c, api.ListIdentities, in, options)
}

// Update links an identity with a member, who signs in by it from then on, in place of the member that it was linked
// with.
//
//	PATCH /v1/orgs/{organizationId}/identities/{identityId} (operation identitiesUpdate)
func (s IdentitiesService) Update(ctx context.Context, in api.UpdateIdentityInput, options ...CallOption) (api.Identity, error) {
	return call(ctx, s.c, api.UpdateIdentity, in, options)
}
