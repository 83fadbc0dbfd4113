package api

import "net/http"

// Rows of comments and replies in a change request; the public API has them beside those of the space.
var (
	ListChangeRequestComments    = get[ListChangeRequestCommentsInput, Page[Comment]]("change-request-comments.list", "/v1/spaces/{space}/change-requests/{changeRequest}/comments", "List the comments of a change request, newest first.")
	CreateChangeRequestComment   = action[CreateChangeRequestCommentInput, Comment]("change-request-comments.create", "/v1/spaces/{space}/change-requests/{changeRequest}/comments", "Comment on a change request, a page or a block of it.")
	GetChangeRequestComment      = get[ChangeRequestCommentInput, Comment]("change-request-comments.get", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}", "Show a comment.")
	UpdateChangeRequestComment   = put[UpdateChangeRequestCommentInput, Comment]("change-request-comments.update", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}", "Edit, resolve or react to a comment.")
	ReattachChangeRequestComment = action[ReattachChangeRequestCommentInput, Comment]("change-request-comments.reattach", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/reattach", "Give a comment another place in the text, as it is now.")
	DeleteChangeRequestComment   = remove[ChangeRequestCommentRef]("change-request-comments.delete", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}", http.StatusResetContent, "Delete a comment and its replies.")

	ListChangeRequestReplies = get[ListChangeRequestRepliesInput, Page[CommentReply]]("change-request-replies.list", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/replies", "List the replies to a comment, oldest first.")
	CreateChangeRequestReply = action[CreateChangeRequestReplyInput, CommentReply]("change-request-replies.create", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/replies", "Reply to a comment.")
	GetChangeRequestReply    = get[ChangeRequestReplyInput, CommentReply]("change-request-replies.get", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/replies/{reply}", "Show a reply.")
	UpdateChangeRequestReply = put[UpdateChangeRequestReplyInput, CommentReply]("change-request-replies.update", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/replies/{reply}", "Edit or react to a reply.")
	DeleteChangeRequestReply = remove[ChangeRequestReplyRef]("change-request-replies.delete", "/v1/spaces/{space}/change-requests/{changeRequest}/comments/{comment}/replies/{reply}", http.StatusResetContent, "Delete a reply.")
)

// ListChangeRequestCommentsInput is the input of ListChangeRequestComments.
type ListChangeRequestCommentsInput struct {
	ChangeRequestRef
	CommentFilters
}

// CreateChangeRequestCommentInput is the input of CreateChangeRequestComment.
type CreateChangeRequestCommentInput struct {
	ChangeRequestRef
	Body CommentCreate
}

// ChangeRequestCommentRef names a comment of a change request.
type ChangeRequestCommentRef struct {
	ChangeRequestRef
	Comment string `path:"comment" pattern:"id"`
}

// ChangeRequestCommentInput is the input of GetChangeRequestComment.
type ChangeRequestCommentInput struct {
	ChangeRequestCommentRef
	FormatOption
}

// UpdateChangeRequestCommentInput is the input of UpdateChangeRequestComment.
type UpdateChangeRequestCommentInput struct {
	ChangeRequestCommentRef
	Body CommentUpdate
}

// ReattachChangeRequestCommentInput is the input of ReattachChangeRequestComment.
type ReattachChangeRequestCommentInput struct {
	ChangeRequestCommentRef
	Body CommentPlace
}

// ListChangeRequestRepliesInput is the input of ListChangeRequestReplies.
type ListChangeRequestRepliesInput struct {
	ChangeRequestCommentRef
	ListOptions
	FormatOption
}

// CreateChangeRequestReplyInput is the input of CreateChangeRequestReply.
type CreateChangeRequestReplyInput struct {
	ChangeRequestCommentRef
	Body ReplyCreate
}

// ChangeRequestReplyRef names a reply.
type ChangeRequestReplyRef struct {
	ChangeRequestCommentRef
	Reply string `path:"reply" pattern:"id"`
}

// ChangeRequestReplyInput is the input of GetChangeRequestReply.
type ChangeRequestReplyInput struct {
	ChangeRequestReplyRef
	FormatOption
}

// UpdateChangeRequestReplyInput is the input of UpdateChangeRequestReply.
type UpdateChangeRequestReplyInput struct {
	ChangeRequestReplyRef
	Body ReplyUpdate
}
