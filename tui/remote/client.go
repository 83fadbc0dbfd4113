package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Target is the content of a space or, with a ChangeRequest, what that proposes.
type Target struct {
	Space         string `json:"space"`
	ChangeRequest string `json:"changeRequest,omitempty"` // its id; empty for the space itself
}

// Client is what the screen needs of a server. Lists are whole. A refusal is an *api.Error; every other error means
// that no answer came. Writes take an idempotency key: the same key is the same write.
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
	// FirstChangeRequests returns those that a screen shows at once, and whether there are more.
	FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) (first []api.ChangeRequest, more bool, err error)

	// Content is what a target holds: that of a space and that of a change request are asked for alike.
	Content(at Target) Content

	ChangeRequest(ctx context.Context, at Target) (api.ChangeRequest, error)
	// Changes returns what a change request changes, as many as the server shows; since is empty or api.SinceMyLastReview.
	Changes(ctx context.Context, at Target, since string) (api.SemanticChanges, error)
	// Diff returns what a change request changes in the text of a page.
	Diff(ctx context.Context, at Target, page, since string) (api.DocumentDiff, error)
	Merge(ctx context.Context, at Target, key string) (api.MergeResult, error)
	// Mergeability says what a merge depends on.
	Mergeability(ctx context.Context, at Target) (api.Mergeability, error)
	Pull(ctx context.Context, at Target, resolutions []api.Resolution, key string) (api.MergeResult, error)
	// Conflicts returns what a merge would have to be told.
	Conflicts(ctx context.Context, at Target) ([]api.Conflict, error)
}

// Content is the pages and comments of one target.
type Content interface {
	Pages(ctx context.Context) ([]api.RevisionPage, error)
	// Page returns a page with its Markdown and its blocks.
	Page(ctx context.Context, page string) (api.RevisionPage, error)

	// Links returns the links of a page.
	Links(ctx context.Context, page string) ([]api.Link, error)

	// Comments returns those on a page, or all of the target when page is empty, newest first.
	Comments(ctx context.Context, page string) ([]api.Comment, error)
	Replies(ctx context.Context, comment string) ([]api.CommentReply, error)
	// CreateComment and CreateReply return the id of what they made.
	CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error)
	UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error
	// Reattach gives a comment another place in the text.
	Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error
	CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error)
	UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error
	// DeleteComment deletes a comment with its replies, DeleteReply one of these.
	DeleteComment(ctx context.Context, comment, key string) error
	DeleteReply(ctx context.Context, comment, reply, key string) error
}
