// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ServiceAccountsService manages service accounts, the users for programs, and creates their tokens.
type ServiceAccountsService struct{ c *Client }

// Create creates a service account: a member for a program, without an e-mail address, whose tokens only admins
// create.
//
//	POST /v1/orgs/{organizationId}/service-accounts (operation serviceAccountsCreate)
func (s ServiceAccountsService) Create(ctx context.Context, in api.CreateServiceAccountInput, options ...CallOption) (api.ServiceAccount, error) {
	return call(ctx, s.c, api.CreateServiceAccount, in, options)
}

// CreateToken creates a token of a service account; its secret is shown once. The answer holds a secret, so a repeat
// with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/orgs/{organizationId}/service-accounts/{serviceAccountId}/tokens (operation serviceAccountsCreateToken)
func (s ServiceAccountsService) CreateToken(ctx context.Context, in api.CreateServiceAccountTokenInput, options ...CallOption) (api.Token, error) {
	return call(ctx, s.c, api.CreateServiceAccountToken, in, options)
}

// Delete ends a service account and its tokens; what it wrote keeps its name.
//
//	DELETE /v1/orgs/{organizationId}/service-accounts/{serviceAccountId} (operation serviceAccountsDelete)
func (s ServiceAccountsService) Delete(ctx context.Context, in api.ServiceAccountRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteServiceAccount, in, options)
}

// Get shows a service account.
//
//	GET /v1/orgs/{organizationId}/service-accounts/{serviceAccountId} (operation serviceAccountsGet)
func (s ServiceAccountsService) Get(ctx context.Context, in api.ServiceAccountRef, options ...CallOption) (api.ServiceAccount, error) {
	return call(ctx, s.c, api.GetServiceAccount, in, options)
}

// List lists the service accounts of an organization: its users for programs. It answers a page of the list; [All]
// goes through all of it.
//
//	GET /v1/orgs/{organizationId}/service-accounts (operation serviceAccountsList)
func (s ServiceAccountsService) List(ctx context.Context, in api.ListServiceAccountsInput, options ...CallOption) (api.Page[api.ServiceAccount], error) {
	return call(ctx, s.c, api.ListServiceAccounts, in, options)
}

// Update changes the name or the role of a service account.
//
//	PATCH /v1/orgs/{organizationId}/service-accounts/{serviceAccountId} (operation serviceAccountsUpdate)
func (s ServiceAccountsService) Update(ctx context.Context, in api.UpdateServiceAccountInput, options ...CallOption) (api.ServiceAccount, error) {
	return call(ctx, s.c, api.UpdateServiceAccount, in, options)
}
