package review

import (
	"cmp"
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/comments"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// reviewPlan is a review with anchored comments that can be committed.
type reviewPlan struct {
	head          store.Head // head of the change request
	currentRange  revision.Range
	reviewedRange revision.Range
	tree          *revision.Tree // tree at the head
	drafts        []comments.Draft

	outdated bool // the reviewed revision is not the head, and the content has changed since
}

// planReview finds the reviewed revision and anchors the comments.
func (s *Service) planReview(ctx context.Context, c *rest.Call, in api.CreateReviewInput) (reviewPlan, error) {
	if err := checkReviewTexts(in.Body); err != nil {
		return reviewPlan{}, err
	}
	sides, err := s.LoadMergePlan(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return reviewPlan{}, err
	}
	request := sides.Request.ChangeRequestDocument
	if err := CheckUnfinished(request, "reviewed"); err != nil {
		return reviewPlan{}, err
	}
	plan := reviewPlan{head: sides.Theirs, currentRange: revision.CurrentRange(request, sides.Theirs)}
	seenHead := sides.Theirs
	plan.reviewedRange = plan.currentRange
	if named := in.Body.Revision; named != "" && named != seenHead.Revision {
		if plan.reviewedRange, seenHead, err = s.findRevision(ctx, request, plan.head, named); err != nil {
			return plan, err
		}
	}
	news, err := s.Revisions.Compare(in.Space).UnseenChanges(ctx, plan.reviewedRange, plan.currentRange)
	if plan.outdated = len(news) > 0; err != nil {
		return plan, err
	}
	if plan.tree, err = s.Revisions.Tree(ctx, s.Store.Content(in.Space), plan.head.Pages); err != nil {
		return plan, err
	}
	for i, comment := range in.Body.Comments {
		draft, err := s.anchorDraft(ctx, in.ChangeRequestRef, seenHead, comment)
		if err != nil {
			return plan, revision.PrefixFields(fmt.Sprintf("comments[%d]", i), err)
		}
		plan.drafts = append(plan.drafts, draft)
	}
	return plan, nil
}

// anchorDraft anchors a comment in the revision that it was written on.
func (s *Service) anchorDraft(ctx context.Context, ref api.ChangeRequestRef, seen store.Head, body api.CommentCreate) (d comments.Draft,
	err error,
) {
	at := revision.RequestTarget(ref)
	anchor, tree, err := s.Comments.AnchorComment(ctx, at, seen, comments.CommentPlace(body))
	if err != nil {
		return d, err
	}
	anchor.Revision = seen.Revision
	suggestion, err := s.Comments.NewSuggestion(ctx, at, tree, anchor, body)
	return comments.Draft{Anchor: anchor, Body: body, Suggestion: suggestion}, err
}

// checkReviewTexts returns an error if a text of the review exceeds the limits of comments.
func checkReviewTexts(body api.ReviewCreate) error {
	if body.Comment != nil {
		if err := comments.NormalizeBody(body.Comment, "comment"); err != nil {
			return err
		}
	}
	for i := range body.Comments {
		if err := comments.NormalizeBody(&body.Comments[i].Body, "body"); err != nil {
			return revision.PrefixFields(fmt.Sprintf("comments[%d]", i), err)
		}
	}
	return nil
}

// findRevision finds an earlier revision of a change request, searching back from its head. It returns the range that
// the revision proposed and its head.
func (s *Service) findRevision(ctx context.Context, d store.ChangeRequestDocument, head store.Head, wanted string) (revision.Range,
	store.Head, error,
) {
	found, base := store.Head{}, ""
	content := s.Store.Content(d.Fields.Space)
	for id := head.Revision; id != d.Fields.RevisionInitial && base == ""; {
		r, err := s.Revisions.ReadHistorical(ctx, content, id)
		if err != nil {
			return revision.Range{}, found, err
		}
		if id == wanted && !r.Lost {
			found = store.Head{Revision: id, Pages: r.Pages, Files: r.Files, Links: r.Links}
		}
		if found.Revision != "" && r.Type == api.RevisionUpdate {
			base = r.Parents[1] // parent that belongs to the space
		}
		if len(r.Parents) == 0 {
			break
		}
		id = r.Parents[0]
	}
	if found.Revision == "" {
		return revision.Range{}, found, api.InvalidField("revision", "is not a revision of this change request")
	}
	return revision.Range{Base: cmp.Or(base, d.Fields.RevisionInitial), Revision: wanted}, found, nil
}

// applyReview posts the comments and the verdict of a review. It returns an error if the caller may not review or the change
// request is finished, and ErrHeadMoved if the head has moved since the plan.
func (s *Service) applyReview(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateReviewInput,
	plan reviewPlan,
) (none rest.Result[api.Review], err error) {
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	if err := checkMayReview(c, l.ChangeRequestDocument); err != nil {
		return none, err
	}
	if err := CheckUnfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
		return none, err
	}
	if l.State.Head.Revision != plan.head.Revision {
		return none, store.ErrHeadMoved
	}
	c.Note("revision", plan.reviewedRange.Revision)
	return s.postReview(ctx, c, tx, in, plan, l)
}

