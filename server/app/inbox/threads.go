package inbox

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// thread is an open thread with its author and its last contribution.
type thread struct {
	author     string
	lastID     string // id of the last reply, or of the comment
	lastAuthor string // author of the last contribution
}

// readThreads reads the open threads of the rows: the comments in one round trip, the last replies in another.
func (s *Service) readThreads(ctx context.Context, c *rest.Call, rows []*row) error {
	b := s.Store.NewBatch()
	comments := map[string]*txn.Future[txn.Record]{}
	last := map[string]*txn.Reply[[]string]{}
	for _, r := range rows {
		for _, id := range r.openThreads {
			comments[id] = b.Record(commentKey(c.Org)(id))
			last[id] = b.Range(store.RepliesKey(c.Org, id), "", 1, true)
		}
	}
	if len(comments) == 0 {
		return nil
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read threads: %w", err)
	}
	var replies []string
	for _, ids := range last {
		replies = append(replies, ids.Value()...)
	}
	records, err := rest.ReadRecords(ctx, s.Store, replies, replyKey(c.Org))
	if err != nil {
		return err
	}
	for _, r := range rows {
		for _, id := range r.openThreads {
			t, ok, err := newThread(id, comments[id], last[id].Value(), records)
			if err != nil {
				return err
			}
			if ok {
				r.threads = append(r.threads, t)
			}
		}
	}
	return nil
}

// newThread decodes a thread. ok is false if it was deleted or closed in the meantime.
func newThread(id string, comment *txn.Future[txn.Record], last []string, replies map[string]txn.Record) (t thread, ok bool, err error) {
	record, ok, err := comment.Get()
	if err != nil || !ok {
		return t, false, err
	}
	var d store.CommentDocument
	if err := d.Decode(record); err != nil {
		return t, false, err
	}
	t = thread{author: d.Private.Author, lastID: id, lastAuthor: d.Private.Author}
	for _, reply := range last {
		if r, exists := replies[reply]; exists {
			var d store.ReplyDocument
			if err := d.Decode(r); err != nil {
				return t, false, err
			}
			t.lastID, t.lastAuthor = reply, d.Private.Author
		}
	}
	return t, d.Fields.Status == api.CommentOpen, nil
}

// awaitsResponse reports whether the thread requires a response from the caller of a row: the caller wrote the change request
// or began the thread, and another user replied last.
func (t thread) awaitsResponse(r *row) bool {
	me := r.caller.User
	return t.lastAuthor != me && (t.author == me || r.isOwn())
}

// countWaiting counts the threads that require a response from the caller.
func (r *row) countWaiting() (n int) {
	for _, t := range r.threads {
		if t.awaitsResponse(r) {
			n++
		}
	}
	return n
}

// repliesSince counts the threads whose last contribution is from another user and newer than the review. The part of an id
// after its prefix orders ids of all kinds by creation.
func (r *row) repliesSince(review string) (n int) {
	for _, t := range r.threads {
		if t.lastAuthor != r.caller.User && creationTime(t.lastID) > creationTime(review) {
			n++
		}
	}
	return n
}

func creationTime(id string) string { return id[strings.LastIndexByte(id, '_')+1:] }
