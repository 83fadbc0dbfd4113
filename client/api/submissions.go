package api

import "fmt"

// Routes of draft reviews, which are submitted as a whole.
var (
	SubmitChangeRequestReview = put[SubmitReviewInput, Submission]("change-request-reviews.submit",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/submissions/{submissionId}", "Post a whole draft review, all of it or "+
			"nothing, under an id of the caller's choice: sent again, it posts nothing and answers the same.", markSlow,
		withBodyLimit(SubmissionBodyLimit))
)

// MaxSubmissionBytes is the maximum total size of the texts of a draft review in bytes. SubmissionBodyLimit is the
// body limit for it as JSON.
const (
	MaxSubmissionBytes  = 2 << 20
	SubmissionBodyLimit = 8 << 20
)

// SubmitReviewInput is the input of SubmitChangeRequestReview.
type SubmitReviewInput struct {
	ChangeRequestRef
	Submission string `path:"submissionId" pattern:"id" doc:"An id that you choose, new for each draft review. It is yours alone, and kept as long as the change request."`
	Body       ReviewSubmit
}

// ReviewSubmit is the body of SubmitChangeRequestReview.
type ReviewSubmit struct {
	Status   ReviewStatus  `json:"status,omitzero" doc:"The verdict; default none: then the drafts are posted, and nobody has reviewed anything."`
	Revision string        `json:"revision,omitzero" pattern:"id" doc:"The revision of the change request that was reviewed; default its head. What has changed since stays unreviewed."`
	Comment  *CommentBody  `json:"comment,omitzero" doc:"Posted as a comment on the change request: with a verdict it says why. With an approval it asks for nothing, and is resolved from the start."`
	Drafts   []ReviewDraft `json:"drafts,omitzero" len:"0..200" doc:"Comments and replies. Their texts have at most 2 MiB together."`
}

// ReviewDraft is a comment or reply in a draft review.
type ReviewDraft struct {
	ReplyTo  string `json:"replyTo,omitzero" pattern:"id" doc:"The comment of the change request that this replies to; default none: a comment."`
	Revision string `json:"revision,omitzero" pattern:"id" doc:"The revision of the change request that it was written on; default that of the review. What is not there any more is quoted."`
	CommentCreate
}

// Validate checks that there is a status, a comment or a draft, that each of the texts is valid, and that together they have at
// most MaxSubmissionBytes.
func (r ReviewSubmit) Validate() []FieldError {
	if r.Status == "" && (r.Comment == nil || !r.Comment.Says()) && len(r.Drafts) == 0 {
		return []FieldError{{Path: "drafts", Message: "is required where there is neither a status nor a comment"}}
	}
	var violations []FieldError
	size := 0
	if r.Comment != nil {
		size = r.Comment.size()
	}
	violations = append(violations, r.Comment.validateReview()...)
	for i, d := range r.Drafts {
		size += d.Body.size()
		if d.Suggestion != nil {
			size += len(d.Suggestion.Markdown)
		}
		for _, w := range d.Validate() {
			violations = append(violations, FieldError{Path: fmt.Sprintf("drafts[%d].%s", i, w.Path), Message: w.Message})
		}
	}
	if size > MaxSubmissionBytes {
		violations = append(violations, FieldError{
			Path: "drafts", Message: fmt.Sprintf("have %d bytes of text together; a submission has at most %d", size, MaxSubmissionBytes),
		})
	}
	return violations
}

// Validate checks a comment like CommentCreate, and that a reply has none of the members that only comments have.
func (d ReviewDraft) Validate() []FieldError {
	if d.ReplyTo == "" {
		return d.CommentCreate.Validate()
	}
	for _, of := range []struct {
		name  string
		given bool
	}{
		{"page", d.Page != ""},
		{"node", d.Node != ""},
		{"quote", d.Quote != ""},
		{"start", !d.Start.IsZero()},
		{"suggestion", d.Suggestion != nil},
		{"weight", d.Weight != ""},
		{"revision", d.Revision != ""},
	} {
		if of.given {
			return []FieldError{{Path: of.name, Message: "does not go with a reply"}}
		}
	}
	return nil
}

// Submission is the result of submitting a draft review.
type Submission struct {
	Object      string        `json:"object" enum:"change-request-submission"`
	ID          string        `json:"id"`
	SubmittedAt Time          `json:"submittedAt" doc:"When it was submitted."`
	Status      ReviewStatus  `json:"status,omitzero"`
	Revision    string        `json:"revision" doc:"The revision of the change request that it is about."`
	Review      string        `json:"review,omitzero" doc:"Id of the review, if there is a verdict."`
	Comment     string        `json:"comment,omitzero" doc:"Id of the comment on the change request."`
	Drafts      []PostedDraft `json:"drafts" doc:"What was posted, in the order of the drafts."`
}

// PostedDraft is a posted comment or reply.
type PostedDraft struct {
	Comment string `json:"comment" doc:"Id of the comment; of a reply, of the one that it replies to."`
	Reply   string `json:"reply,omitzero" doc:"Id of the reply."`
}
