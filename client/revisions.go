package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// RevisionsService reads the revisions of a space.
type RevisionsService struct{ c *Client }

// GetChanges shows what changed in a revision, against its parent or another revision.
func (s RevisionsService) GetChanges(ctx context.Context, in api.RevisionChangesInput, options ...CallOption) (api.SemanticChanges, error) {
	return call(ctx, s.c, api.GetRevisionChanges, in, options)
}

// Diff compares the texts of a revision with those of its parent or another revision.
func (s RevisionsService) Diff(ctx context.Context, in api.RevisionDiffInput, options ...CallOption) (api.ContentDiff, error) {
	return call(ctx, s.c, api.DiffRevision, in, options)
}