// newReview returns a new review of the caller with the given status for the range seen.
func newReview(c *rest.Call, tx *store.Tx, l LoadedRequest, status api.ReviewStatus, seen revision.Range) (store.ReviewDocument, error) {
	id := tx.NewID(reviewPrefix)
	d, err := tx.Review(c.Org, id)
	d.Private.Target = l.Key
	d.Private.ReviewVerdict = store.ReviewVerdict{
		User: c.Caller.User, Review: id, Status: status, Revision: seen.Revision, Base: seen.Base, Service: c.Caller.IsService,
	}
	d.Fields = api.ReviewFields{
		Object: "change-request-review", ID: id, Revision: seen.Revision, Status: status,
		Comments: []string{}, CreatedAt: api.At(tx.Now()), UpdatedAt: api.At(tx.Now()),
	}
	return d, err
}

// summaryDraft returns the draft of the comment that explains a verdict.
func summaryDraft(v store.ReviewVerdict, why api.CommentBody) comments.Draft {
	draft := comments.Draft{Anchor: store.CommentPrivate{Revision: v.Revision, Review: v.Review}, Body: api.CommentCreate{Body: why}}
	if v.Status == api.ReviewApproved { // an approval requires no response
		draft.Anchor.ResolvedBy = v.User
	}
	return draft
}

// postReview writes the comments, the review, and the verdict in the change request.
func (s *Service) postReview(
	ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateReviewInput, plan reviewPlan, l LoadedRequest,
) (none rest.Result[api.Review], err error) {
	d, err := newReview(c, tx, l, in.Body.Status, plan.reviewedRange)
	if err != nil {
		return none, err
	}
	at, now := revision.RequestTarget(in.ChangeRequestRef), comments.Content{Head: plan.head, Tree: plan.tree}
	var why rest.Result[api.Comment]
	if in.Body.Comment != nil && in.Body.Comment.Says() {
		if why, err = s.Comments.PutComment(ctx, c, tx, at, now, summaryDraft(d.Private.ReviewVerdict, *in.Body.Comment)); err != nil {
			return none, err
		}
		d.Private.Comment = why.ID
	}
	for _, draft := range plan.drafts {
		draft.Anchor.Review = d.Fields.ID
		posted, err := s.Comments.PutComment(ctx, c, tx, at, now, draft)
		if err != nil {
			return none, err
		}
		d.Fields.Comments = append(d.Fields.Comments, posted.ID)
	}
	record, d, err := l.putReview(c, tx, d)
	if err != nil {
		return none, err
	}
	data, err := s.reviewObject(c, at, storedReview{record, d}, why.JSON, plan.outdated)
	r := rest.Result[api.Review]{JSON: data}.WithVersion(rest.RecordVersion(record))
	return r.WithLocation(d.Fields.ID, s.reviewURL(at, d.Fields.ID)), err
}

// putReview writes a review and makes it the last verdict of its user.
func (l *LoadedRequest) putReview(c *rest.Call, tx *store.Tx, d store.ReviewDocument) (txn.Record, store.ReviewDocument, error) {
	d.Private.RequestedBy = l.setVerdict(d.Private.ReviewVerdict)
	if len(l.Private.Verdicts) > maxReviewers {
		return txn.Record{}, d, api.WrongState("%d people have reviewed this change request already.", maxReviewers)
	}
	if _, err := l.write(c, tx, l.Fields.Status); err != nil {
		return txn.Record{}, d, err
	}
	tx.UpdateReviewed(c.Org, l.ChangeRequestDocument)
	c.Note("did", string(d.Private.Status))
	c.Note("review", d.Fields.ID)
	record, err := tx.PutReview(c.Org, d)
	return record, d, err
}

// setVerdict makes v the last verdict of its user and removes the pending review request of the user. It returns the
// user who requested the review, if any.
func (l *LoadedRequest) setVerdict(v store.ReviewVerdict) (requestedBy string) {
	l.Private.SetVerdict(v)
	others := l.Private.Reviewers[:0:0]
	for _, r := range l.Private.Reviewers {
		if r.User == v.User {
			requestedBy = r.RequestedBy
		} else {
			others = append(others, r)
		}
	}
	l.Private.Reviewers = others
	return requestedBy
}
