// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SAMLProvidersService manages the SAML providers of organizations.
type SAMLProvidersService struct{ c *Client }

// Create adds a SAML provider; it is pending until an admin has signed in by it.
//
//	POST /v1/orgs/{organizationId}/saml (operation createOrganizationSAMLProvider)
func (s SAMLProvidersService) Create(ctx context.Context, in api.CreateSAMLProviderInput, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.CreateSAMLProvider, in, options)
}

// Delete deletes a SAML provider.
//
//	DELETE /v1/orgs/{organizationId}/saml/{samlProviderId} (operation deleteOrganizationSAMLProvider)
func (s SAMLProvidersService) Delete(ctx context.Context, in api.SAMLProviderRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSAMLProvider, in, options)
}

// Get shows a SAML provider.
//
//	GET /v1/orgs/{organizationId}/saml/{samlProviderId} (operation getOrganizationSAMLProviderById)
func (s SAMLProvidersService) Get(ctx context.Context, in api.SAMLProviderRef, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.GetSAMLProvider, in, options)
}

// List lists the SAML providers of an organization. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/saml (operation listSAMLProvidersInOrganizationById)
func (s SAMLProvidersService) List(ctx context.Context, in api.ListSAMLProvidersInput, options ...CallOption) (api.Page[api.SAMLProvider], error) {
	return call(ctx, s.c, api.ListSAMLProviders, in, options)
}

// ListLogins lists where to sign in: the providers that are active.
//
//	GET /v1/orgs/{organizationId}/sso (operation listSSOProviderLoginsInOrganization)
func (s SAMLProvidersService) ListLogins(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.SSOLogins, error) {
	return call(ctx, s.c, api.ListSAMLProviderLogins, in, options)
}

// Update changes a SAML provider.
//
//	PATCH /v1/orgs/{organizationId}/saml/{samlProviderId} (operation updateOrganizationSAMLProvider)
func (s SAMLProvidersService) Update(ctx context.Context, in api.UpdateSAMLProviderInput, options ...CallOption) (api.SAMLProvider, error) {
	return call(ctx, s.c, api.UpdateSAMLProvider, in, options)
}
