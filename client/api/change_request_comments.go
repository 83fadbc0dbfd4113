package api

import "net/http"

// Routes of comments and replies in a change request.
var (
	ListChangeRequestComments    = get[ListChangeRequestCommentsInput, Page[Comment]]("change-request-comments.list", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments", "List the comments of a change request, newest first.", as("listCommentsInChangeRequest"), twinOf(ListComments.Row))
	CreateChangeRequestComment   = action[CreateChangeRequestCommentInput, Comment]("change-request-comments.create", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments", "Comment on a change request, a page or a block of it.", as("postCommentInChangeRequest"), twinOf(CreateComment.Row))
	GetChangeRequestComment      = get[ChangeRequestCommentInput, Comment]("change-request-comments.get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", "Show a comment.", as("getCommentInChangeRequest"), twinOf(GetComment.Row))
	UpdateChangeRequestComment   = put[UpdateChangeRequestCommentInput, Comment]("change-request-comments.update", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", "Edit, resolve or react to a comment.", as("updateCommentInChangeRequest"), twinOf(UpdateComment.Row))
	ReattachChangeRequestComment = action[ReattachChangeRequestCommentInput, Comment]("change-request-comments.reattach", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/reattach", "Give a comment another place in the text, as it is now.", twinOf(ReattachComment.Row))
	DeleteChangeRequestComment   = remove[ChangeRequestCommentRef]("change-request-comments.delete", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", http.StatusResetContent, "Delete a comment and its replies.", as("deleteCommentInChangeRequest"), twinOf(DeleteComment.Row))

	ListChangeRequestReplies = get[ListChangeRequestRepliesInput, Page[CommentReply]]("change-request-replies.list", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", "List the replies to a comment, oldest first.", as("listCommentRepliesInChangeRequest"), twinOf(ListReplies.Row))
	CreateChangeRequestReply = action[CreateChangeRequestReplyInput, CommentReply]("change-request-replies.create", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", "Reply to a comment.", as("postCommentReplyInChangeRequest"), twinOf(CreateReply.Row))
	GetChangeRequestReply    = get[ChangeRequestReplyInput, CommentReply]("change-request-replies.get", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}", "Show a reply.", twinOf(GetReply.Row), as("getCommentReplyInChangeRequest"))
	UpdateChangeRequestReply = put[UpdateChangeRequestReplyInput, CommentReply]("change-request-replies.update", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}", "Edit or react to a reply.", twinOf(UpdateReply.Row), as("updateCommentReplyInChangeRequest"))
	DeleteChangeRequestReply = remove[ChangeRequestReplyRef]("change-request-replies.delete", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}", http.StatusResetContent, "Delete a reply.", twinOf(DeleteReply.Row), as("deleteCommentReplyInChangeRequest"))
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

// ChangeRequestCommentRef identifies a comment of a change request.
type ChangeRequestCommentRef struct {
	ChangeRequestRef
	Comment string `path:"commentId" pattern:"id"`
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
	Format Format `query:"format" doc:"How the answer writes the body; default markdown."`
	Body   ReplyCreate
}

// ChangeRequestReplyRef identifies a reply.
type ChangeRequestReplyRef struct {
	ChangeRequestCommentRef
	Reply string `path:"commentReplyId" pattern:"id"`
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
