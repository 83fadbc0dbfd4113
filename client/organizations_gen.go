// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// OrganizationsService manages organizations.
type OrganizationsService struct{ c *Client }

// Create creates an organization; you become its first admin.
//
//	POST /v1/orgs (operation createOrganization)
func (s OrganizationsService) Create(ctx context.Context, in api.CreateOrganizationInput, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.CreateOrganization, in, options)
}

// Delete deletes an organization with all that it has; its admins can restore it for 7 days.
//
//	DELETE /v1/orgs/{organizationId} (operation organizationsDelete)
func (s OrganizationsService) Delete(ctx context.Context, in api.DeleteOrganizationInput, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteOrganization, in, options)
}

// Find lists the organizations that are open to your own e-mail domain.
//
//	GET /v1/email-domains/{emailDomain}/orgs (operation getOrganizationsForEmailDomain)
func (s OrganizationsService) Find(ctx context.Context, in api.EmailDomainRef, options ...CallOption) (api.DomainOrganizations, error) {
	return call(ctx, s.c, api.FindOrganization, in, options)
}

// Get shows an organization.
//
//	GET /v1/orgs/{organizationId} (operation getOrganizationById)
func (s OrganizationsService) Get(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.GetOrganization, in, options)
}

// Join joins an organization that is open to your e-mail domain, with its default role.
//
//	POST /v1/orgs/{organizationId}/join (operation organizationsJoin)
func (s OrganizationsService) Join(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.JoinOrganization, in, options)
}

// List lists your organizations. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs (operation listOrganizationsForAuthenticatedUser)
func (s OrganizationsService) List(ctx context.Context, in api.ListOrganizationsInput, options ...CallOption) (api.Page[api.Organization], error) {
	return call(ctx, s.c, api.ListOrganizations, in, options)
}

// Restore restores an organization deleted within the last 7 days.
//
//	POST /v1/orgs/{organizationId}/restore (operation organizationsRestore)
func (s OrganizationsService) Restore(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.RestoreOrganization, in, options)
}

// Search finds pages in all spaces that you can read, by space. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/search (operation searchOrganizationContent)
func (s OrganizationsService) Search(ctx context.Context, in api.SearchOrganizationInput, options ...CallOption) (api.Page[api.SpaceHit], error) {
	return call(ctx, s.c, api.SearchOrganization, in, options)
}

// Update changes the settings of an organization.
//
//	PATCH /v1/orgs/{organizationId} (operation updateOrganizationById)
func (s OrganizationsService) Update(ctx context.Context, in api.UpdateOrganizationInput, options ...CallOption) (api.Organization, error) {
	return call(ctx, s.c, api.UpdateOrganization, in, options)
}
