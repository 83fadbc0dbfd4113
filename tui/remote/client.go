package remote

import (
	"context"
	"iter"

	"docspace.dev/wsd/client/api"
)

// Target identifies the content of a space or, with ChangeRequest, of a change request.
type Target struct {
	Space         string `json:"space"`
	ChangeRequest string `json:"changeRequest,omitempty"` // id; empty for the space itself
}

// Client contains the server operations used by the screen. Lists are complete. A rejection is an *api.Error; any
// other error means that no response was received. Writes take an idempotency key.
type Client interface {
	Finder
	Author
	Reviewer
	Queue

	User(ctx context.Context) (api.User, error)
	Organizations(ctx context.Context) ([]api.Organization, error)
	Collections(ctx context.Context, organization string) ([]api.Collection, error)
	Spaces(ctx context.Context, organization string) ([]api.Space, error)
	Space(ctx context.Context, id string) (api.Space, error)
	ChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error)
	// FirstChangeRequests returns the first part of the list, and whether there are more.
	FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) (first []api.ChangeRequest, more bool, err error)

	// Events returns the stream of events of an organization, which is continued after interruptions.
	Events(ctx context.Context, organization string) iter.Seq2[api.EventMessage, error]

	// Content returns the operations for the content of a target.
	Content(at Target) Content

	ChangeRequest(ctx context.Context, at Target) (api.ChangeRequest, error)
	// Changes returns the changes of a change request up to the limit of the server. since is empty or
	// api.SinceMyLastReview.
	Changes(ctx context.Context, at Target, since string) (api.SemanticChanges, error)
	// Diff returns the changes to the text of a page in a change request.
	Diff(ctx context.Context, at Target, page, since string) (api.DocumentDiff, error)
	Merge(ctx context.Context, at Target, head, key string) (api.MergeResult, error)
	// Mergeability returns the conditions of a merge.
	Mergeability(ctx context.Context, at Target) (api.Mergeability, error)
	Pull(ctx context.Context, at Target, head string, resolutions []api.Resolution, key string) (api.MergeResult, error)
	// Conflicts returns the conflicts of a merge that are not resolved.
	Conflicts(ctx context.Context, at Target) (api.ConflictList, error)
}

// Content contains the operations for pages and comments of one target.
type Content interface {
	Pages(ctx context.Context) ([]api.RevisionPage, error)
	// Page returns a page with its Markdown and blocks.
	Page(ctx context.Context, page string) (api.RevisionPage, error)

	// Links returns the links of a page.
	Links(ctx context.Context, page string) ([]api.Link, error)

	// Comments returns the comments on a page, or all of the target if page is empty, newest first.
	Comments(ctx context.Context, page string) ([]api.Comment, error)
	Replies(ctx context.Context, comment string) ([]api.CommentReply, error)
	// CreateComment and CreateReply return the id of the created object.
	CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error)
	UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error
	// Reattach moves a comment to another passage.
	Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error
	CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error)
	UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error
	// DeleteComment deletes a comment with its replies; DeleteReply deletes a single reply.
	DeleteComment(ctx context.Context, comment, key string) error
	DeleteReply(ctx context.Context, comment, reply, key string) error
}
