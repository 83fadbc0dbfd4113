package comments

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/writeback"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// commentEndpoints returns the operations on the comments of spaces and change requests.
func (s *Service) commentEndpoints() []rest.Endpoint {
	need, deleter := auth.InSpace(api.RoleComment), auth.InSpace(api.RoleCreate)
	return slices.Concat(
		rest.Twins(api.ListComments.Row, need, rest.Read(api.ListChangeRequestComments, need, s.listComments)),
		rest.Twins(api.CreateComment.Row, need, rest.Op(api.CreateChangeRequestComment, need, s.createComment).On(rest.Target)),
		rest.Twins(api.GetComment.Row, need, rest.Read(api.GetChangeRequestComment, need, s.getComment)),
		rest.Twins(api.UpdateComment.Row, need, rest.Op(api.UpdateChangeRequestComment, need, s.updateComment).On(rest.Comment)),
		rest.Twins(api.ReattachComment.Row, need, rest.Op(api.ReattachChangeRequestComment, need, s.reattach).On(rest.Comment)),
		rest.Twins(api.DeleteComment.Row, need,
			rest.Write(api.DeleteChangeRequestComment, need, s.deleteComment).On(rest.Comment).AllowAbsent(deleter)),
		rest.Twins(api.ListSpaceCommenters.Row, need, rest.Read(api.ListChangeRequestCommenters, need, s.listCommenters)),
	)
}

// replyEndpoints returns the operations on the replies to comments of spaces and change requests.
func (s *Service) replyEndpoints() []rest.Endpoint {
	need, deleter := auth.InSpace(api.RoleComment), auth.InSpace(api.RoleCreate)
	return slices.Concat(
		rest.Twins(api.ListReplies.Row, need, rest.Read(api.ListChangeRequestReplies, need, s.listReplies)),
		rest.Twins(api.CreateReply.Row, need, rest.Write(api.CreateChangeRequestReply, need, s.createReply).On(rest.Comment)),
		rest.Twins(api.GetReply.Row, need, rest.Read(api.GetChangeRequestReply, need, s.getReply)),
		rest.Twins(api.UpdateReply.Row, need, rest.Write(api.UpdateChangeRequestReply, need, s.updateReply).On(rest.Reply)),
		rest.Twins(api.DeleteReply.Row, need,
			rest.Write(api.DeleteChangeRequestReply, need, s.deleteReply).On(rest.Reply).AllowAbsent(deleter)),
	)
}

const (
	commentPrefix   = "c_"
	maxCommentBytes = 64 << 10
	maxReactions    = 500 // of one comment or reply
)

// NormalizeBody checks the text of a comment against its limits and converts a document to Markdown. field is the
// path of the text in errors.
func NormalizeBody(body *api.CommentBody, field string) error {
	if !body.Says() {
		return nil
	}
	path := field + ".markdown"
	if body.Document != nil {
		path = field + ".document"
	}
	text, _, err := writeback.Text(body.Markdown, body.Document, field)
	switch {
	case err != nil:
		return err
	case text == "":
		return api.InvalidField(path, "says nothing")
	case len(text) > maxCommentBytes:
		return api.InvalidField(path, "has %d bytes; a comment has at most %d", len(text), maxCommentBytes)
	}
	*body = api.CommentBody{Markdown: api.Some(text)}
	return checkText(path, text)
}

// bodyMarkdown returns the Markdown of a normalized body.
func bodyMarkdown(body api.CommentBody) string {
	text, _ := body.Markdown.Get()
	return text
}

func checkText(field, markdown string) error {
	if wrong, ok := errors.AsType[*content.TextError](content.Check([]byte(markdown))); ok {
		return api.InvalidField(field, "%s", wrong.Error())
	}
	return nil
}

func (s *Service) getComment(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestCommentInput) rest.Finish[api.Comment] {
	target, id, format := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Format
	p := s.Revisions.ReadTarget(r.Org, b, target)
	record, replies := b.Record(store.CommentKey(r.Org, id)), b.Field(txn.CountsKey(r.Org), id)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Comment], err error) {
		head, _, err := p.Get()
		if err != nil {
			return none, err
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		now, err := s.ReadContent(ctx, target.Space, head)
		if err != nil {
			return none, err
		}
		count := replies.Value()
		return s.commentResult(ctx, c, target, now, storedComment{r, count}, format)
	}
}

// storedComment is the record of a comment with its reply count.
type storedComment struct {
	record  txn.Record
	replies string
}

