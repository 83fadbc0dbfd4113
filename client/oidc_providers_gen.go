// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// OIDCProvidersService manages the OIDC providers of organizations.
type OIDCProvidersService struct{ c *Client }

// Create adds an OIDC provider; it is pending until an admin has signed in by it.
//
//	POST /v1/orgs/{organizationId}/oidc (operation oidcProvidersCreate)
func (s OIDCProvidersService) Create(ctx context.Context, in api.CreateOIDCProviderInput, options ...CallOption) (api.OIDCProvider, error) {
	return call(ctx, s.c, api.CreateOIDCProvider, in, options)
}

// Delete deletes an OIDC provider.
//
//	DELETE /v1/orgs/{organizationId}/oidc/{oidcProviderId} (operation oidcProvidersDelete)
func (s OIDCProvidersService) Delete(ctx context.Context, in api.OIDCProviderRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteOIDCProvider, in, options)
}

// Get shows an OIDC provider, without its client secret.
//
//	GET /v1/orgs/{organizationId}/oidc/{oidcProviderId} (operation oidcProvidersGet)
func (s OIDCProvidersService) Get(ctx context.Context, in api.OIDCProviderRef, options ...CallOption) (api.OIDCProvider, error) {
	return call(ctx, s.c, api.GetOIDCProvider, in, options)
}

// List lists the OIDC providers of an organization. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/oidc (operation oidcProvidersList)
func (s OIDCProvidersService) List(ctx context.Context, in api.ListOIDCProvidersInput, options ...CallOption) (api.Page[api.OIDCProvider], error) {
	return call(ctx, s.c, api.ListOIDCProviders, in, options)
}

// Update changes an OIDC provider; another issuer, client or client secret is used when an admin has signed in by it.
//
//	PATCH /v1/orgs/{organizationId}/oidc/{oidcProviderId} (operation oidcProvidersUpdate)
func (s OIDCProvidersService) Update(ctx context.Context, in api.UpdateOIDCProviderInput, options ...CallOption) (api.OIDCProvider, error) {
	return call(ctx, s.c, api.UpdateOIDCProvider, in, options)
}
