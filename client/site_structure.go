package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// GetStructure shows the sections and spaces of a docs site, in their order.
func (s SitesService) GetStructure(ctx context.Context, in api.SiteVisit, options ...CallOption) (api.SiteStructure, error) {
	return call(ctx, s.c, api.GetSiteStructure, in, options)
}

// SortStructure moves a section, a section group or a site space next to another one.
func (s SitesService) SortStructure(ctx context.Context, in api.SortSiteStructureInput, options ...CallOption) (api.SiteStructureItem, error) {
	return call(ctx, s.c, api.SortSiteStructure, in, options)
}
