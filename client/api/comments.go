package api

import "net/http"

// Routes of comments and replies on the content of a space.
var (
	ListComments = get[ListCommentsInput, Page[Comment]]("comments.list", "/v1/spaces/{spaceId}/comments",
		"List the comments of a space, newest first.", withOperation("listCommentsInSpace"))
	CreateComment = post[CreateCommentInput, Comment]("comments.create", "/v1/spaces/{spaceId}/comments",
		"Comment on a space, a page or a block of it.", withOperation("postCommentInSpace"))
	GetComment = get[CommentInput, Comment]("comments.get", "/v1/spaces/{spaceId}/comments/{commentId}", "Show a comment.",
		withOperation("getCommentInSpace"))
	UpdateComment = put[UpdateCommentInput, Comment]("comments.update", "/v1/spaces/{spaceId}/comments/{commentId}",
		"Edit, resolve or react to a comment.", withOperation("updateCommentInSpace"))
	ReattachComment = post[ReattachCommentInput, Comment]("comments.reattach", "/v1/spaces/{spaceId}/comments/{commentId}/reattach",
		"Give a comment another place in the text, as it is now.")
	DeleteComment = remove[CommentRef]("comments.delete", "/v1/spaces/{spaceId}/comments/{commentId}", http.StatusResetContent,
		"Delete a comment and its replies.", withOperation("deleteCommentInSpace"))

	ListReplies = get[ListRepliesInput, Page[CommentReply]]("replies.list", "/v1/spaces/{spaceId}/comments/{commentId}/replies",
		"List the replies to a comment, oldest first.", withOperation("listCommentRepliesInSpace"))
	CreateReply = post[CreateReplyInput, CommentReply]("replies.create", "/v1/spaces/{spaceId}/comments/{commentId}/replies",
		"Reply to a comment.", withOperation("postCommentReplyInSpace"))
	GetReply = get[ReplyInput, CommentReply]("replies.get", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}",
		"Show a reply.", withOperation("getCommentReplyInSpace"))
	UpdateReply = put[UpdateReplyInput, CommentReply]("replies.update",
		"/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}", "Edit or react to a reply.",
		withOperation("updateCommentReplyInSpace"))
	DeleteReply = remove[ReplyRef]("replies.delete", "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}",
		http.StatusResetContent, "Delete a reply.", withOperation("deleteCommentReplyInSpace"))
)

// CommentStatus is the state of a comment.
type CommentStatus string

// Values of CommentStatus.
const (
	CommentOpen     CommentStatus = "open"
	CommentResolved CommentStatus = "resolved"
)

// Values returns the values of CommentStatus.
func (CommentStatus) Values() []CommentStatus { return []CommentStatus{CommentOpen, CommentResolved} }

// CommentWeight is the importance that the author of a comment gives it.
type CommentWeight string

// Values of CommentWeight. Most comments have no weight.
const (
	WeightBlocking CommentWeight = "blocking" // to be resolved before the merge
	WeightQuestion CommentWeight = "question" // needs an answer
	WeightNit      CommentWeight = "nit"      // minor
)

// Values returns the weights.
func (CommentWeight) Values() []CommentWeight {
	return []CommentWeight{WeightBlocking, WeightQuestion, WeightNit}
}

// CommentOutcome is the outcome of a resolved comment.
type CommentOutcome string

// Values of CommentOutcome.
const (
	OutcomeDone     CommentOutcome = "done"
	OutcomeAnswered CommentOutcome = "answered"
	OutcomeDeclined CommentOutcome = "declined"
	OutcomeApplied  CommentOutcome = "applied" // set by the server when it applies a suggestion; users set the others
)

// Values returns the outcomes.
func (CommentOutcome) Values() []CommentOutcome {
	return []CommentOutcome{OutcomeDone, OutcomeAnswered, OutcomeDeclined, OutcomeApplied}
}

// Order is the sort order of a list.
type Order string

