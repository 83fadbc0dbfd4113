package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSectionGroupsService manages the section groups of docs sites.
type SiteSectionGroupsService struct{ c *Client }

// List lists the section groups of a docs site, in their order.
func (s SiteSectionGroupsService) List(ctx context.Context, in api.ListSiteSectionGroupsInput, options ...CallOption) (api.Page[api.SiteSectionGroup], error) {
	return call(ctx, s.c, api.ListSiteSectionGroups, in, options)
}

// Create groups sections of a docs site under a title.
func (s SiteSectionGroupsService) Create(ctx context.Context, in api.CreateSiteSectionGroupInput, options ...CallOption) (api.SiteSectionGroup, error) {
	return call(ctx, s.c, api.CreateSiteSectionGroup, in, options)
}

// Update changes a section group's title or icon.
func (s SiteSectionGroupsService) Update(ctx context.Context, in api.UpdateSiteSectionGroupInput, options ...CallOption) (api.SiteSectionGroup, error) {
	return call(ctx, s.c, api.UpdateSiteSectionGroup, in, options)
}

// Delete dissolves a section group.
func (s SiteSectionGroupsService) Delete(ctx context.Context, in api.SiteSectionGroupRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSectionGroup, in, options)
}
