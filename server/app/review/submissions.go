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
		rest.Planned(api.SubmitChangeRequestReview, auth.InSpace(api.RoleComment), s.planSubmission,
			s.applySubmission).MatchHead().On(rest.ChangeRequest),
	}
}

// submissionPlan is a draft review with anchored comments.
type submissionPlan struct {
	head          store.Head       // head of the change request
	reviewedRange revision.Range   // the reviewed range
	drafts        []comments.Draft // replies have zero values
	in            api.SubmitReviewInput
}

// planSubmission anchors each draft in the revision that it was written on. The plan of a submission that was posted
// before is the zero plan.
func (s *Service) planSubmission(ctx context.Context, c *rest.Call, in api.SubmitReviewInput) (plan submissionPlan, err error) {
	if posted, err := s.findSubmission(ctx, c, in); err != nil || posted {
		return plan, err
	}
	if err := checkSubmissionTexts(in.Body); err != nil {
		return plan, err
	}
	sides, err := s.LoadMergePlan(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	request := sides.Request.ChangeRequestDocument
	if in.Body.Status != "" {
		if err := CheckUnfinished(request, "reviewed"); err != nil {
			return plan, err
		}
	}
	plan.head = sides.Theirs
	seen := seenRevisions{service: s, request: request, head: plan.head, cached: map[string]seenRevision{}}
	reviewed, err := seen.get(ctx, in.Body.Revision)
	if err != nil {
		return plan, err
	}
	plan.reviewedRange = reviewed.reviewedRange
	originals := 0
	for i, d := range in.Body.Drafts {
		draft, err := s.planDraft(ctx, in, &seen, d)
		if err != nil {
			return plan, revision.PrefixFields(fmt.Sprintf("drafts[%d]", i), err)
		}
		if draft.Suggestion != nil {
			originals += len(draft.Suggestion.Original)
		}
		if originals > api.MaxSubmissionBytes {
			return plan, api.InvalidField(fmt.Sprintf("drafts[%d].suggestion", i),
				"makes more than %d bytes of text that would be replaced: quote less", api.MaxSubmissionBytes)
		}
		plan.drafts = append(plan.drafts, draft)
	}
	return plan, nil
}

// planDraft anchors a draft. A reply has the anchor of its comment.
func (s *Service) planDraft(ctx context.Context, in api.SubmitReviewInput, seen *seenRevisions, d api.ReviewDraft) (none comments.Draft,
	err error,
) {
	if d.ReplyTo != "" {
		return none, nil
	}
	written := d.Revision
	if written == "" {
		written = in.Body.Revision
	}
	at, err := seen.get(ctx, written)
	if err != nil {
		return none, err
	}
	return s.anchorDraft(ctx, in.ChangeRequestRef, at.head, d.CommentCreate)
}

// seenRevisions caches the earlier revisions of a change request that drafts refer to.
type seenRevisions struct {
	service *Service
	request store.ChangeRequestDocument
	head    store.Head
	cached  map[string]seenRevision
}

type seenRevision struct {
	reviewedRange revision.Range
	head          store.Head // head of the change request at that revision
}

// get returns a revision of the change request; "" is the head.
func (s *seenRevisions) get(ctx context.Context, id string) (r seenRevision, err error) {
	if id == "" || id == s.head.Revision {
		return seenRevision{revision.CurrentRange(s.request, s.head), s.head}, nil
	}
	if r, known := s.cached[id]; known {
		return r, nil
	}
	if r.reviewedRange, r.head, err = s.service.findRevision(ctx, s.request, s.head, id); err == nil {
		s.cached[id] = r
	}
	return r, err
}

// checkSubmissionTexts returns an error if a text of the submission exceeds the limits of comments.
func checkSubmissionTexts(body api.ReviewSubmit) error {
	if err := checkReviewTexts(api.ReviewCreate{Comment: body.Comment}); err != nil {
		return err
	}
	for i := range body.Drafts {
		if err := comments.NormalizeBody(&body.Drafts[i].Body, "body"); err != nil {
			return revision.PrefixFields(fmt.Sprintf("drafts[%d]", i), err)
		}
	}
	return nil
}

// submissionHash returns a hash of the content of a submission.
func submissionHash(body api.ReviewSubmit) (string, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("encode a submission: %w", err)
	}
	return store.Hash(string(data)), nil
}

// findSubmission reports whether a submission with the given id is stored. It returns an error if the stored submission has
// other content.
func (s *Service) findSubmission(ctx context.Context, c *rest.Call, in api.SubmitReviewInput) (posted bool, err error) {
	b := s.Store.NewBatch()
	stored := b.Record(store.SubmissionKey(c.Org, store.RequestIDOf(in.Space, in.ChangeRequest), c.Caller.User, in.Submission))
	request := b.Record(store.ChangeRequestKey(c.Org, store.RequestIDOf(in.Space, in.ChangeRequest)))
	if err := b.Do(ctx); err != nil {
		return false, fmt.Errorf("read submission: %w", err)
	}
	r, ok, err := request.Get()
	if err != nil || !ok {
		return false, rest.NotFoundIfNil(err)
	}
	var named store.ChangeRequestDocument
	if err := named.Decode(r); err != nil {
		return false, err
	}
	if !revision.MatchesRequest(in.ChangeRequest, named) {
		return false, api.NotFound()
	}
	record, ok, err := stored.Get()
	if err != nil || !ok {
		return false, err
	}
	var d store.SubmissionDocument
	if err := d.Decode(record); err != nil {
		return false, err
	}
	return true, checkSameContent(d, in.Body)
}