// Values of Order.
const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// Values returns the sort orders.
func (Order) Values() []Order { return []Order{Ascending, Descending} }

// FormatOption is the query parameter of operations that return comments.
type FormatOption struct {
	Format Format `query:"format" default:"markdown" doc:"How bodies are written."`
}

// CommentFilters are the query parameters of the lists of comments.
type CommentFilters struct {
	ListOptions
	Order      Order    `query:"order" default:"desc" doc:"By when they were posted."`
	Status     string   `query:"status" enum:"all,open,resolved" default:"all" doc:"Only comments in this state; by default all."`
	TargetPage string   `query:"targetPage" pattern:"id" doc:"Only comments on this page, and open ones whose text is there now."`
	Authors    []string `query:"authors" len:"0..100" each:"..100" doc:"Only comments by these users."`
	FormatOption
}

// ListCommentsInput is the input of ListComments.
type ListCommentsInput struct {
	Space string `path:"spaceId" pattern:"id"`
	CommentFilters
}

// CreateCommentInput is the input of CreateComment.
type CreateCommentInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  CommentCreate
}

// CommentRef identifies a comment of a space.
type CommentRef struct {
	Space   string `path:"spaceId" pattern:"id"`
	Comment string `path:"commentId" pattern:"id"`
}

// CommentInput is the input of GetComment.
type CommentInput struct {
	CommentRef
	FormatOption
}

// UpdateCommentInput is the input of UpdateComment.
type UpdateCommentInput struct {
	CommentRef
	Body CommentUpdate
}

// ReattachCommentInput is the input of ReattachComment.
type ReattachCommentInput struct {
	CommentRef
	Body CommentPlace
}

// ListRepliesInput is the input of ListReplies.
type ListRepliesInput struct {
	CommentRef
	ListOptions
	FormatOption
}

// CreateReplyInput is the input of CreateReply.
type CreateReplyInput struct {
	CommentRef
	Format Format `query:"format" doc:"How the answer writes the body; default markdown."`
	Body   ReplyCreate
}

// ReplyRef identifies a reply.
type ReplyRef struct {
	CommentRef
	Reply string `path:"commentReplyId" pattern:"id"`
}

// ReplyInput is the input of GetReply.
type ReplyInput struct {
	ReplyRef
	FormatOption
}

// UpdateReplyInput is the input of UpdateReply.
type UpdateReplyInput struct {
	ReplyRef
	Body ReplyUpdate
}

// CommentBody is the text of a comment, at most 64 KiB. If neither member is set, an update leaves the text unchanged
// and a review has no comment.
type CommentBody struct {
	Markdown Optional[string] `json:"markdown,omitzero" len:"1..65536" format:"markdown"`
	Document JSONObject       `json:"document,omitzero" len:"..10" keys:"..100" each:"..524288" doc:"The text as a document."`
}

// validate checks that at most one text is given, and exactly one if needed is set.
func (b CommentBody) validate(path string, needed bool) []FieldError {
	if needed && !b.Says() {
		return []FieldError{{Path: path, Message: "has to say something, in markdown or document"}}
	}
	return checkSingleFormat(path+".", b.Markdown, b.Document)
}

// size returns the approximate length of the text in bytes.
func (b CommentBody) size() int {
	text, _ := b.Markdown.Get()
	return len(text) + len(b.Document)
}

// Text returns the Markdown, or "" if there is none.
func (b CommentBody) Text() string {
	text, _ := b.Markdown.Get()
	return text
}

// Says reports whether a text is given.
func (b CommentBody) Says() bool { return !b.Markdown.IsZero() || b.Document != nil }

// CommentText is the text of a comment in the requested format.
type CommentText struct {
	Markdown string        `json:"markdown,omitzero" format:"markdown"`
	Document *JSONDocument `json:"document,omitzero" doc:"The text as a tree."`
}

