// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSectionGroupsService manages the section groups of docs sites.
type SiteSectionGroupsService struct{ c *Client }

// Create groups sections of a docs site under a title.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/section-groups (operation addSectionGroupToSite)
func (s SiteSectionGroupsService) Create(ctx context.Context, in api.CreateSiteSectionGroupInput, options ...CallOption) (api.SiteSectionGroup, error) {
	return call(ctx, s.c, api.CreateSiteSectionGroup, in, options)
}

// Delete dissolves a section group; its sections stay, at the end.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId} (operation deleteSiteSectionGroupById)
func (s SiteSectionGroupsService) Delete(ctx context.Context, in api.SiteSectionGroupRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSectionGroup, in, options)
}

// List lists the section groups of a docs site, in their order. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/section-groups (operation listSiteSectionGroups)
func (s SiteSectionGroupsService) List(ctx context.Context, in api.ListSiteSectionGroupsInput, options ...CallOption) (api.Page[api.SiteSectionGroup], error) {
	return call(ctx, s.c, api.ListSiteSectionGroups, in, options)
}

// Update changes a section group's title or icon.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId} (operation updateSiteSectionGroupById)
func (s SiteSectionGroupsService) Update(ctx context.Context, in api.UpdateSiteSectionGroupInput, options ...CallOption) (api.SiteSectionGroup, error) {
	return call(ctx, s.c, api.UpdateSiteSectionGroup, in, options)
}
