// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// OpenAPISpecsService manages OpenAPI specifications.
type OpenAPISpecsService struct{ c *Client }

// Create adds an OpenAPI specification, by its address or its text.
//
//	POST /v1/orgs/{organizationId}/openapi (operation createOpenAPISpec)
func (s OpenAPISpecsService) Create(ctx context.Context, in api.CreateOpenAPISpecInput, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.CreateOpenAPISpec, in, options)
}

// Delete deletes an OpenAPI specification with all its versions.
//
//	DELETE /v1/orgs/{organizationId}/openapi/{specSlug} (operation deleteOpenAPISpecBySlug)
func (s OpenAPISpecsService) Delete(ctx context.Context, in api.DeleteOpenAPISpecInput, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteOpenAPISpec, in, options)
}

// Get shows an OpenAPI specification.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug} (operation getOpenAPISpecBySlug)
func (s OpenAPISpecsService) Get(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.GetOpenAPISpec, in, options)
}

// GetLatestContent shows the documents of the latest version.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content (operation getLatestOpenAPISpecVersionContent)
func (s OpenAPISpecsService) GetLatestContent(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpecContent, error) {
	return call(ctx, s.c, api.GetOpenAPISpecLatestContent, in, options)
}

// GetLatestVersion shows the latest version of an OpenAPI specification.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest (operation getLatestOpenAPISpecVersion)
func (s OpenAPISpecsService) GetLatestVersion(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpecVersion, error) {
	return call(ctx, s.c, api.GetOpenAPISpecLatestVersion, in, options)
}

// GetVersion shows a version of an OpenAPI specification.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId} (operation getOpenAPISpecVersionById)
func (s OpenAPISpecsService) GetVersion(ctx context.Context, in api.OpenAPISpecVersionRef, options ...CallOption) (api.OpenAPISpecVersion, error) {
	return call(ctx, s.c, api.GetOpenAPISpecVersion, in, options)
}

// GetVersionContent shows the documents of a version.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content (operation getOpenAPISpecVersionContentById)
func (s OpenAPISpecsService) GetVersionContent(ctx context.Context, in api.OpenAPISpecVersionRef, options ...CallOption) (api.OpenAPISpecContent, error) {
	return call(ctx, s.c, api.GetOpenAPISpecVersionContent, in, options)
}

// List lists the OpenAPI specifications of an organization. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/orgs/{organizationId}/openapi (operation listOpenAPISpecs)
func (s OpenAPISpecsService) List(ctx context.Context, in api.ListOpenAPISpecsInput, options ...CallOption) (api.Page[api.OpenAPISpec], error) {
	return call(ctx, s.c, api.ListOpenAPISpecs, in, options)
}

// ListVersions lists the versions of an OpenAPI specification. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/openapi/{specSlug}/versions (operation listOpenAPISpecVersions)
func (s OpenAPISpecsService) ListVersions(ctx context.Context, in api.ListOpenAPISpecVersionsInput, options ...CallOption) (api.Page[api.OpenAPISpecVersion], error) {
	return call(ctx, s.c, api.ListOpenAPISpecVersions, in, options)
}

// Put adds an OpenAPI specification, or reads it again from a source.
//
//	PUT /v1/orgs/{organizationId}/openapi/{specSlug} (operation createOrUpdateOpenAPISpecBySlug)
func (s OpenAPISpecsService) Put(ctx context.Context, in api.PutOpenAPISpecInput, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.PutOpenAPISpec, in, options)
}

// Update says who may fetch an OpenAPI specification.
//
//	PATCH /v1/orgs/{organizationId}/openapi/{specSlug} (operation updateOpenAPISpecBySlug)
func (s OpenAPISpecsService) Update(ctx context.Context, in api.UpdateOpenAPISpecInput, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.UpdateOpenAPISpec, in, options)
}
