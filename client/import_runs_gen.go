// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ImportRunsService manages imports that run in the background.
type ImportRunsService struct{ c *Client }

// Cancel cancels an import run: nothing that it has fetched comes in any more.
//
//	POST /v1/org/{organizationId}/imports/{importRunId}/cancel (operation cancelImportRun)
func (s ImportRunsService) Cancel(ctx context.Context, in api.ImportRunRef, options ...CallOption) (api.ImportRun, error) {
	return call(ctx, s.c, api.CancelImportRun, in, options)
}

// Create imports a website in the background: the answer comes before anything is fetched.
//
//	POST /v1/org/{organizationId}/imports (operation startImportRun)
func (s ImportRunsService) Create(ctx context.Context, in api.CreateImportRunInput, options ...CallOption) (api.ImportRun, error) {
	return call(ctx, s.c, api.CreateImportRun, in, options)
}

// Get shows an import run and, once it is completed, its pages.
//
//	GET /v1/org/{organizationId}/imports/{importRunId} (operation getImportRun)
func (s ImportRunsService) Get(ctx context.Context, in api.ImportRunRef, options ...CallOption) (api.ImportRun, error) {
	return call(ctx, s.c, api.GetImportRun, in, options)
}

// List lists the imports that run in the background, or did, the newest first: those into what you may edit. It
// answers a page of the list; [All] goes through all of it.
//
//	GET /v1/org/{organizationId}/imports (operation listImportRuns)
func (s ImportRunsService) List(ctx context.Context, in api.ListImportRunsInput, options ...CallOption) (api.Page[api.ImportRun], error) {
	return call(ctx, s.c, api.ListImportRuns, in, options)
}
