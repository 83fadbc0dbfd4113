package tui

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Place is the content of a space or, with a ChangeRequest, what that proposes.
type Place struct {
	Space         string `json:"space"`
	ChangeRequest string `json:"changeRequest,omitempty"` // its id; empty for the space itself
}

// Client is what the screen needs of a server. Lists are whole. A refusal is an *api.Error; every other error means
// that no answer came. Writes take an idempotency key: the same key is the same write.
type Client interface {
	User(ctx context.Context) (api.User, error)
	Organizations(ctx context.Context) ([]api.Organization, error)
	Collections(ctx context.Context, organization string) ([]api.Collection, error)
	Spaces(ctx context.Context, organization string) ([]api.Space, error)
	Space(ctx context.Context, id string) (api.Space, error)

	Pages(ctx context.Context, at Place) ([]api.RevisionPage, error)
	// Page returns a page with its Markdown and its blocks.
	Page(ctx context.Context, at Place, page string) (api.RevisionPage, error)

	ChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error)
	ChangeRequest(ctx context.Context, at Place) (api.ChangeRequest, error)
	// Changes returns what a change request changes, as many as the server shows; since is empty or api.SinceMyLastReview.
	Changes(ctx context.Context, at Place, since string) (api.SemanticChanges, error)
	// Diff returns what a change request changes in the text of a page.
	Diff(ctx context.Context, at Place, page, since string) (api.DocumentDiff, error)
	Merge(ctx context.Context, at Place, key string) (api.MergeResult, error)
	// Mergeability says what a merge depends on.
	Mergeability(ctx context.Context, at Place) (api.Mergeability, error)
	Review(ctx context.Context, at Place, body api.ReviewCreate, key string) error
	Pull(ctx context.Context, at Place, resolutions []api.Resolution, key string) (api.MergeResult, error)

	// Comments returns those on a page, or all of the place when page is empty, newest first.
	Comments(ctx context.Context, at Place, page string) ([]api.Comment, error)
	Replies(ctx context.Context, at Place, comment string) ([]api.CommentReply, error)
	// CreateComment and CreateReply return the id of what they made.
	CreateComment(ctx context.Context, at Place, body api.CommentCreate, key string) (string, error)
	UpdateComment(ctx context.Context, at Place, comment string, body api.CommentUpdate, key string) error
	CreateReply(ctx context.Context, at Place, comment string, body api.ReplyCreate, key string) (string, error)
	UpdateReply(ctx context.Context, at Place, comment, reply string, body api.ReplyUpdate, key string) error
}
