package api

import "fmt"

// Routes of the reviews of a change request.
var (
	ListChangeRequestReviews = get[ListReviewsInput, Page[Review]]("change-request-reviews.list",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", "List the reviews of a change request, newest first.",
		withOperation("getReviewsByChangeRequestId"))
	CreateChangeRequestReview = create[CreateReviewInput, Review]("change-request-reviews.create",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", "Approve the changes or ask for others, and post the comments "+
			"that were drafted meanwhile.", withOperation("submitChangeRequestReview"))
	GetChangeRequestReview = get[ReviewInput, Review]("change-request-reviews.get",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}", "Show a review.",
		withOperation("getChangeRequestReviewById"))
)

// ReviewStatus is the verdict of a review.
type ReviewStatus string

// Values of ReviewStatus.
const (
	ReviewApproved         ReviewStatus = "approved"
	ReviewChangesRequested ReviewStatus = "changes-requested"
)

// Values returns the verdicts.
func (ReviewStatus) Values() []ReviewStatus {
	return []ReviewStatus{ReviewApproved, ReviewChangesRequested}
}

// ListReviewsInput is the input of ListChangeRequestReviews.
type ListReviewsInput struct {
	ChangeRequestRef
	ListOptions
	FormatOption
	Outdated Optional[bool] `query:"outdated" doc:"Only reviews of changes that are no longer as they were seen, or only the others."`
}

// ReviewRef identifies a review.
type ReviewRef struct {
	ChangeRequestRef
	Review string `path:"reviewId" pattern:"id"`
}

// ReviewInput is the input of GetChangeRequestReview.
type ReviewInput struct {
	ReviewRef
	FormatOption
}

// CreateReviewInput is the input of CreateChangeRequestReview.
type CreateReviewInput struct {
	ChangeRequestRef
	Body ReviewCreate
}

// ReviewCreate is the body of CreateChangeRequestReview.
type ReviewCreate struct {
	Status   ReviewStatus    `json:"status"`
	Comment  *CommentBody    `json:"comment,omitzero" doc:"Why; posted as a comment on the change request. With an approval it asks for nothing, and is resolved from the start."`
	Revision string          `json:"revision,omitzero" pattern:"id" doc:"The revision of the change request that was reviewed; default its head. What has changed since stays unreviewed."`
	Comments []CommentCreate `json:"comments,omitzero" len:"0..100" doc:"Comments to post with the review: all of it is posted, or nothing."`
}

// Validate checks the comment of the review and the comments to post with it.
func (r ReviewCreate) Validate() []FieldError {
	wrong := r.Comment.validateReview()
	for i, c := range r.Comments {
		for _, w := range c.Validate() {
			wrong = append(wrong, FieldError{Path: fmt.Sprintf("comments[%d].%s", i, w.Path), Message: w.Message})
		}
	}
	return wrong
}

// validateReview checks that the optional comment of a review has at most one text.
func (b *CommentBody) validateReview() []FieldError {
	if b == nil {
		return nil
	}
	return b.validate("comment", false)
}

// ReviewFields holds the stored members of a Review.
type ReviewFields struct {
	Object    string       `json:"object" enum:"change-request-review"`
	ID        string       `json:"id"`
	Revision  string       `json:"revision" doc:"The revision of the change request that was reviewed."`
	Status    ReviewStatus `json:"status"`
	Comments  []string     `json:"comments" doc:"Ids of the comments that were posted with it, in their order."`
	CreatedAt Time         `json:"createdAt"`
	UpdatedAt Time         `json:"updatedAt" doc:"Reviews do not change: when it was made."`
}

// Review is a verdict on the changes of a change request.
type Review struct {
	ReviewFields
	Reviewer    User         `json:"reviewer"`
	RequestedBy *User        `json:"requestedBy,omitzero" doc:"Who asked for it."`
	Comment     *Comment     `json:"comment,omitzero" doc:"Why; absent without one, or when it was deleted."`
	Outdated    bool         `json:"outdated" doc:"What was reviewed has changed since, or there is more: it says nothing about the changes as they are."`
	URLs        LocationURLs `json:"urls"`
}

var _ = declareColumns[Review]("id,status,outdated,reviewer.displayName=BY,createdAt,comment.body.markdown=TEXT")
