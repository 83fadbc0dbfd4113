package review

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/comments"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) submissionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Planned(api.SubmitChangeRequestReview, auth.InSpace(api.RoleComment), s.planSubmission, s.applySubmission).MatchingHead().Of(rest.ChangeRequest),
	}
}

// submissionPlan is a draft review whose comments have found their places.
type submissionPlan struct {
	posted *store.SubmissionDocument // it was posted before
	head   store.Head                // of the change request
	seen   revision.Range            // what the verdict is about
	drafts []comments.Draft          // the zero one for a reply
}

// planSubmission finds what the drafts are about, each in the revision that it was written on.
func (s *Service) planSubmission(ctx context.Context, c *rest.Call, in api.SubmitReviewInput) (plan submissionPlan, err error) {
	if plan.posted, err = s.postedBefore(ctx, c, in); err != nil || plan.posted != nil {
		return plan, err
	}
	if err := checkSubmissionTexts(in.Body); err != nil {
		return plan, err
	}
	sides, err := s.MergeInputs(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	request := sides.Request.ChangeRequestDocument
	if in.Body.Status != "" {
		if err := Unfinished(request, "reviewed"); err != nil {
			return plan, err
		}
	}
	plan.head = sides.Theirs
	seen := seenRevisions{service: s, request: request, head: plan.head, found: map[string]seenRevision{}}
	reviewed, err := seen.at(ctx, in.Body.Revision)
	if err != nil {
		return plan, err
	}
	plan.seen = reviewed.of
	originals := 0
	for i, d := range in.Body.Drafts {
		draft, err := s.planDraft(ctx, in, &seen, d)
		if err != nil {
			return plan, revision.Within(fmt.Sprintf("drafts[%d]", i), err)
		}
		if draft.Suggestion != nil {
			originals += len(draft.Suggestion.Original)
		}
		if originals > api.MaxSubmissionBytes {
			return plan, api.InvalidField(fmt.Sprintf("drafts[%d].suggestion", i), "makes more than %d bytes of text that would be replaced: quote less", api.MaxSubmissionBytes)
		}
		plan.drafts = append(plan.drafts, draft)
	}
	return plan, nil
}

// planDraft finds the place of a draft; a reply has that of its comment.
func (s *Service) planDraft(ctx context.Context, in api.SubmitReviewInput, seen *seenRevisions, d api.ReviewDraft) (none comments.Draft, err error) {
	if d.ReplyTo != "" {
		return none, nil
	}
	written := d.Revision
	if written == "" {
		written = in.Body.Revision
	}
	at, err := seen.at(ctx, written)
	if err != nil {
		return none, err
	}
	return s.placeDraft(ctx, in.ChangeRequestRef, at.head, d.CommentCreate)
}

// seenRevisions are revisions of a change request that somebody has seen, each looked for once.
type seenRevisions struct {
	service *Service
	request store.ChangeRequestDocument
	head    store.Head
	found   map[string]seenRevision
}

type seenRevision struct {
	of   revision.Range
	head store.Head // as the head was then
}

// at finds a revision; "" is the head.
func (s *seenRevisions) at(ctx context.Context, id string) (r seenRevision, err error) {
	if id == "" || id == s.head.Revision {
		return seenRevision{revision.RangeOf(s.request, s.head), s.head}, nil
	}
	if r, known := s.found[id]; known {
		return r, nil
	}
	if r.of, r.head, err = s.service.earlier(ctx, s.request, s.head, id); err == nil {
		s.found[id] = r
	}
	return r, err
}

// checkSubmissionTexts holds what a submission says against the limits of comments.
func checkSubmissionTexts(body api.ReviewSubmit) error {
	if err := checkReviewTexts(api.ReviewCreate{Comment: body.Comment}); err != nil {
		return err
	}
	for i := range body.Drafts {
		if err := comments.CheckBody(&body.Drafts[i].Body, "body"); err != nil {
			return revision.Within(fmt.Sprintf("drafts[%d]", i), err)
		}
	}
	return nil
}

// contentOf names what a submission says.
func contentOf(body api.ReviewSubmit) (string, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("encode a submission: %w", err)
	}
	return auth.Hash(string(data)), nil
}

// postedBefore finds the submission under its id; nil if there is none. What it says may not be another thing now.
func (s *Service) postedBefore(ctx context.Context, c *rest.Call, in api.SubmitReviewInput) (*store.SubmissionDocument, error) {
	b := s.Store.Pipeline()
	stored := b.Record(store.SubmissionKey(c.Org, rest.RequestKey(in.Space, in.ChangeRequest), c.Caller.User, in.Submission))
	request := b.Record(store.ChangeRequestKey(c.Org, rest.RequestKey(in.Space, in.ChangeRequest)))
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read submission: %w", err)
	}
	r, ok, err := request.Get()
	if err != nil || !ok {
		return nil, rest.Missing(err)
	}
	var named store.ChangeRequestDocument
	if err := named.Decode(r); err != nil {
		return nil, err
	}
	if !revision.Matches(in.ChangeRequest, named) {
		return nil, api.NotFound()
	}
	record, ok, err := stored.Get()
	if err != nil || !ok {
		return nil, err
	}
	var d store.SubmissionDocument
	if err := d.Decode(record); err != nil {
		return nil, err
	}
	return &d, sameContent(d, in.Body)
}

