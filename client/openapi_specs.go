package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// OpenAPISpecsService manages OpenAPI specifications.
type OpenAPISpecsService struct{ c *Client }

// List lists the OpenAPI specifications of an organization.
func (s OpenAPISpecsService) List(ctx context.Context, in api.ListOpenAPISpecsInput, options ...CallOption) (api.Page[api.OpenAPISpec], error) {
	return call(ctx, s.c, api.ListOpenAPISpecs, in, options)
}

// Create adds an OpenAPI specification, by its address or its text.
func (s OpenAPISpecsService) Create(ctx context.Context, in api.CreateOpenAPISpecInput, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.CreateOpenAPISpec, in, options)
}

// Get shows an OpenAPI specification.
func (s OpenAPISpecsService) Get(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.GetOpenAPISpec, in, options)
}

// Put adds an OpenAPI specification, or reads it again from a source.
func (s OpenAPISpecsService) Put(ctx context.Context, in api.PutOpenAPISpecInput, options ...CallOption) (api.OpenAPISpec, error) {
	return call(ctx, s.c, api.PutOpenAPISpec, in, options)
}

// Delete deletes an OpenAPI specification with all its versions.
func (s OpenAPISpecsService) Delete(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteOpenAPISpec, in, options)
}

// ListVersions lists the versions of an OpenAPI specification.
func (s OpenAPISpecsService) ListVersions(ctx context.Context, in api.ListOpenAPISpecVersionsInput, options ...CallOption) (api.Page[api.OpenAPISpecVersion], error) {
	return call(ctx, s.c, api.ListOpenAPISpecVersions, in, options)
}

// GetLatestVersion shows the latest version of an OpenAPI specification.
func (s OpenAPISpecsService) GetLatestVersion(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpecVersion, error) {
	return call(ctx, s.c, api.GetOpenAPISpecLatestVersion, in, options)
}

// GetLatestContent shows the documents of the latest version.
func (s OpenAPISpecsService) GetLatestContent(ctx context.Context, in api.OpenAPISpecRef, options ...CallOption) (api.OpenAPISpecContent, error) {
	return call(ctx, s.c, api.GetOpenAPISpecLatestContent, in, options)
}

// GetVersion shows a version of an OpenAPI specification.
func (s OpenAPISpecsService) GetVersion(ctx context.Context, in api.OpenAPISpecVersionRef, options ...CallOption) (api.OpenAPISpecVersion, error) {
	return call(ctx, s.c, api.GetOpenAPISpecVersion, in, options)
}

// GetVersionContent shows the documents of a version.
func (s OpenAPISpecsService) GetVersionContent(ctx context.Context, in api.OpenAPISpecVersionRef, options ...CallOption) (api.OpenAPISpecContent, error) {
	return call(ctx, s.c, api.GetOpenAPISpecVersionContent, in, options)
}