func checkSameContent(d store.SubmissionDocument, body api.ReviewSubmit) error {
	content, err := submissionHash(body)
	if err == nil && content != d.Private.Content {
		return api.Errorf(http.StatusUnprocessableEntity, api.ReasonKeyReused,
			"Under this id something else was submitted.").WithHint("Use a new id for a new draft review.")
	}
	return err
}

func submissionResult(d store.SubmissionDocument) (rest.Result[api.Submission], error) {
	r, err := rest.Value(d.Fields)
	r.ID = d.Fields.ID
	return r.WithVersion(strconv.FormatInt(d.Version, 10)), err
}

// applySubmission posts the comments and replies, and the verdict if there is one.
func (s *Service) applySubmission(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SubmitReviewInput,
	plan submissionPlan,
) (none rest.Result[api.Submission], err error) {
	key := store.RequestIDOf(in.Space, in.ChangeRequest)
	d, err := tx.Submission(c.Org, key, c.Caller.User, in.Submission)
	if err != nil {
		return none, err
	}
	if d.Version > 0 {
		if err := checkSameContent(d, in.Body); err != nil {
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
		return none, store.ErrHeadMoved
	}
	if d.Private.Content, err = submissionHash(in.Body); err != nil {
		return none, err
	}
	d.Private.Request, d.Private.User = key, c.Caller.User
	d.Fields = api.Submission{
		Object: "change-request-submission", ID: in.Submission, SubmittedAt: api.At(tx.Now()), Status: in.Body.Status,
		Revision: plan.reviewedRange.Revision, Drafts: make([]api.PostedDraft, len(plan.drafts)),
	}
	c.Note("revision", plan.reviewedRange.Revision)
	plan.in = in
	if err := s.postSubmission(ctx, c, tx, plan, l, &d.Fields); err != nil {
		return none, err
	}
	record, err := tx.PutSubmission(c.Org, d)
	if err != nil {
		return none, err
	}
	d.Version = record.Version
	return submissionResult(d)
}

// postSubmission writes the comments, replies and review of a submission and records their ids in posted.
func (s *Service) postSubmission(
	ctx context.Context, c *rest.Call, tx *store.Tx, plan submissionPlan, l LoadedRequest, posted *api.Submission,
) error {
	in := plan.in
	review := store.ReviewDocument{}
	review.Private.ReviewVerdict = store.ReviewVerdict{
		User: c.Caller.User, Revision: plan.reviewedRange.Revision, Service: c.Caller.IsService,
	}
	if in.Body.Status != "" {
		if err := checkMayReview(c, l.ChangeRequestDocument); err != nil {
			return err
		}
		if err := CheckUnfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
			return err
		}
		var err error
		if review, err = newReview(c, tx, l, in.Body.Status, plan.reviewedRange); err != nil {
			return err
		}
		posted.Review = review.Fields.ID
	}
	if in.Body.Comment != nil && in.Body.Comment.Says() {
		ids, err := comments.NewIDs(c, tx, []bool{false})
		if err != nil {
			return err
		}
		if _, _, err := s.Comments.AddComment(c, tx, revision.RequestTarget(in.ChangeRequestRef), ids[0],
			summaryDraft(review.Private.ReviewVerdict, *in.Body.Comment)); err != nil {
			return err
		}
		posted.Comment, review.Private.Comment = ids[0], ids[0]
	}
	if err := s.postDrafts(ctx, c, tx, plan, posted); err != nil {
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

func (s *Service) postDrafts(ctx context.Context, c *rest.Call, tx *store.Tx, plan submissionPlan, posted *api.Submission) error {
	in := plan.in
	at := revision.RequestTarget(in.ChangeRequestRef)
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
			reply := comments.ReplyDraft{ID: ids[i], Comment: d.ReplyTo, Body: d.Body, Before: replies[d.ReplyTo]}
			if _, err := s.Comments.AddReply(ctx, c, tx, at, reply); err != nil {
				return replyError(i, err)
			}
			replies[d.ReplyTo]++
			posted.Drafts[i] = api.PostedDraft{Comment: d.ReplyTo, Reply: ids[i]}
			continue
		}
		draft := plan.drafts[i]
		draft.Anchor.Review = posted.Review
		if _, _, err := s.Comments.AddComment(c, tx, at, ids[i], draft); err != nil {
			return err
		}
		posted.Drafts[i] = api.PostedDraft{Comment: ids[i]}
	}
	return nil
}

// replyError returns the error for a draft that replies to a missing or closed comment, with the path of the draft.
func replyError(draft int, err error) error {
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