// commentResult returns a comment as a result. It returns a not_found error if the comment does not belong to the
// target.
func (s *Service) commentResult(
	ctx context.Context, c *rest.Call, target revision.Target, now Content, stored storedComment, format api.Format,
) (rest.Result[api.Comment], error) {
	var d store.CommentDocument
	if err := d.Decode(stored.record); err != nil {
		return rest.Result[api.Comment]{}, err
	}
	if belongs, err := s.belongsTo(ctx, c, d, target); err != nil || !belongs {
		return rest.Result[api.Comment]{}, rest.NotFoundIfNil(err)
	}
	found, err := s.locate(ctx, target.Space, now, []store.CommentPrivate{d.Private})
	if err != nil {
		return rest.Result[api.Comment]{}, err
	}
	var result rest.Result[api.Comment]
	c.Access(func(model *access.Model) {
		v := commentView{model: model, call: c, tree: now.Tree, target: originalTarget(target, d), format: format, location: found[0]}
		result, err = rest.ObjectResult[api.Comment](s.commentObject(v, stored.record.Public, d, stored.replies))
	})
	result.ID = d.Fields.ID
	return result.WithVersion(rest.RecordVersion(stored.record)), err
}

// belongsTo reports whether a comment belongs to a target. The comments of merged change requests also belong to
// their space.
func (s *Service) belongsTo(ctx context.Context, c *rest.Call, d store.CommentDocument, target revision.Target) (bool, error) {
	if d.Private.Target == target.HeadID() || target.ChangeRequest != "" || d.Private.Space != target.Space {
		return d.Private.Target == target.HeadID(), nil
	}
	b := s.Store.NewBatch()
	record := b.Record(store.ChangeRequestKey(c.Org, d.Private.Target))
	if err := b.Do(ctx); err != nil {
		return false, fmt.Errorf("read change request: %w", err)
	}
	return isMerged(record)
}

// createComment anchors a comment at the current head. If the head moves before the commit, the comment is anchored
// again.
func (s *Service) createComment(
	ctx context.Context, c *rest.Call, in api.CreateChangeRequestCommentInput,
) (rest.Result[api.Comment], error) {
	target, body := revision.RequestTarget(in.ChangeRequestRef), in.Body
	if err := NormalizeBody(&body.Body, "body"); err != nil {
		return rest.Result[api.Comment]{}, err
	}
	return rest.RetryPlan(func() (rest.Result[api.Comment], error) {
		head, err := s.Revisions.ReadHead(ctx, c.Org, target)
		if err != nil {
			return rest.Result[api.Comment]{}, err
		}
		anchor, t, err := s.AnchorComment(ctx, target, head, CommentPlace(body))
		if err != nil {
			return rest.Result[api.Comment]{}, err
		}
		draft := Draft{Anchor: anchor, Body: body}
		if draft.Suggestion, err = s.NewSuggestion(ctx, target, t, anchor, body); err != nil {
			return rest.Result[api.Comment]{}, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Comment], error) {
			return s.commitComment(ctx, c, tx, target, Content{Head: head, Tree: t}, draft)
		})
	})
}

func (s *Service) commitComment(ctx context.Context, c *rest.Call, tx *store.Tx, target revision.Target, now Content,
	draft Draft,
) (none rest.Result[api.Comment], err error) {
	if err := revision.CheckHead(tx, c.Org, target, now.Head); err != nil {
		return none, err
	}
	if err := checkTargetExists(c, tx, target); err != nil {
		return none, err
	}
	draft.Anchor.Revision = now.Head.Revision
	return s.PutComment(ctx, c, tx, target, now, draft)
}

// checkTargetExists returns a not_found error unless the space or change request of the target exists when the transaction
// commits.
func checkTargetExists(c *rest.Call, tx *store.Tx, target revision.Target) error {
	if target.ChangeRequest == "" {
		space, err := tx.Space(c.Org, target.Space)
		if err != nil || space.Version == 0 {
			return rest.NotFoundIfNil(err)
		}
		return nil
	}
	d, err := tx.ChangeRequest(c.Org, target.HeadID())
	if err != nil || d.Version == 0 || !revision.MatchesRequest(target.ChangeRequest, d) {
		return rest.NotFoundIfNil(err)
	}
	return nil
}

// notePage adds the page of a comment, if the comment has one, to the event of the request.
func notePage(c *rest.Call, d store.CommentDocument) {
	if d.Private.Page != nil {
		c.Note("page", d.Private.Page.ID)
	}
}

