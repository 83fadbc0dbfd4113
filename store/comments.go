package store

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// CommentPrivate is the server-side part of a comment.
type CommentPrivate struct {
	Author     string          `json:"author"`
	Target     string          `json:"target"` // space, or RequestID of the change request
	Space      string          `json:"space"`
	Request    string          `json:"request,omitzero"` // id of the change request
	Revision   string          `json:"revision"`
	Review     string          `json:"review,omitzero"` // review that it was posted with
	Page       *CommentedPage  `json:"page,omitzero"`
	Node       *CommentedBlock `json:"node,omitzero"`
	ResolvedBy string          `json:"resolvedBy,omitzero"`
	Reactions  []Reaction      `json:"reactions,omitempty"`
	Repliers   Repliers        `json:"repliers,omitempty"`
}

// CommentedPage is the page of a comment at the time of the comment.
type CommentedPage struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Path   string `json:"path"`
	Text   string `json:"text,omitzero"`   // hash of the text
	Blocks string `json:"blocks,omitzero"` // hash of its block table
}

// CommentedBlock is the block of a comment at the time of the comment: enough to find the block in later texts.
type CommentedBlock struct {
	ID      string `json:"id"`
	Preview string `json:"preview"`
	At      int    `json:"at"`              // offset of the quote in the page's text, in bytes
	Start   int    `json:"start,omitzero"`  // offset in the block
	Quote   string `json:"quote"`           // commented text of the block
	Before  string `json:"before,omitzero"` // the text before the quote
	After   string `json:"after,omitzero"`  // the text after the quote
}

// Reaction is an emoji of one user. Reactions are in chronological order.
type Reaction struct {
	Emoji   string   `json:"emoji"`
	User    string   `json:"user"`
	AddedAt api.Time `json:"at"`
}

// CommentDocument is the document of a comment.
type CommentDocument = Document[api.CommentFields, CommentPrivate]

// ReplyPrivate is the server-side part of a reply.
type ReplyPrivate struct {
	Author    string     `json:"author"`
	Comment   string     `json:"comment"`
	Reactions []Reaction `json:"reactions,omitempty"`
}

// ReplyDocument is the document of a reply.
type ReplyDocument = Document[api.ReplyFields, ReplyPrivate]

// Comment reads a comment by its id; a missing one has Version 0.
func (tx *Tx) Comment(org, id string) (CommentDocument, error) {
	return ReadDocument[api.CommentFields, CommentPrivate](tx, CommentKey(org, id))
}

// PutComment writes a comment with its indexes. was is the previous status, "" for a new one.
func (tx *Tx) PutComment(org string, c CommentDocument, was api.CommentStatus) (txn.Record, error) {
	id, target := c.Fields.ID, c.Private.Target
	if err := tx.updateBlocking(org, c, was); err != nil {
		return txn.Record{}, err
	}
	if was == "" {
		for _, index := range commentIndexes(org, c) {
			tx.Add(index, id)
		}
	}
	if was != c.Fields.Status {
		if was != "" {
			tx.Remove(CommentsKey(org, target, string(was)), id)
		}
		tx.Add(CommentsKey(org, target, string(c.Fields.Status)), id)
		tx.countComments(org, c)
		if index, has := threadIndex(org, c); has {
			tx.Add(index, threadMember(c))
		} else if was != "" && c.Private.Request != "" {
			tx.Remove(index, threadMember(c))
		}
	}
	return PutDocument(tx, CommentKey(org, id), c)
}

// BlockingFilter is the filter of a target's open comments that block a merge.
const BlockingFilter = "blocking"

func isBlocking(c CommentDocument) bool {
	return c.Fields.Status == api.CommentOpen && c.Fields.Weight == api.WeightBlocking
}

// updateBlocking updates the index of blocking comments.
func (tx *Tx) updateBlocking(org string, c CommentDocument, was api.CommentStatus) error {
	var before CommentDocument
	if was != "" {
		var err error
		if before, err = tx.Comment(org, c.Fields.ID); err != nil {
			return err
		}
	}
	switch index := CommentsKey(org, c.Private.Target, BlockingFilter); {
	case isBlocking(c) && !isBlocking(before):
		tx.Add(index, c.Fields.ID)
	case !isBlocking(c) && isBlocking(before):
		tx.Remove(index, c.Fields.ID)
	}
	return nil
}