func sameContent(d store.SubmissionDocument, body api.ReviewSubmit) error {
	content, err := contentOf(body)
	if err == nil && content != d.Private.Content {
		return api.Errorf(http.StatusUnprocessableEntity, api.ReasonKeyReused, "Under this id something else was submitted.").WithHint("Use a new id for a new draft review.")
	}
	return err
}

func submissionResult(d store.SubmissionDocument) (rest.Result[api.Submission], error) {
	r, err := rest.Value(d.Fields)
	r.ID = d.Fields.ID
	return r.Versioned(strconv.FormatInt(d.Version, 10)), err
}

// applySubmission posts the comments and replies, and the verdict if there is one.
func (s *Service) applySubmission(_ context.Context, c *rest.Call, tx *store.Tx, in api.SubmitReviewInput, plan submissionPlan) (none rest.Result[api.Submission], err error) {
	key := rest.RequestKey(in.Space, in.ChangeRequest)
	d, err := tx.Submission(c.Org, key, c.Caller.User, in.Submission)
	if err != nil {
		return none, err
	}
	if plan.posted != nil || d.Version > 0 {
		if d.Version == 0 { // gone with its change request since
			return none, rest.ErrHeadMoved
		}
		if err := sameContent(d, in.Body); err != nil {
			return none, err
		}
		r, err := submissionResult(d)
		r.Unchanged = true
		return r, err
	}
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	if l.State.Head.Revision != plan.head.Revision {
		return none, rest.ErrHeadMoved
	}
	if d.Private.Content, err = contentOf(in.Body); err != nil {
		return none, err
	}
	d.Private.Request, d.Private.User = key, c.Caller.User
	d.Fields = api.Submission{
		Object: "change-request-submission", ID: in.Submission, SubmittedAt: api.At(tx.Now()), Status: in.Body.Status,
		Revision: plan.seen.Revision, Drafts: make([]api.PostedDraft, len(plan.drafts)),
	}
	c.Note("revision", plan.seen.Revision)
	if err := s.postSubmission(c, tx, in, plan, l, &d.Fields); err != nil {
		return none, err
	}
	record, err := tx.PutSubmission(c.Org, d)
	if err != nil {
		return none, err
	}
	d.Version = record.Version
	return submissionResult(d)
}

// postSubmission writes all that a submission posts, and notes the ids.
func (s *Service) postSubmission(c *rest.Call, tx *store.Tx, in api.SubmitReviewInput, plan submissionPlan, l Loaded, posted *api.Submission) error {
	review := store.ReviewDocument{}
	review.Private.ReviewVerdict = store.ReviewVerdict{User: c.Caller.User, Revision: plan.seen.Revision}
	if in.Body.Status != "" {
		if err := mayReview(c, l.ChangeRequestDocument); err != nil {
			return err
		}
		if err := Unfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
			return err
		}
		var err error
		if review, err = newReview(c, tx, l, in.Body.Status, plan.seen); err != nil {
			return err
		}
		posted.Review = review.Fields.ID
	}
	if in.Body.Comment != nil && in.Body.Comment.Says() {
		ids, err := comments.NewIDs(c, tx, []bool{false})
		if err != nil {
			return err
		}
		if _, _, err := s.Comments.Add(c, tx, revision.TargetOf(in.ChangeRequestRef), ids[0], whyOf(review.Private.ReviewVerdict, *in.Body.Comment)); err != nil {
			return err
		}
		posted.Comment, review.Private.Comment = ids[0], ids[0]
	}
	if err := s.postDrafts(c, tx, in, plan, posted); err != nil {
		return err
	}
	if in.Body.Status == "" {
		return nil
	}
	for _, draft := range posted.Drafts {
		if draft.Reply == "" {
			review.Fields.Comments = append(review.Fields.Comments, draft.Comment)
		}
	}
	_, _, err := l.putReview(c, tx, review)
	return err
}

func (s *Service) postDrafts(c *rest.Call, tx *store.Tx, in api.SubmitReviewInput, plan submissionPlan, posted *api.Submission) error {
	at := revision.TargetOf(in.ChangeRequestRef)
	isReply := make([]bool, len(in.Body.Drafts))
	for i, d := range in.Body.Drafts {
		isReply[i] = d.ReplyTo != ""
	}
	ids, err := comments.NewIDs(c, tx, isReply)
	if err != nil {
		return err
	}
	replies := map[string]int{}
	for i, d := range in.Body.Drafts {
		if isReply[i] {
			if _, err := comments.AddReply(c, tx, at, d.ReplyTo, ids[i], d.Body, replies[d.ReplyTo]); err != nil {
				return unanswerable(i, err)
			}
			replies[d.ReplyTo]++
			posted.Drafts[i] = api.PostedDraft{Comment: d.ReplyTo, Reply: ids[i]}
			continue
		}
		draft := plan.drafts[i]
		draft.Anchor.Review = posted.Review
		if _, _, err := s.Comments.Add(c, tx, at, ids[i], draft); err != nil {
			return err
		}
		posted.Drafts[i] = api.PostedDraft{Comment: ids[i]}
	}
	return nil
}

// unanswerable names the draft that is a reply to what takes none: it can be held back.
func unanswerable(draft int, err error) error {
	wrong, ok := api.AsError(err)
	if !ok {
		return err
	}
	message := "is not a comment of this change request"
	if wrong.Reason != api.ReasonNotFound {
		message = wrong.Message
	}
	return api.InvalidField(fmt.Sprintf("drafts[%d].replyTo", draft), "%s", message)
}