// loadComment reads a comment of a target inside a transaction. Comments of merged change requests belong to their
// space.
func loadComment(c *rest.Call, tx *store.Tx, target revision.Target, id string) (store.CommentDocument, error) {
	if err := checkTargetExists(c, tx, target); err != nil {
		return store.CommentDocument{}, err
	}
	d, err := tx.Comment(c.Org, id)
	notePage(c, d)
	if err != nil || d.Version == 0 || d.Private.Target == target.HeadID() {
		return d, notFoundIf(d.Version == 0, err)
	}
	if target.ChangeRequest != "" || d.Private.Space != target.Space {
		return d, rest.AbsentIfNil(nil)
	}
	request, err := tx.ChangeRequest(c.Org, d.Private.Target)
	return d, notFoundIf(request.Fields.Status != api.StatusMerged, err)
}

// notFoundIf returns err or, if err is nil and absent is set, a not_found error.
func notFoundIf(absent bool, err error) error {
	if absent {
		return rest.AbsentIfNil(err)
	}
	return err
}

func (s *Service) updateComment(
	ctx context.Context, c *rest.Call, in api.UpdateChangeRequestCommentInput,
) (rest.Result[api.Comment], error) {
	target, id, body := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body
	if body.Body != nil {
		if err := NormalizeBody(body.Body, "body"); err != nil {
			return rest.Result[api.Comment]{}, err
		}
	}
	head, err := s.Revisions.ReadHead(ctx, c.Org, target)
	if err != nil {
		return rest.Result[api.Comment]{}, err
	}
	now, err := s.ReadContent(ctx, target.Space, head)
	if err != nil {
		return rest.Result[api.Comment]{}, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Comment], error) {
		return s.applyUpdate(ctx, c, tx, commentRef{target, id}, now, body)
	})
}

// commentRef identifies a comment of a target.
type commentRef struct {
	target revision.Target
	id     string
}

func (s *Service) applyUpdate(
	ctx context.Context, c *rest.Call, tx *store.Tx, ref commentRef, now Content, body api.CommentUpdate,
) (none rest.Result[api.Comment], err error) {
	d, err := loadComment(c, tx, ref.target, ref.id)
	if err != nil {
		return none, err
	}
	replies, _, err := tx.Field(txn.CountsKey(c.Org), ref.id)
	if err != nil {
		return none, err
	}
	old := d.Fields.Status
	changed := false
	if body.Body != nil && body.Body.Says() && bodyMarkdown(*body.Body) != d.Fields.Body.Markdown {
		if d.Private.Author != c.Caller.User {
			return none, notAuthorError("comment")
		}
		revision.RewriteText(tx, &d.Fields.Body.Markdown, bodyMarkdown(*body.Body))
		d.Fields.EditedAt, changed = revision.ChangeTime(d.Fields.PostedAt, tx.Now()), true
	}
	weighed, err := setWeight(c, &d, body.Weight)
	if err != nil {
		return none, err
	}
	resolved, err := resolveComment(c, tx, &d, body)
	if err != nil {
		return none, err
	}
	reacted, err := updateReactions(&d.Private.Reactions, c.Caller.User, tx, body.AddedReactions, body.RemovedReactions)
	if err != nil {
		return none, err
	}
	if old != d.Fields.Status {
		c.Note("did", string(d.Fields.Status))
	}
	record, _, err := tx.Record(store.CommentKey(c.Org, ref.id))
	if changed = changed || weighed || resolved || reacted; changed && err == nil {
		record, err = tx.PutComment(c.Org, d, old)
	}
	if err != nil {
		return none, err
	}
	r, err := s.commentResult(ctx, c, ref.target, now, storedComment{record, replies}, api.FormatMarkdown)
	r.Unchanged = !changed
	return r, err
}

func notAuthorError(what string) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Only its author may edit the text of a %s.", what)
}

// deleteComment deletes a comment with its replies.
func (s *Service) deleteComment(
	ctx context.Context, c *rest.Call, tx *store.Tx, in api.ChangeRequestCommentRef,
) (rest.Result[api.None], error) {
	target, id := revision.RequestTarget(in.ChangeRequestRef), in.Comment
	var nothing rest.Result[api.None]
	d, err := loadComment(c, tx, target, id)
	if err != nil {
		return nothing, err
	}
	if !commentPermissions(c.Caller, d.Private.Author).Delete {
		return nothing, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Deleting somebody else's comment takes the role create.")
	}
	replies, err := tx.Cardinality(store.RepliesKey(c.Org, id))
	if err != nil {
		return nothing, err
	}
	if err := s.deleteReplies(ctx, c, tx, id); err != nil {
		return nothing, err
	}
	tx.DeleteComment(c.Org, d)
	return rest.Removed(api.Removal{ID: id, With: []api.Taken{api.NewTaken("replies", int(replies))}}), nil
}
