package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store"
)

var commentEndpoints = []Endpoint{
	read(api.ListComments, inSpace(api.RoleComment), func(s *Server, ctx context.Context, b *store.Batch, in api.ListCommentsInput) finish[api.Page[api.Comment]] {
		return s.listComments(ctx, b, place{space: in.Space}, in.CommentFilters)
	}),
	op(api.CreateComment, inSpace(api.RoleComment), func(s *Server, ctx context.Context, in api.CreateCommentInput) (Result[api.Comment], error) {
		return s.createComment(ctx, place{space: in.Space}, in.Body)
	}),
	read(api.GetComment, inSpace(api.RoleComment), func(s *Server, ctx context.Context, b *store.Batch, in api.CommentInput) finish[api.Comment] {
		return s.getComment(ctx, b, place{space: in.Space}, in.Comment, in.Format)
	}),
	op(api.UpdateComment, inSpace(api.RoleComment), func(s *Server, ctx context.Context, in api.UpdateCommentInput) (Result[api.Comment], error) {
		return s.updateComment(ctx, place{space: in.Space}, in.Comment, in.Body)
	}),
	write(api.DeleteComment, inSpace(api.RoleComment), func(s *Server, ctx context.Context, tx *store.Tx, in api.CommentRef) (Result[api.None], error) {
		return s.deleteComment(ctx, tx, place{space: in.Space}, in.Comment)
	}),
	read(api.ListReplies, inSpace(api.RoleComment), func(s *Server, ctx context.Context, b *store.Batch, in api.ListRepliesInput) finish[api.Page[api.CommentReply]] {
		return s.listReplies(ctx, b, place{space: in.Space}, in.Comment, in.ListOptions, in.Format)
	}),
	write(api.CreateReply, inSpace(api.RoleComment), func(s *Server, ctx context.Context, tx *store.Tx, in api.CreateReplyInput) (Result[api.CommentReply], error) {
		return s.createReply(ctx, tx, place{space: in.Space}, in.Comment, in.Body)
	}),
	read(api.GetReply, inSpace(api.RoleComment), func(s *Server, ctx context.Context, b *store.Batch, in api.ReplyInput) finish[api.CommentReply] {
		return s.getReply(ctx, b, place{space: in.Space}, in.Comment, in.Reply, in.Format)
	}),
	write(api.UpdateReply, inSpace(api.RoleComment), func(s *Server, ctx context.Context, tx *store.Tx, in api.UpdateReplyInput) (Result[api.CommentReply], error) {
		return s.updateReply(ctx, tx, place{space: in.Space}, in.Comment, in.Reply, in.Body)
	}),
	write(api.DeleteReply, inSpace(api.RoleComment), func(s *Server, ctx context.Context, tx *store.Tx, in api.ReplyRef) (Result[api.None], error) {
		return s.deleteReply(ctx, tx, place{space: in.Space}, in.Comment, in.Reply)
	}),
}

const (
	commentPrefix   = "c_"
	maxCommentBytes = 64 << 10
	maxReactions    = 500 // of one comment or reply
	previewRunes    = 120
)

// checkBody holds a comment's text against its limits.
func checkBody(body api.CommentBody) error {
	if len(body.Markdown) > maxCommentBytes {
		return api.InvalidField("body.markdown", "has %d bytes; a comment has at most %d", len(body.Markdown), maxCommentBytes)
	}
	var wrong *content.TextError
	if err := content.Check([]byte(body.Markdown)); errors.As(err, &wrong) {
		return api.InvalidField("body.markdown", "%s", wrong.Error())
	}
	return nil
}

func (s *Server) listComments(ctx context.Context, b *store.Batch, at place, in api.CommentFilters) finish[api.Page[api.Comment]] {
	c := callFrom(ctx)
	newest := in.Order != api.Ascending
	status := orDefault(in.Status, "all")
	w := newWindow(c, in.ListOptions, newest, string(in.Order), status, in.TargetPage, strings.Join(in.Authors, ","))
	p := s.placed(ctx, b, at)
	filters := commentSets(b, c.org, at.headID(), status, in)
	return func(ctx context.Context) (Result[api.Page[api.Comment]], error) {
		var none Result[api.Page[api.Comment]]
		head, _, err := p.get()
		if err = errors.Join(w.err, err); err != nil {
			return none, err
		}
		ids, err := filters.ids(newest)
		if err != nil {
			return none, err
		}
		page, next := w.of(ids, map[bool]func(a, b string) int{true: newestFirst, false: oldestFirst}[newest])
		items, err := s.comments(ctx, at, head, page, in.Format)
		if err != nil {
			return none, err
		}
		return list[api.Comment](items, len(ids), next)
	}
}