// CommentCreate is the body of CreateComment.
type CommentCreate struct {
	Page       string            `json:"page,omitzero" pattern:"id" doc:"The page commented on; default the whole."`
	Node       string            `json:"node,omitzero" pattern:"id" doc:"The block commented on; without page, the page that has it is found."`
	Quote      string            `json:"quote,omitzero" len:"1..1000" format:"excerpt" doc:"The part of the block commented on, as it stands there once; default all of it."`
	Start      Optional[int]     `json:"start,omitzero" range:"0..1048576" doc:"Where the quote begins in the Markdown of the block, in bytes; then it has to stand there byte for byte, however often it stands in the block."`
	Suggestion *SuggestionCreate `json:"suggestion,omitzero" doc:"In a change request: what to write in place of the quote, or of the whole block."`
	TableCell  JSONObject        `json:"tableCell,omitzero" len:"..20" keys:"..100" each:"..1000" doc:"Refused: a comment is about a whole table, or a part of it that quote names."`
	Weight     CommentWeight     `json:"weight,omitzero" doc:"How much you mean by it: blocking, a question or a nit; default none of them."`
	Body       CommentBody       `json:"body"`
}

// Validate checks that the body has exactly one text, that a quote or suggestion has a node and a start a quote, and that
// tableCell is not set, which wsd does not support.
func (c CommentCreate) Validate() []FieldError {
	wrong := CommentPlace{Node: c.Node, Quote: c.Quote, Start: c.Start}.Validate()
	if c.Suggestion != nil && c.Node == "" {
		wrong = append(wrong, FieldError{Path: "node", Message: "is required with suggestion"})
	}
	if c.TableCell != nil {
		wrong = append(wrong, FieldError{
			Path: "tableCell", Message: "is not supported: name the table in node, and what stands in the cell in quote",
		})
	}
	return append(wrong, c.Body.validate("body", true)...)
}

// SuggestionCreate is the suggestion of a new comment.
type SuggestionCreate struct {
	Markdown string `json:"markdown" len:"0..65536" format:"markdown" doc:"An empty text suggests to take out what is there."`
}

// Suggestion is a proposed edit of the commented text.
type Suggestion struct {
	Markdown string `json:"markdown" format:"markdown" doc:"What to write."`
	Original string `json:"original" format:"markdown" doc:"In place of what, byte for byte. It fits as long as that stands where the comment is."`
}

// CommentPlace is the body of ReattachComment.
type CommentPlace struct {
	Page  string        `json:"page" pattern:"id"`
	Node  string        `json:"node,omitzero" pattern:"id" doc:"The block; default the page as a whole."`
	Quote string        `json:"quote,omitzero" len:"1..1000" format:"excerpt" doc:"The part of the block, as it stands there once; default all of it."`
	Start Optional[int] `json:"start,omitzero" range:"0..1048576" doc:"Where the quote begins in the Markdown of the block, in bytes; then it has to stand there byte for byte."`
}

// Validate checks that a quote has a node, and that a start has a quote.
func (p CommentPlace) Validate() []FieldError {
	switch {
	case p.Quote != "" && p.Node == "":
		return []FieldError{{Path: "node", Message: "is required with quote"}}
	case !p.Start.IsZero() && p.Quote == "":
		return []FieldError{{Path: "quote", Message: "is required with start"}}
	}
	return nil
}

// CommentUpdate is the body of UpdateComment.
type CommentUpdate struct {
	Body             *CommentBody             `json:"body,omitzero"`
	Weight           Optional[CommentWeight]  `json:"weight,omitzero" null:"true" doc:"How much it is meant by its author, who alone may change that; null for none."`
	Resolved         Optional[bool]           `json:"resolved,omitzero" doc:"Whether the comment is resolved."`
	Outcome          Optional[CommentOutcome] `json:"outcome,omitzero" enum:"done,answered,declined" null:"true" doc:"What came of it; goes with resolved, or with a comment that is resolved."`
	AddedReactions   []string                 `json:"addedReactions,omitzero" len:"0..50" each:"..50" eachFormat:"emoji" doc:"Each one emoji."`
	RemovedReactions []string                 `json:"removedReactions,omitzero" len:"0..50" each:"..50" doc:"Emoji."`
}

