package reviews

import (
	"cmp"
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/comments"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
)

// reviewPlan is a review whose comments have found their places, and which waits for its commit.
type reviewPlan struct {
	head    store.Head // of the change request
	now     revision.Range
	seen    revision.Range
	tree    *revision.Tree // at the head
	anchors []store.CommentPrivate

	outdated bool // an earlier revision was reviewed, and not all is as it was in it
}

// planReview finds what was reviewed, and what the comments are about.
func (s *Service) planReview(ctx context.Context, c *rest.Call, in api.CreateReviewInput) (reviewPlan, error) {
	if err := checkReviewTexts(in.Body); err != nil {
		return reviewPlan{}, err
	}
	sides, err := s.MergeInputs(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return reviewPlan{}, err
	}
	request := sides.Request.ChangeRequestDocument
	if err := Unfinished(request, "reviewed"); err != nil {
		return reviewPlan{}, err
	}
	plan := reviewPlan{head: sides.Theirs, now: revision.RangeOf(request, sides.Theirs)}
	seenHead := sides.Theirs
	plan.seen = plan.now
	if named := in.Body.Revision; named != "" && named != seenHead.Revision {
		if plan.seen, seenHead, err = s.earlier(ctx, request, plan.head, named); err != nil {
			return plan, err
		}
	}
	news, err := s.Revisions.Compare(in.Space).Unseen(ctx, plan.seen, plan.now)
	if plan.outdated = len(news) > 0; err != nil {
		return plan, err
	}
	if plan.tree, err = s.Revisions.Tree(ctx, s.Store.Content(in.Space), plan.head.Pages); err != nil {
		return plan, err
	}
	for i, comment := range in.Body.Comments {
		anchor, _, err := s.Comments.Anchor(ctx, revision.TargetOf(in.ChangeRequestRef), seenHead, comments.CommentPlace(comment))
		if err != nil {
			return plan, revision.Within(fmt.Sprintf("comments[%d]", i), err)
		}
		anchor.Revision = seenHead.Revision
		plan.anchors = append(plan.anchors, anchor)
	}
	return plan, nil
}

// checkReviewTexts holds what a review says against the limits of comments.
func checkReviewTexts(body api.ReviewCreate) error {
	if body.Comment != nil {
		if err := comments.CheckBody(*body.Comment); err != nil {
			wrong, _ := api.AsError(err)
			return api.InvalidField("comment.markdown", "%s", wrong.Fields[0].Message)
		}
	}
	for i, comment := range body.Comments {
		if err := comments.CheckBody(comment.Body); err != nil {
			return revision.Within(fmt.Sprintf("comments[%d]", i), err)
		}
	}
	return nil
}

// earlier finds an earlier revision of a change request by walking back from its head, and what it proposed then.
func (s *Service) earlier(ctx context.Context, d store.ChangeRequestDocument, head store.Head, wanted string) (revision.Range, store.Head, error) {
	found, base := store.Head{}, ""
	content := s.Store.Content(d.Fields.Space)
	for id := head.Revision; id != d.Fields.RevisionInitial && base == ""; {
		r, err := s.Revisions.Historical(ctx, content, id)
		if err != nil {
			return revision.Range{}, found, err
		}
		if id == wanted && !r.Lost {
			found = store.Head{Revision: id, Pages: r.Pages, Files: r.Files, Links: r.Links}
		}
		if found.Revision != "" && r.Type == api.RevisionUpdate {
			base = r.Parents[1] // the space's
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

// applyReview posts the comments and the verdict.
func (s *Service) applyReview(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateReviewInput, plan reviewPlan) (none rest.Result[api.Review], err error) {
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	if err := mayReview(c, l.ChangeRequestDocument); err != nil {
		return none, err
	}
	if err := Unfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
		return none, err
	}
	if l.State.Head.Revision != plan.head.Revision {
		return none, rest.ErrHeadMoved
	}
	id := tx.NewID(reviewPrefix)
	d, err := tx.Review(c.Org, id)
	if err != nil {
		return none, err
	}
	d.Private.Target = l.Key
	d.Private.ReviewVerdict = store.ReviewVerdict{
		User: c.Caller.User, Review: id, Status: in.Body.Status, Revision: plan.seen.Revision, Base: plan.seen.Base,
	}
	return s.postReview(ctx, c, tx, in, plan, l, d)
}

// postReview writes the comments, the review and what the change request remembers of it.
func (s *Service) postReview(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateReviewInput, plan reviewPlan, l Loaded, d store.ReviewDocument) (none rest.Result[api.Review], err error) {
	at := revision.TargetOf(in.ChangeRequestRef)
	verdict := d.Private.ReviewVerdict
	d.Fields = api.ReviewFields{
		Object: "change-request-review", ID: verdict.Review, Revision: verdict.Revision, Status: verdict.Status,
		Comments: []string{}, CreatedAt: api.At(tx.Now()), UpdatedAt: api.At(tx.Now()),
	}
	var why rest.Result[api.Comment]
	if in.Body.Comment != nil {
		anchor := store.CommentPrivate{Revision: verdict.Revision, Review: verdict.Review}
		if verdict.Status == api.ReviewApproved { // it asks for nothing
			anchor.ResolvedBy = verdict.User
		}
		if why, err = s.Comments.Put(ctx, c, tx, at, comments.At{Head: plan.head, Tree: plan.tree}, anchor, api.CommentCreate{Body: *in.Body.Comment}); err != nil {
			return none, err
		}
		d.Private.Comment = why.ID
	}
	for i, body := range in.Body.Comments {
		anchor := plan.anchors[i]
		anchor.Review = verdict.Review
		posted, err := s.Comments.Put(ctx, c, tx, at, comments.At{Head: plan.head, Tree: plan.tree}, anchor, body)
		if err != nil {
			return none, err
		}
		d.Fields.Comments = append(d.Fields.Comments, posted.ID)
	}
	d.Private.RequestedBy = l.reviewed(verdict)
	if len(l.Private.Verdicts) > maxReviewers {
		return none, api.WrongState("%d people have reviewed this change request already.", maxReviewers)
	}
	if _, err := l.touched(c, tx, l.Fields.Status); err != nil {
		return none, err
	}
	record, err := tx.PutReview(c.Org, d)
	if err != nil {
		return none, err
	}
	data, err := s.reviewObject(c, at, storedReview{record, d}, why.JSON, plan.outdated)
	r := rest.Result[api.Review]{JSON: data}.Versioned(rest.RecordVersion(record))
	return r.Created(d.Fields.ID, s.reviewURL(at, d.Fields.ID)), err
}

// reviewed makes a verdict the last one of its user, who is no longer asked for one, and returns who asked.
func (l *Loaded) reviewed(v store.ReviewVerdict) (requestedBy string) {
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