// commentFilter is a list of comments as sets of ids: those in every set of all and, if any is not empty, in one of
// any.
type commentFilter struct {
	all, any []*store.Future[[]string]
}

// commentSets queues the indexes that a list's filters name.
func commentSets(b *store.Batch, org, target, status string, in api.CommentFilters) commentFilter {
	var f commentFilter
	queue := func(filter ...string) *store.Future[[]string] {
		return b.Range(store.CommentsKey(org, target, filter...), "", -1, false)
	}
	if status == "all" {
		f.all = append(f.all, queue())
	} else {
		f.all = append(f.all, queue(status))
	}
	if in.TargetPage != "" {
		f.all = append(f.all, queue(store.PageFilter(in.TargetPage)))
	}
	for _, author := range in.Authors {
		f.any = append(f.any, queue(store.AuthorFilter(author)))
	}
	return f
}

// ids evaluates the filter.
func (f commentFilter) ids(newest bool) ([]string, error) {
	hits, wanted := map[string]int{}, len(f.all)
	count := func(futures []*store.Future[[]string]) error {
		for _, future := range futures {
			ids, _, err := future.Get()
			if err != nil {
				return err
			}
			for _, id := range ids {
				hits[id]++
			}
		}
		return nil
	}
	if err := count(f.all); err != nil {
		return nil, err
	}
	if len(f.any) > 0 {
		wanted++
	}
	if err := count(f.any); err != nil {
		return nil, err
	}
	ids, _, err := f.all[0].Get()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return hits[id] < wanted })
	if newest {
		slices.Reverse(ids)
	}
	return ids, err
}