// Validate checks that the body, if given, has at most one text.
func (c CommentUpdate) Validate() []FieldError { return c.Body.validateUpdate() }

// validateUpdate validates a body in which the text is optional.
func (b *CommentBody) validateUpdate() []FieldError {
	if b == nil {
		return nil
	}
	return b.validate("body", false)
}

// ReplyCreate is the body of CreateReply.
type ReplyCreate struct {
	Body CommentBody `json:"body"`
}

// Validate checks that the body has exactly one text.
func (r ReplyCreate) Validate() []FieldError { return r.Body.validate("body", true) }

// ReplyUpdate is the body of UpdateReply.
type ReplyUpdate struct {
	Body             *CommentBody `json:"body,omitzero"`
	AddedReactions   []string     `json:"addedReactions,omitzero" len:"0..50" each:"..50" eachFormat:"emoji" doc:"Each one emoji."`
	RemovedReactions []string     `json:"removedReactions,omitzero" len:"0..50" each:"..50" doc:"Emoji."`
}

// Validate checks that the body, if given, has at most one text.
func (r ReplyUpdate) Validate() []FieldError { return r.Body.validateUpdate() }

// CommentFields holds the stored members of a Comment.
type CommentFields struct {
	Object          string         `json:"object" enum:"comment"`
	ID              string         `json:"id"`
	PostedAt        Time           `json:"postedAt"`
	EditedAt        Time           `json:"editedAt,omitzero"`
	Body            CommentText    `json:"body"`
	Weight          CommentWeight  `json:"weight,omitzero" doc:"How much its author means by it; absent for most."`
	Status          CommentStatus  `json:"status"`
	ResolvedAt      Time           `json:"resolvedAt,omitzero" doc:"When it was resolved; absent if it is open."`
	Outcome         CommentOutcome `json:"outcome,omitzero" doc:"What came of it, if that was said when it was resolved."`
	Suggestion      *Suggestion    `json:"suggestion,omitzero" doc:"What it suggests to write."`
	AppliedRevision string         `json:"appliedRevision,omitzero" doc:"The revision that applied what it suggests, with the outcome applied."`
}

// Comment is a comment on content.
type Comment struct {
	CommentFields
	PostedBy    User               `json:"postedBy"`
	Reactions   []Reaction         `json:"reactions"`
	Replies     int                `json:"replies" doc:"Number of replies."`
	Repliers    []Replier          `json:"repliers,omitzero" doc:"Who has replied, by their latest reply, the latest 20. Absent for replies of earlier versions of wsd, until one is added or deleted."`
	Target      CommentTarget      `json:"target"`
	ResolvedBy  *User              `json:"resolvedBy,omitzero"`
	URLs        LocationURLs       `json:"urls"`
	Permissions CommentPermissions `json:"permissions"`
}

var _ = declareColumns[Comment](
	"id,status,weight,outcome,postedBy.displayName=BY,postedAt," +
		"target.page.path=PAGE,target.anchor.state=TEXT IS,replies,body.markdown=TEXT",
)

// Replier is a user with replies to a comment.
type Replier struct {
	User      User `json:"user"`
	Count     int  `json:"count" doc:"Of the user's replies."`
	UpdatedAt Time `json:"updatedAt" doc:"When the latest of them was posted."`
}

// CommentTarget is the subject of a comment.
type CommentTarget struct {
	Space         string         `json:"space"`
	ChangeRequest string         `json:"changeRequest,omitzero"`
	Review        string         `json:"review,omitzero" doc:"The review that it was posted with."`
	Revision      string         `json:"revision" doc:"The revision that was commented on."`
	Page          *CommentPage   `json:"page,omitzero"`
	Node          *CommentNode   `json:"node,omitzero"`
	Anchor        *CommentAnchor `json:"anchor,omitzero" doc:"Where the text commented on is now; there with node, unless the content cannot be read."`
}

