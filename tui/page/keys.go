package page

// CommentKey returns the key of the rows of a comment.
func CommentKey(id string) string { return "comment/" + id }

// ReplyKey returns the key of the rows of a reply.
func ReplyKey(id string) string { return "reply/" + id }

// DiscussionKey is the key of the rows above the threads on the whole target.
const DiscussionKey = "discussion"

// ChangeKey returns the key of the rows of a changed page of a change request.
func ChangeKey(id string) string { return "page/" + id }
