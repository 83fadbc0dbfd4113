package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Author is what the screen needs of a server to write pages and change requests. Client has it.
type Author interface {
	CreateRequest(ctx context.Context, space, subject, key string) (api.ChangeRequest, error)
	UpdateRequest(ctx context.Context, at Target, patch api.ChangeRequestPatch, key string) error
	AskForReview(ctx context.Context, at Target, user, key string) error
	// Permitted returns who may read a space, with what they may do there. Who may not create spaces is refused.
	Permitted(ctx context.Context, space string) ([]api.UserPermission, error)

	// PageText returns the Markdown of a page, and the version of the content that it was read in.
	PageText(ctx context.Context, at Target, page string) (text, version string, err error)
	// Edit changes the pages of a change request, as one revision. With a version it is refused with ReasonVersionMismatch
	// when the content has moved on since.
	Edit(ctx context.Context, at Target, changes []api.ContentChange, version, key string) error
}
