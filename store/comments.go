package store

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// CommentPrivate is what only the server reads of a comment.
type CommentPrivate struct {
	Author     string          `json:"author"`
	Target     string          `json:"target"` // space, or RequestID of the change request
	Space      string          `json:"space"`
	Request    string          `json:"request,omitzero"` // id of the change request
	Revision   string          `json:"revision"`
	Review     string          `json:"review,omitzero"` // that it was posted with
	Page       *CommentedPage  `json:"page,omitzero"`
	Node       *CommentedBlock `json:"node,omitzero"`
	ResolvedBy string          `json:"resolvedBy,omitzero"`
	Reactions  []Reaction      `json:"reactions,omitempty"`
}

// CommentedPage is the page that a comment is about, as it was then.
type CommentedPage struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Path   string `json:"path"`
	Text   string `json:"text,omitzero"`   // hash of the text then
	Blocks string `json:"blocks,omitzero"` // hash of its block table
}

// CommentedBlock is the block that a comment is about, as it was then: enough to find it again in later texts.
type CommentedBlock struct {
	ID      string `json:"id"`
	Preview string `json:"preview"`
	At      int    `json:"at"`              // bytes before the quote in the page's text
	Start   int    `json:"start,omitzero"`  // and in the block
	Quote   string `json:"quote"`           // what is commented on in the block
	Before  string `json:"before,omitzero"` // the text before it
	After   string `json:"after,omitzero"`  // and behind it
}

// Reaction is an emoji of one user, in the order in which they came.
type Reaction struct {
	Emoji string   `json:"emoji"`
	User  string   `json:"user"`
	At    api.Time `json:"at"`
}

// CommentDocument is the document of a comment.
type CommentDocument = Document[api.CommentFields, CommentPrivate]

// ReplyPrivate is what only the server reads of a reply.
type ReplyPrivate struct {
	Author    string     `json:"author"`
	Comment   string     `json:"comment"`
	Reactions []Reaction `json:"reactions,omitempty"`
}

// ReplyDocument is the document of a reply.
type ReplyDocument = Document[api.ReplyFields, ReplyPrivate]

// Comment reads a comment.
func (tx *Tx) Comment(org, id string) (CommentDocument, error) {
	return ReadDocument[api.CommentFields, CommentPrivate](tx, CommentKey(org, id))
}

// PutComment writes a comment with its indexes. was is the state before, "" for a new one.
func (tx *Tx) PutComment(org string, c CommentDocument, was api.CommentStatus) (txn.Record, error) {
	id, target := c.Fields.ID, c.Private.Target
	if err := tx.noteBlocking(org, c, was); err != nil {
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

// BlockingFilter names the index of the open comments of a target that are meant to hold up a merge.
const BlockingFilter = "blocking"

func blocks(c CommentDocument) bool {
	return c.Fields.Status == api.CommentOpen && c.Fields.Weight == api.WeightBlocking
}

// noteBlocking keeps the index of blocking comments.
func (tx *Tx) noteBlocking(org string, c CommentDocument, was api.CommentStatus) error {
	var before CommentDocument
	if was != "" {
		var err error
		if before, err = tx.Comment(org, c.Fields.ID); err != nil {
			return err
		}
	}
	switch index := CommentsKey(org, c.Private.Target, BlockingFilter); {
	case blocks(c) && !blocks(before):
		tx.Add(index, c.Fields.ID)
	case !blocks(c) && blocks(before):
		tx.Remove(index, c.Fields.ID)
	}
	return nil
}

// MoveComment writes a comment that was about something else before.
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

// ThreadsFilter names the index of a space that has the open threads on blocks of all its change requests: once a
// request is merged they are about the space. Its members are told apart by SplitThread.
const ThreadsFilter = "threads"

// threadIndex is the index of open threads, and whether a comment is in it.
func threadIndex(org string, c CommentDocument) (index redis.Key, has bool) {
	p := c.Private
	return CommentsKey(org, p.Space, ThreadsFilter), p.Request != "" && p.Node != nil && c.Fields.Status == api.CommentOpen
}

func threadMember(c CommentDocument) string { return c.Fields.ID + threadSeparator + c.Private.Target }

const threadSeparator = "~"

// SplitThread takes a member of the index of threads apart: the comment, and RequestID of its change request.
func SplitThread(member string) (comment, request string) {
	comment, request, _ = strings.Cut(member, threadSeparator)
	return comment, request
}

// DeleteComment removes a comment. Its replies go with it: without the comment nobody finds them, and the caller
// removes their records.
func (tx *Tx) DeleteComment(org string, c CommentDocument) {
	id := c.Fields.ID
	for _, index := range commentIndexes(org, c) {
		tx.Remove(index, id)
	}
	tx.Remove(CommentsKey(org, c.Private.Target, string(c.Fields.Status)), id)
	if index, has := threadIndex(org, c); has {
		tx.Remove(index, threadMember(c))
	}
	if blocks(c) {
		tx.Remove(CommentsKey(org, c.Private.Target, BlockingFilter), id)
	}
	tx.countComments(org, c)
	tx.DropCounts(org, id)
	tx.Delete(CommentKey(org, id))
}

// commentIndexes are the indexes that a comment stays in whatever its state is.
func commentIndexes(org string, c CommentDocument) []redis.Key {
	target := c.Private.Target
	indexes := []redis.Key{CommentsKey(org, target), CommentsKey(org, target, AuthorFilter(c.Private.Author))}
	if c.Private.Page != nil {
		indexes = append(indexes, CommentsKey(org, target, PageFilter(c.Private.Page.ID)))
	}
	return indexes
}

// AuthorFilter names the index of one author's comments.
func AuthorFilter(user string) string { return "a-" + user }

// PageFilter names the index of the comments on one page.
func PageFilter(page string) string { return "p-" + page }

// countComments notes how many open comments the target has.
func (tx *Tx) countComments(org string, c CommentDocument) {
	if c.Private.Request == "" {
		tx.CountSpace(org, c.Private.Space)
		return
	}
	tx.Counts(c.Private.Target, CommentsKey(org, c.Private.Target, string(api.CommentOpen)))
}

// Reply reads a reply.
func (tx *Tx) Reply(org, id string) (ReplyDocument, error) {
	return ReadDocument[api.ReplyFields, ReplyPrivate](tx, ReplyKey(org, id))
}

// PutReply writes a reply with its index, and notes how many replies the comment has.
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
