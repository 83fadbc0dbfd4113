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

// Search finds pages in all spaces that you can read, by space.
func (s OrganizationsService) Search(ctx context.Context, in api.SearchOrganizationInput, options ...CallOption) (api.Page[api.SpaceHit], error) {
	return call(ctx, s.c, api.SearchOrganization, in, options)
}

// Update changes the settings of an organization.
func (s OrganizationsService) Update(ctx context.Context, in api.UpdateOrganizationInput, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.UpdateOrganization, in, options)
}

// Join joins an organization that is open to the caller's e-mail domain.
func (s OrganizationsService) Join(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.JoinOrganization, in, options)
}

// Find lists the organizations that are open to the caller's own e-mail domain.
func (s OrganizationsService) Find(ctx context.Context, in api.EmailDomainRef, options ...CallOption) (api.DomainOrganizations, error) {
	return call(ctx, s.c, api.FindOrganization, in, options)
}