// AnchorState is the state of the text that a comment is about.
type AnchorState string

// Values of AnchorState.
const (
	AnchorExact    AnchorState = "exact"    // the text and its block are unchanged
	AnchorShifted  AnchorState = "shifted"  // the text is unchanged, its block was edited
	AnchorFuzzy    AnchorState = "fuzzy"    // the text was edited
	AnchorMoved    AnchorState = "moved"    // the text was moved to another page
	AnchorOrphaned AnchorState = "orphaned" // the text was removed
)

// Values returns the values of AnchorState.
func (AnchorState) Values() []AnchorState {
	return []AnchorState{AnchorExact, AnchorShifted, AnchorFuzzy, AnchorMoved, AnchorOrphaned}
}

// CommentAnchor is the text that a comment is about and its position in the current content. It is computed and never stored. A
// comment whose position is uncertain is orphaned and refers only to its quote.
type CommentAnchor struct {
	State  AnchorState `json:"state"`
	Score  int         `json:"score" doc:"How much of the quote is there, in percent."`
	Quote  string      `json:"quote" doc:"The text when it was commented on, at most 1,000 characters of it."`
	Before string      `json:"before,omitzero" doc:"The 32 characters before it."`
	After  string      `json:"after,omitzero" doc:"And behind it."`
	Page   string      `json:"page,omitzero" doc:"The page that has it now; none when it is orphaned, as all that follows."`
	Node   string      `json:"node,omitzero" doc:"The block that has it now."`
	Start  *int        `json:"start,omitzero" doc:"Byte offset in the page's Markdown."`
	End    *int        `json:"end,omitzero" doc:"Position of its end in the Markdown of the page, in bytes."`
}

// CommentPage is the page that a comment is about, in its current or, if it was deleted, last state.
type CommentPage struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Emoji     string `json:"emoji,omitzero"`
	Icon      string `json:"icon,omitzero"`
	CreatedAt Time   `json:"createdAt,omitzero"`
	UpdatedAt Time   `json:"updatedAt,omitzero"`
	Path      string `json:"path"`
	Outdated  bool   `json:"outdated" doc:"The text commented on has changed, or is not on this page any more."`
}

// CommentNode is the block that a comment is about.
type CommentNode struct {
	ID      string `json:"id"`
	Preview string `json:"preview" doc:"The beginning of the block's text when it was commented on."`
}

// Reaction is an emoji reaction to a comment or reply.
type Reaction struct {
	Emoji string         `json:"emoji"`
	Count int            `json:"count" doc:"Number of users who reacted."`
	Users []ReactionUser `json:"users" doc:"The users who reacted, oldest first."`
}

// ReactionUser is a user who reacted.
type ReactionUser struct {
	User      User `json:"user"`
	ReactedAt Time `json:"reactedAt" doc:"When the user reacted."`
}

// ReplyFields holds the stored members of a CommentReply.
type ReplyFields struct {
	Object   string      `json:"object" enum:"comment-reply"`
	ID       string      `json:"id"`
	PostedAt Time        `json:"postedAt"`
	EditedAt Time        `json:"editedAt,omitzero"`
	Body     CommentText `json:"body"`
}

// CommentReply is a reply to a comment.
type CommentReply struct {
	ReplyFields
	PostedBy    User               `json:"postedBy"`
	Reactions   []Reaction         `json:"reactions"`
	URLs        LocationURLs       `json:"urls"`
	Permissions CommentPermissions `json:"permissions"`
}

var _ = declareColumns[CommentReply]("id,postedBy.displayName=BY,postedAt,body.markdown=TEXT")

// CommentPermissions are the permissions of the caller on a comment or reply.
type CommentPermissions struct {
	View   bool `json:"view"`
	Edit   bool `json:"edit"`
	Reply  bool `json:"reply"`
	Delete bool `json:"delete"`
}
