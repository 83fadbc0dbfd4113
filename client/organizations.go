package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// OrganizationsService manages organizations.
type OrganizationsService struct{ c *Client }

// List lists your organizations.
func (s OrganizationsService) List(ctx context.Context, in api.ListOrganizationsInput, options ...CallOption) (api.Page[api.Organization], error) {
	return call(ctx, s.c, api.ListOrganizations, in, options)
}

// Create creates an organization.
func (s OrganizationsService) Create(ctx context.Context, in api.CreateOrganizationInput, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.CreateOrganization, in, options)
}

// Get shows an organization.
func (s OrganizationsService) Get(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.GetOrganization, in, options)
}
