package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SAMLProvidersService manages the SAML providers of organizations.
type SAMLProvidersService struct{ c *Client }

// List lists the SAML providers of an organization.
func (s SAMLProvidersService) List(ctx context.Context, in api.ListSAMLProvidersInput, options ...CallOption) (api.Page[api.SAMLProvider], error) {
	return call(ctx, s.c, api.ListSAMLProviders, in, options)
}

// Create adds a SAML provider.
func (s SAMLProvidersService) Create(ctx context.Context, in api.CreateSAMLProviderInput, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.CreateSAMLProvider, in, options)
}

// Get shows a SAML provider.
func (s SAMLProvidersService) Get(ctx context.Context, in api.SAMLProviderRef, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.GetSAMLProvider, in, options)
}

// Update changes a SAML provider.
func (s SAMLProvidersService) Update(ctx context.Context, in api.UpdateSAMLProviderInput, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.UpdateSAMLProvider, in, options)
}

// Delete deletes a SAML provider.
func (s SAMLProvidersService) Delete(ctx context.Context, in api.SAMLProviderRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSAMLProvider, in, options)
}

// ListLogins lists where to sign in: the providers that are active.
func (s SAMLProvidersService) ListLogins(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.SSOLogins, error) {
	return call(ctx, s.c, api.ListSAMLProviderLogins, in, options)
}
