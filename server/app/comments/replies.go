package comments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	replyPrefix = "rp_"
	maxReplies  = 300 // of one comment; they are deleted with it in one transaction
)

func (s *Service) replyObject(v commentView, public []byte, d store.ReplyDocument) *rest.Object {
	return v.newObject(public, &d.Fields, &d.Fields.Body).
		Set("postedBy", s.View.Person(v.model, d.Private.Author)).
		Set("reactions", s.reactionGroups(v.model, d.Private.Reactions)).
		Set("urls", api.LocationURLs{Location: s.replyURL(v.target, d)}).
		Set("permissions", commentPermissions(v.call.Caller, d.Private.Author))
}

func (s *Service) replyURL(target revision.Target, d store.ReplyDocument) string {
	return s.commentURL(target, d.Private.Comment) + "/replies/" + d.Fields.ID
}

func (s *Service) listReplies(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestRepliesInput,
) rest.Finish[api.Page[api.CommentReply]] {
	target, comment, format := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Format
	w := r.NewPager(in.ListOptions, false)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	parent := b.Record(store.CommentKey(r.Org, comment))
	index := store.RepliesKey(r.Org, comment)
	members, total := b.Range(index, w.After, w.Size+1, false), b.Cardinality(index)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.CommentReply]], err error) {
		if err := s.checkThread(ctx, c, p, parent, target); err != nil {
			return none, err
		}
		if w.Err != nil {
			return none, w.Err
		}
		ids := members.Value()
		page, next := w.Cut(ids)
		records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.ReplyKey(c.Org, id) })
		if err != nil {
			return none, err
		}
		items, err := s.replyObjects(c, target, page, records, format)
		if err != nil {
			return none, err
		}
		count := total.Value()
		return rest.PageOf[api.CommentReply](items, int(count), next)
	}
}

// checkThread returns a not_found error unless the comment exists and belongs to the target.
func (s *Service) checkThread(ctx context.Context, c *rest.Call, p revision.TargetRead, comment *txn.Future[txn.Record],
	target revision.Target,
) error {
	if _, _, err := p.Get(); err != nil {
		return err
	}
	r, ok, err := comment.Get()
	if err != nil || !ok {
		return rest.NotFoundIfNil(err)
	}
	var d store.CommentDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	if belongs, err := s.belongsTo(ctx, c, d, target); err != nil || !belongs {
		return rest.NotFoundIfNil(err)
	}
	return nil
}