// comments reads comments with their replies' counts in one pipeline and writes them out.
func (s *Server) comments(ctx context.Context, at place, head store.Head, ids []string, format api.Format) ([][]byte, error) {
	c := callFrom(ctx)
	b := s.store.Pipeline()
	records := make([]*store.Future[store.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(store.CommentKey(c.org, id))
	}
	counts := b.Fields(store.CountsKey(c.org), ids...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	countOf, _, _ := counts.Get()
	t, err := s.tree(ctx, s.store.Content(at.space), head.Pages)
	if err != nil {
		return nil, err
	}
	items := make([][]byte, 0, len(ids))
	c.withShape(func(sh *shape) {
		for i, id := range ids {
			record, ok, e := records[i].Get()
			if err = errors.Join(err, e); e != nil || !ok {
				continue
			}
			var d store.CommentDocument
			if e := d.Decode(record); e != nil {
				err = errors.Join(err, e)
				continue
			}
			item, e := s.commentObject(commentView{sh, c, t, at, format}, record.Public, d, countOf[id]).bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

func (s *Server) getComment(ctx context.Context, b *store.Batch, at place, id string, format api.Format) finish[api.Comment] {
	c := callFrom(ctx)
	p := s.placed(ctx, b, at)
	record, replies := b.Record(store.CommentKey(c.org, id)), b.Field(store.CountsKey(c.org), id)
	return func(ctx context.Context) (Result[api.Comment], error) {
		var none Result[api.Comment]
		head, _, err := p.get()
		if err != nil {
			return none, err
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, missing(err)
		}
		t, err := s.tree(ctx, s.store.Content(at.space), head.Pages)
		if err != nil {
			return none, err
		}
		count, _, _ := replies.Get()
		return s.commentResult(c, at, t, r, count, format)
	}
}

// commentResult answers one comment, if it belongs to the place.
func (s *Server) commentResult(c *call, at place, t *tree, r store.Record, replies string, format api.Format) (Result[api.Comment], error) {
	var d store.CommentDocument
	if err := d.Decode(r); err != nil {
		return Result[api.Comment]{}, err
	}
	if d.Private.Target != at.headID() {
		return Result[api.Comment]{}, api.NotFound()
	}
	var result Result[api.Comment]
	var err error
	c.withShape(func(sh *shape) {
		result, err = stored[api.Comment](s.commentObject(commentView{sh, c, t, at, format}, r.Public, d, replies))
	})
	result.id = d.Fields.ID
	return result.versioned(recordVersion(r)), err
}

// createComment anchors the comment on the head of the moment: when that moves before the commit, it is anchored
// again.
func (s *Server) createComment(ctx context.Context, at place, body api.CommentCreate) (Result[api.Comment], error) {
	if err := checkBody(body.Body); err != nil {
		return Result[api.Comment]{}, err
	}
	c := callFrom(ctx)
	return replanned(func() (Result[api.Comment], error) {
		head, err := s.readHead(ctx, at)
		if err != nil {
			return Result[api.Comment]{}, err
		}
		anchor, t, err := s.anchor(ctx, at, head, body)
		if err != nil {
			return Result[api.Comment]{}, err
		}
		return commit(ctx, s, c.shard(), func(tx *store.Tx) (Result[api.Comment], error) {
			return s.newComment(c, tx, at, t, head, anchor, body)
		})
	})
}

// anchor finds the page and block that a comment is about, and remembers enough of them to find them again.
func (s *Server) anchor(ctx context.Context, at place, head store.Head, body api.CommentCreate) (p store.CommentPrivate, t *tree, err error) {
	c := s.store.Content(at.space)
	if t, err = s.tree(ctx, c, head.Pages); err != nil || body.Page == "" {
		return p, t, err
	}
	target := t.page(body.Page)
	if target == nil {
		return p, t, api.InvalidField("page", "is not a page here")
	}
	p.Page = &store.CommentedPage{ID: target.ID, Title: target.name(), Path: t.path(target.ID), Text: target.Text}
	if body.Node == "" {
		return p, t, nil
	}
	text, err := readText(ctx, c, target.Text, target.Blocks)
	if err != nil {
		return p, t, err
	}
	block, ok := text.Blocks.Find(body.Node)
	if !ok {
		return p, t, api.InvalidField("node", "is not a block of the page")
	}
	p.Node = &store.CommentedBlock{ID: block.ID, Hash: block.Hash, Preview: preview(text.Bytes(block))}
	return p, t, nil
}

// preview is the beginning of a block, in one line.
func preview(block []byte) string {
	line := strings.Join(strings.Fields(string(block)), " ")
	if utf8.RuneCountInString(line) > previewRunes {
		line = string([]rune(line)[:previewRunes-1]) + "…"
	}
	return line
}

func (s *Server) newComment(c *call, tx *store.Tx, at place, t *tree, head store.Head, anchor store.CommentPrivate, body api.CommentCreate) (Result[api.Comment], error) {
	var none Result[api.Comment]
	if err := atHead(tx, c.org, at, head); err != nil {
		return none, err
	}
	if err := placeExists(c, tx, at); err != nil {
		return none, err
	}
	anchor.Revision = head.Revision
	return s.putComment(c, tx, at, t, anchor, body)
}

// putComment writes a comment whose anchor is known, with the revision that it is about.
func (s *Server) putComment(c *call, tx *store.Tx, at place, t *tree, anchor store.CommentPrivate, body api.CommentCreate) (Result[api.Comment], error) {
	var none Result[api.Comment]
	id := tx.NewID(commentPrefix)
	d, err := tx.Comment(c.org, id)
	if err != nil {
		return none, err
	}
	d.Private = anchor
	d.Private.Author, d.Private.Target, d.Private.Space = c.caller.User, at.headID(), at.space
	if at.request != "" {
		request, err := tx.ChangeRequest(c.org, at.headID())
		if err != nil {
			return none, err
		}
		d.Private.Request = request.Fields.ID
	}
	d.Fields = api.CommentFields{
		Object: "comment", ID: id, PostedAt: api.At(tx.Now()), Body: api.CommentText{Markdown: body.Body.Markdown}, Status: api.CommentOpen,
	}
	record, err := tx.PutComment(c.org, d, "")
	if err != nil {
		return none, err
	}
	return s.commentResult(c, at, t, record, "", api.FormatMarkdown)
}

// placeExists makes sure that the place is there when the transaction commits.
func placeExists(c *call, tx *store.Tx, at place) error {
	if at.request == "" {
		space, err := tx.Space(c.org, at.space)
		if err != nil || space.Version == 0 {
			return missing(err)
		}
		return nil
	}
	d, err := tx.ChangeRequest(c.org, at.headID())
	if err != nil || d.Version == 0 || !names(at.request, d) {
		return missing(err)
	}
	return nil
}

// loadComment reads a comment of a place inside a transaction.
func loadComment(c *call, tx *store.Tx, at place, id string) (store.CommentDocument, error) {
	if err := placeExists(c, tx, at); err != nil {
		return store.CommentDocument{}, err
	}
	d, err := tx.Comment(c.org, id)
	if err != nil || d.Version == 0 || d.Private.Target != at.headID() {
		return d, missing(err)
	}
	return d, nil
}

func (s *Server) updateComment(ctx context.Context, at place, id string, body api.CommentUpdate) (Result[api.Comment], error) {
	if body.Body != nil {
		if err := checkBody(*body.Body); err != nil {
			return Result[api.Comment]{}, err
		}
	}
	c := callFrom(ctx)
	head, err := s.readHead(ctx, at)
	if err != nil {
		return Result[api.Comment]{}, err
	}
	t, err := s.tree(ctx, s.store.Content(at.space), head.Pages)
	if err != nil {
		return Result[api.Comment]{}, err
	}
	return commit(ctx, s, c.shard(), func(tx *store.Tx) (Result[api.Comment], error) {
		return s.changeComment(c, tx, at, t, id, body)
	})
}

func (s *Server) changeComment(c *call, tx *store.Tx, at place, t *tree, id string, body api.CommentUpdate) (Result[api.Comment], error) {
	var none Result[api.Comment]
	d, err := loadComment(c, tx, at, id)
	if err != nil {
		return none, err
	}
	replies, _, err := tx.Field(store.CountsKey(c.org), id)
	if err != nil {
		return none, err
	}
	was := d.Fields.Status
	changed := false
	if body.Body != nil && body.Body.Markdown != d.Fields.Body.Markdown {
		if d.Private.Author != c.caller.User {
			return none, notAuthor("comment")
		}
		d.Fields.Body.Markdown, d.Fields.EditedAt, changed = body.Body.Markdown, api.At(tx.Now()), true
	}
	resolved, err := s.resolveComment(c, tx, at, &d, body.Resolved)
	if err != nil {
		return none, err
	}
	reacted, err := react(&d.Private.Reactions, c.caller.User, tx, body.AddedReactions, body.RemovedReactions)
	if err != nil {
		return none, err
	}
	record, _, err := tx.Record(store.CommentKey(c.org, id))
	if changed = changed || resolved || reacted; changed && err == nil {
		record, err = tx.PutComment(c.org, d, was)
	}
	if err != nil {
		return none, err
	}
	r, err := s.commentResult(c, at, t, record, replies, api.FormatMarkdown)
	r.unchanged = !changed
	return r, err
}

func notAuthor(what string) *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Only its author may edit the text of a %s.", what)
}

// resolveComment closes or reopens a thread: its author, the change request's author, and everybody who edits.
func (s *Server) resolveComment(c *call, tx *store.Tx, at place, d *store.CommentDocument, resolved api.Optional[bool]) (changed bool, err error) {
	want, given := resolved.Get()
	if !given || want == (d.Fields.Status == api.CommentResolved) {
		return false, nil
	}
	allowed := d.Private.Author == c.caller.User || c.caller.contentRole.AtLeast(api.RoleEdit)
	if !allowed && at.request != "" {
		request, err := tx.ChangeRequest(c.org, at.headID())
		if err != nil {
			return false, err
		}
		allowed = request.Private.Creator == c.caller.User
	}
	if !allowed {
		return false, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Resolving takes the role edit, or to be an author here.")
	}
	if want {
		d.Fields.Status, d.Fields.ResolvedAt, d.Private.ResolvedBy = api.CommentResolved, api.At(tx.Now()), c.caller.User
	} else {
		d.Fields.Status, d.Fields.ResolvedAt, d.Private.ResolvedBy = api.CommentOpen, api.Time{}, ""
	}
	return true, nil
}

// deleteComment removes a comment with its replies.
func (s *Server) deleteComment(ctx context.Context, tx *store.Tx, at place, id string) (Result[api.None], error) {
	var nothing Result[api.None]
	c := callFrom(ctx)
	d, err := loadComment(c, tx, at, id)
	if err != nil {
		return nothing, err
	}
	if !commentPermissions(c.caller, d.Private.Author).Delete {
		return nothing, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Deleting somebody else's comment takes the role create.")
	}
	if err := s.deleteReplies(ctx, tx, c, id); err != nil {
		return nothing, err
	}
	tx.DeleteComment(c.org, d)
	return none(id), nil
}
