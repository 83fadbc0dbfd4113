package comments

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Draft is a new comment with its anchor and the revision that it refers to.
type Draft struct {
	Anchor     store.CommentPrivate
	Body       api.CommentCreate
	Suggestion *api.Suggestion // nil if there is none
}

// maxReplacedBytes bounds the text that a suggestion replaces.
const maxReplacedBytes = 64 << 10

// NewSuggestion returns the suggestion of a new comment with the text that it replaces in the tree, or nil if it has
// none. Only comments on change requests may have one.
func (s *Service) NewSuggestion(ctx context.Context, target revision.Target, t *revision.Tree, anchor store.CommentPrivate,
	body api.CommentCreate,
) (*api.Suggestion, error) {
	if body.Suggestion == nil {
		return nil, nil //nolint:nilnil // absent
	}
	if target.ChangeRequest == "" {
		return nil, api.InvalidField("suggestion", "goes with a comment on a change request, where it can be applied")
	}
	if err := checkText("suggestion.markdown", body.Suggestion.Markdown); err != nil {
		return nil, err
	}
	suggestion := &api.Suggestion{Markdown: body.Suggestion.Markdown, Original: anchor.Node.Quote}
	if body.Quote == "" { // the suggestion replaces the whole block, but the anchor contains only its beginning
		p := t.Page(anchor.Page.ID)
		text, err := revision.ReadText(ctx, s.Store.Content(target.Space), p.Text, p.Blocks)
		if err != nil {
			return nil, err
		}
		block, _ := text.Blocks.Find(anchor.Node.ID)
		suggestion.Original = string(content.TrimEnd(text.Bytes(block)[anchor.Node.Start:]))
	}
	switch {
	case len(suggestion.Original) > maxReplacedBytes:
		return nil, api.InvalidField("node", "has %d bytes; a suggestion replaces at most %d: quote a part of it", len(suggestion.Original),
			maxReplacedBytes)
	case suggestion.Original == suggestion.Markdown:
		return nil, api.InvalidField("suggestion.markdown", "equals the text that it replaces")
	}
	return suggestion, nil
}

// PutComment writes a comment with a generated id and returns it as a result, with its text as Markdown.
func (s *Service) PutComment(ctx context.Context, c *rest.Call, tx *store.Tx, target revision.Target, now Content,
	draft Draft,
) (none rest.Result[api.Comment], err error) {
	_, record, err := s.AddComment(c, tx, target, tx.NewID(commentPrefix), draft)
	if err != nil {
		return none, err
	}
	return s.commentResult(ctx, c, target, now, storedComment{record: record}, api.FormatMarkdown)
}

// NewIDs returns ids for comments and replies to be written by AddComment and AddReply, and prefetches their keys in
// one round trip.
func NewIDs(c *rest.Call, tx *store.Tx, isReply []bool) ([]string, error) {
	ids, keys := make([]string, len(isReply)), make([]redis.Key, len(isReply))
	for i, reply := range isReply {
		if ids[i] = tx.NewID(commentPrefix); reply {
			ids[i] = tx.NewID(replyPrefix)
			keys[i] = store.ReplyKey(c.Org, ids[i])
			continue
		}
		keys[i] = store.CommentKey(c.Org, ids[i])
	}
	return ids, tx.Prefetch(keys...)
}

// AddComment writes a comment with a new id.
func (s *Service) AddComment(c *rest.Call, tx *store.Tx, target revision.Target, id string, draft Draft) (d store.CommentDocument,
	r txn.Record, err error,
) {
	if d, err = tx.Comment(c.Org, id); err != nil {
		return d, r, err
	}
	body := draft.Body
	d.Private = draft.Anchor
	d.Private.Author, d.Private.Target, d.Private.Space = c.Caller.User, target.HeadID(), target.Space
	if target.ChangeRequest != "" {
		request, err := tx.ChangeRequest(c.Org, target.HeadID())
		if err != nil {
			return d, r, err
		}
		d.Private.Request = request.Fields.ID
	}
	d.Fields = api.CommentFields{
		Object: "comment", ID: id, PostedAt: api.At(tx.Now()), Body: api.CommentText{
			Markdown: bodyMarkdown(body.Body),
		}, Weight: body.Weight,
		Status: api.CommentOpen, Suggestion: draft.Suggestion,
	}
	if d.Private.ResolvedBy != "" { // resolved from the start
		d.Fields.Status, d.Fields.ResolvedAt = api.CommentResolved, d.Fields.PostedAt
	}
	notePage(c, d)
	r, err = tx.PutComment(c.Org, d, "")
	return d, r, err
}

// ReplyDraft is a reply that is to be written.
type ReplyDraft struct {
	ID      string // new id
	Comment string // id of the comment
	Body    api.CommentBody
	Before  int // number of replies to the same comment that the transaction has already written
}

// AddReply writes a reply and returns its record. It returns an error if the comment does not exist or has maxReplies replies.
func (s *Service) AddReply(
	ctx context.Context, c *rest.Call, tx *store.Tx, target revision.Target, draft ReplyDraft,
) (r txn.Record, err error) {
	comment, err := loadComment(c, tx, target, draft.Comment)
	if err != nil {
		return r, err
	}
	// The count is in the read set: a reply added while its comment is deleted is rejected or deleted with it.
	count, err := tx.Cardinality(store.RepliesKey(c.Org, draft.Comment))
	if err != nil {
		return r, err
	}
	if count += int64(draft.Before); count >= maxReplies {
		return r, api.WrongState("The comment has %d replies; it takes no more than %d.", count, maxReplies)
	}
	if err := s.loadRepliers(ctx, c, tx, &comment, int(count)); err != nil {
		return r, err
	}
	d, err := tx.Reply(c.Org, draft.ID)
	if err != nil {
		return r, err
	}
	d.Fields = api.ReplyFields{
		Object: "comment-reply", ID: draft.ID, PostedAt: api.At(tx.Now()), Body: api.CommentText{Markdown: bodyMarkdown(draft.Body)},
	}
	d.Private = store.ReplyPrivate{Author: c.Caller.User, Comment: draft.Comment}
	return tx.PutNewReply(c.Org, comment, d)
}
