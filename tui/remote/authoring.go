package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Author contains the operations for writing pages and change requests. It is part of Client.
type Author interface {
	CreateRequest(ctx context.Context, space, subject, key string) (api.ChangeRequest, error)
	UpdateRequest(ctx context.Context, at Target, patch api.ChangeRequestPatch, key string) error
	AskForReview(ctx context.Context, at Target, user, key string) error
	// Permitted returns the users who can read a space, with their permissions. It is forbidden for users who cannot
	// create spaces.
	Permitted(ctx context.Context, space string) ([]api.UserPermission, error)

	// PageText returns the Markdown of a page and the content version from which it was read.
	PageText(ctx context.Context, at Target, page string) (text, version string, err error)
	// EvaluatedText returns the Markdown of a page with its variables and reusable contents evaluated, as readers see it.
	EvaluatedText(ctx context.Context, at Target, page string) (string, error)
	// Edit changes pages of a change request as one revision. If version is not empty and outdated, it returns
	// ReasonVersionMismatch.
	Edit(ctx context.Context, at Target, changes []api.ContentChange, version, key string) error
}