// MoveComment writes a comment whose target has changed; was is the previous document.
func (tx *Tx) MoveComment(org string, c, was CommentDocument) (txn.Record, error) {
	now := commentIndexes(org, c)
	for _, index := range commentIndexes(org, was) {
		if !slices.Contains(now, index) {
			tx.Remove(index, c.Fields.ID)
		}
	}
	for _, index := range now {
		tx.Add(index, c.Fields.ID)
	}
	if index, had := threadIndex(org, was); had {
		tx.Remove(index, threadMember(was))
	}
	if index, has := threadIndex(org, c); has {
		tx.Add(index, threadMember(c))
	}
	return PutDocument(tx, CommentKey(org, c.Fields.ID), c)
}

// ThreadsFilter is the filter of a space's index of the open threads on blocks of all its change requests: after a
// merge they belong to the space. Its members are parsed by SplitThread.
const ThreadsFilter = "threads"

// threadIndex returns the index of open threads and whether it contains a comment.
func threadIndex(org string, c CommentDocument) (index redis.Key, has bool) {
	p := c.Private
	return CommentsKey(org, p.Space, ThreadsFilter), p.Request != "" && p.Node != nil && c.Fields.Status == api.CommentOpen
}

func threadMember(c CommentDocument) string { return c.Fields.ID + threadSeparator + c.Private.Target }

const threadSeparator = "~"

// SplitThread parses a member of the index of threads: the comment and the RequestID of its change request.
func SplitThread(member string) (comment, request string) {
	comment, request, _ = strings.Cut(member, threadSeparator)
	return comment, request
}

// DeleteComment removes a comment. The caller removes the records of its replies.
func (tx *Tx) DeleteComment(org string, c CommentDocument) {
	id := c.Fields.ID
	for _, index := range commentIndexes(org, c) {
		tx.Remove(index, id)
	}
	tx.Remove(CommentsKey(org, c.Private.Target, string(c.Fields.Status)), id)
	if index, has := threadIndex(org, c); has {
		tx.Remove(index, threadMember(c))
	}
	if isBlocking(c) {
		tx.Remove(CommentsKey(org, c.Private.Target, BlockingFilter), id)
	}
	tx.countComments(org, c)
	tx.DropCounts(org, id)
	tx.Delete(CommentKey(org, id))
}

// commentIndexes returns the indexes of a comment that do not depend on its status.
func commentIndexes(org string, c CommentDocument) []redis.Key {
	target := c.Private.Target
	indexes := []redis.Key{CommentsKey(org, target), CommentsKey(org, target, AuthorFilter(c.Private.Author))}
	if c.Private.Page != nil {
		indexes = append(indexes, CommentsKey(org, target, PageFilter(c.Private.Page.ID)))
	}
	return indexes
}

// AuthorFilter returns the filter of one author's comments.
func AuthorFilter(user string) string { return "a-" + user }

// PageFilter returns the filter of the comments on one page.
func PageFilter(page string) string { return "p-" + page }

// countComments updates the number of open comments of the target.
func (tx *Tx) countComments(org string, c CommentDocument) {
	if c.Private.Request == "" {
		tx.CountSpace(org, c.Private.Space)
		return
	}
	tx.Counts(c.Private.Target, CommentsKey(org, c.Private.Target, string(api.CommentOpen)))
}

// Reply reads a reply by its id; a missing one has Version 0.
func (tx *Tx) Reply(org, id string) (ReplyDocument, error) {
	return ReadDocument[api.ReplyFields, ReplyPrivate](tx, ReplyKey(org, id))
}

// PutReply writes a reply with its index and updates the comment's number of replies.
func (tx *Tx) PutReply(org string, r ReplyDocument) (txn.Record, error) {
	if r.Version == 0 {
		tx.Add(RepliesKey(org, r.Private.Comment), r.Fields.ID)
		tx.Counts(r.Private.Comment, RepliesKey(org, r.Private.Comment))
	}
	return PutDocument(tx, ReplyKey(org, r.Fields.ID), r)
}

// DeleteReply removes a reply.
func (tx *Tx) DeleteReply(org string, r ReplyDocument) {
	tx.Delete(ReplyKey(org, r.Fields.ID))
	tx.Remove(RepliesKey(org, r.Private.Comment), r.Fields.ID)
	tx.Counts(r.Private.Comment, RepliesKey(org, r.Private.Comment))
}
