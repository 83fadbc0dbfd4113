// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TrashService lists deleted resources that can be restored.
type TrashService struct{ c *Client }

// List lists the deleted spaces and collections of an organization that you can restore. It answers a page of the
// list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/trash (operation trashList)
func (s TrashService) List(ctx context.Context, in api.ListTrashInput, options ...CallOption) (api.Page[api.TrashItem], error) {
	return call(ctx, s.c, api.ListTrash, in, options)
}

// ListOrganizations lists the deleted organizations that you can restore: those that you are an admin of. It answers
// a page of the list; [All] goes through all of it.
//
//	GET /v1/user/trash (operation trashListOrganizations)
func (s TrashService) ListOrganizations(ctx context.Context, in api.ListTrashOrganizationsInput, options ...CallOption) (api.Page[api.TrashedOrganization], error) {
	return call(ctx, s.c, api.ListTrashOrganizations, in, options)
}
