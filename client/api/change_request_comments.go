package api

// Routes of comments and replies in a change request.
var (
	ListChangeRequestComments = twin[ListChangeRequestCommentsInput]("change-request-comments.list", ListComments,
		withOperation("listCommentsInChangeRequest"), withSummary("List the comments of a change request, newest first."))
	CreateChangeRequestComment = twin[CreateChangeRequestCommentInput]("change-request-comments.create", CreateComment,
		withOperation("postCommentInChangeRequest"), withSummary("Comment on a change request, a page or a block of it."))
	GetChangeRequestComment = twin[ChangeRequestCommentInput]("change-request-comments.get", GetComment,
		withOperation("getCommentInChangeRequest"))
	UpdateChangeRequestComment = twin[UpdateChangeRequestCommentInput]("change-request-comments.update", UpdateComment,
		withOperation("updateCommentInChangeRequest"))
	ReattachChangeRequestComment = twin[ReattachChangeRequestCommentInput]("change-request-comments.reattach", ReattachComment)
	DeleteChangeRequestComment   = twin[ChangeRequestCommentRef]("change-request-comments.delete", DeleteComment,
		withOperation("deleteCommentInChangeRequest"))

	ListChangeRequestReplies = twin[ListChangeRequestRepliesInput]("change-request-replies.list", ListReplies,
		withOperation("listCommentRepliesInChangeRequest"))
	CreateChangeRequestReply = twin[CreateChangeRequestReplyInput]("change-request-replies.create", CreateReply,
		withOperation("postCommentReplyInChangeRequest"))
	GetChangeRequestReply = twin[ChangeRequestReplyInput]("change-request-replies.get", GetReply,
		withOperation("getCommentReplyInChangeRequest"))
	UpdateChangeRequestReply = twin[UpdateChangeRequestReplyInput]("change-request-replies.update", UpdateReply,
		withOperation("updateCommentReplyInChangeRequest"))
	DeleteChangeRequestReply = twin[ChangeRequestReplyRef]("change-request-replies.delete", DeleteReply,
		withOperation("deleteCommentReplyInChangeRequest"))
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
