package page

// CommentKey and ReplyKey name the rows of what somebody said: what was sent is found by them.
func CommentKey(id string) string { return "comment/" + id }

// ReplyKey is CommentKey for a reply.
func ReplyKey(id string) string { return "reply/" + id }

// DiscussionKey is the key of the rows that say what the threads below are about.
const DiscussionKey = "discussion"

// ChangeKey names the rows of a changed page of a change request.
func ChangeKey(id string) string { return "page/" + id }