func (s *Service) replyObjects(c *rest.Call, target revision.Target, ids []string, records map[string]txn.Record,
	format api.Format,
) (items [][]byte, err error) {
	c.Access(func(model *access.Model) {
		for _, id := range ids {
			record, ok := records[id]
			if !ok {
				continue
			}
			var d store.ReplyDocument
			if e := d.Decode(record); e != nil {
				err = errors.Join(err, e)
				continue
			}
			item, e := s.replyObject(commentView{model: model, call: c, target: target, format: format}, record.Public, d).Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

func (s *Service) getReply(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestReplyInput) rest.Finish[api.CommentReply] {
	target, comment, id := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply
	p := s.Revisions.ReadTarget(r.Org, b, target)
	parent, record := b.Record(store.CommentKey(r.Org, comment)), b.Record(store.ReplyKey(r.Org, id))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.CommentReply], err error) {
		if err := s.checkThread(ctx, c, p, parent, target); err != nil {
			return none, err
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		return s.replyResult(c, target, comment, r, in.Format)
	}
}

func (s *Service) replyResult(c *rest.Call, target revision.Target, comment string, r txn.Record,
	format api.Format,
) (rest.Result[api.CommentReply], error) {
	var d store.ReplyDocument
	if err := d.Decode(r); err != nil {
		return rest.Result[api.CommentReply]{}, err
	}
	if d.Private.Comment != comment {
		return rest.Result[api.CommentReply]{}, api.NotFound()
	}
	var result rest.Result[api.CommentReply]
	var err error
	c.Access(func(model *access.Model) {
		result, err = rest.ObjectResult[api.CommentReply](s.replyObject(commentView{model: model, call: c, target: target, format: format},
			r.Public, d))
	})
	result.ID = d.Fields.ID
	return result.WithVersion(rest.RecordVersion(r)), err
}

func (s *Service) createReply(
	ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateChangeRequestReplyInput,
) (none rest.Result[api.CommentReply], err error) {
	target, comment, body := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body
	if err := NormalizeBody(&body.Body, "body"); err != nil {
		return none, err
	}
	record, err := s.AddReply(ctx, c, tx, target, ReplyDraft{ID: tx.NewID(replyPrefix), Comment: comment, Body: body.Body})
	if err != nil {
		return none, err
	}
	return s.replyResult(c, target, comment, record, cmp.Or(in.Format, api.FormatMarkdown))
}

// loadReply reads a reply to a comment of a target, and the comment, inside a transaction.
func loadReply(c *rest.Call, tx *store.Tx, target revision.Target, comment, id string) (parent store.CommentDocument,
	d store.ReplyDocument, err error,
) {
	if parent, err = loadComment(c, tx, target, comment); err != nil {
		return parent, d, rest.ParentError(err)
	}
	d, err = tx.Reply(c.Org, id)
	if err != nil || d.Version == 0 || d.Private.Comment != comment {
		return parent, d, rest.AbsentIfNil(err)
	}
	return parent, d, nil
}

func (s *Service) updateReply(
	_ context.Context, c *rest.Call, tx *store.Tx, in api.UpdateChangeRequestReplyInput,
) (none rest.Result[api.CommentReply], err error) {
	target, comment, id, body := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply, in.Body
	_, d, err := loadReply(c, tx, target, comment, id)
	if err != nil {
		return none, err
	}
	changed := false
	if body.Body != nil {
		if err := NormalizeBody(body.Body, "body"); err != nil {
			return none, err
		}
	}
	if body.Body != nil && body.Body.Says() && bodyMarkdown(*body.Body) != d.Fields.Body.Markdown {
		if d.Private.Author != c.Caller.User {
			return none, notAuthorError("reply")
		}
		revision.RewriteText(tx, &d.Fields.Body.Markdown, bodyMarkdown(*body.Body))
		d.Fields.EditedAt, changed = revision.ChangeTime(d.Fields.PostedAt, tx.Now()), true
	}
	reacted, err := updateReactions(&d.Private.Reactions, c.Caller.User, tx, body.AddedReactions, body.RemovedReactions)
	if err != nil {
		return none, err
	}
	record, _, err := tx.Record(store.ReplyKey(c.Org, id))
	if changed = changed || reacted; changed && err == nil {
		record, err = tx.PutReply(c.Org, d)
	}
	if err != nil {
		return none, err
	}
	r, err := s.replyResult(c, target, comment, record, api.FormatMarkdown)
	r.Unchanged = !changed
	return r, err
}

func (s *Service) deleteReply(
	ctx context.Context, c *rest.Call, tx *store.Tx, in api.ChangeRequestReplyRef,
) (rest.Result[api.None], error) {
	target, comment, id := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply
	var nothing rest.Result[api.None]
	parent, d, err := loadReply(c, tx, target, comment, id)
	if err != nil {
		return nothing, err
	}
	if !commentPermissions(c.Caller, d.Private.Author).Delete {
		return nothing, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Deleting somebody else's reply takes the role create.")
	}
	count, err := tx.Cardinality(store.RepliesKey(c.Org, comment))
	if err != nil {
		return nothing, err
	}
	if err := s.loadRepliers(ctx, c, tx, &parent, int(count)); err != nil {
		return nothing, err
	}
	return rest.None(id), tx.DeleteCountedReply(c.Org, parent, d)
}

// loadRepliers sets the repliers of a comment with count replies from the replies, unless those that are stored are valid.
func (s *Service) loadRepliers(
	ctx context.Context, c *rest.Call, tx *store.Tx, comment *store.CommentDocument, count int,
) error {
	if comment.Private.Repliers.Count() == count {
		return nil
	}
	replies, err := s.readReplies(ctx, c, tx, comment.Fields.ID)
	comment.Private.Repliers = store.NewRepliers(replies)
	return err
}

// readReplies reads all replies to a comment inside a transaction. Their list is read outside of it. Of a lost reply only the ids are set.
func (s *Service) readReplies(ctx context.Context, c *rest.Call, tx *store.Tx, comment string) ([]store.ReplyDocument, error) {
	index := store.RepliesKey(c.Org, comment)
	count, err := tx.Cardinality(index)
	if err != nil || count == 0 {
		return nil, err
	}
	b := s.Store.NewBatch()
	members := b.Range(index, "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read replies: %w", err)
	}
	ids := members.Value()
	if err := tx.RequireListed(index, ids, func(id string) redis.Key { return store.ReplyKey(c.Org, id) }); err != nil {
		return nil, err
	}
	replies := make([]store.ReplyDocument, len(ids))
	for i, id := range ids {
		if replies[i], err = tx.Reply(c.Org, id); err != nil {
			return nil, err
		}
		replies[i].Fields.ID, replies[i].Private.Comment = id, comment // set here, because it is empty if the record is lost
	}
	return replies, nil
}

// deleteReplies deletes all replies to a comment that is being deleted.
func (s *Service) deleteReplies(ctx context.Context, c *rest.Call, tx *store.Tx, comment string) error {
	replies, err := s.readReplies(ctx, c, tx, comment)
	for _, d := range replies {
		tx.DeleteReply(c.Org, d)
	}
	return err
}
