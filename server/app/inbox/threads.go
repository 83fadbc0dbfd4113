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

// thread is an open thread: who began it, and who has the last word.
type thread struct {
	author string
	last   string // id of the last reply, or of the comment
	by     string // who wrote it
}

// readThreads reads the open threads of rows: the comments in one trip, the last replies in another.
func (s *Service) readThreads(ctx context.Context, c *rest.Call, rows []*row) error {
	b := s.Store.Pipeline()
	comments := map[string]*txn.Future[txn.Record]{}
	last := map[string]*txn.Reply[[]string]{}
	for _, r := range rows {
		for _, id := range r.open {
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
		for _, id := range r.open {
			t, ok, err := threadOf(id, comments[id], last[id].Value(), records)
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

// threadOf puts a thread together; ok is false where it is gone or closed since.
func threadOf(id string, comment *txn.Future[txn.Record], last []string, replies map[string]txn.Record) (t thread, ok bool, err error) {
	record, ok, err := comment.Get()
	if err != nil || !ok {
		return t, false, err
	}
	var d store.CommentDocument
	if err := d.Decode(record); err != nil {
		return t, false, err
	}
	t = thread{author: d.Private.Author, last: id, by: d.Private.Author}
	for _, reply := range last {
		if r, there := replies[reply]; there {
			var d store.ReplyDocument
			if err := d.Decode(r); err != nil {
				return t, false, err
			}
			t.last, t.by = reply, d.Private.Author
		}
	}
	return t, d.Fields.Status == api.CommentOpen, nil
}

// waits reports whether the thread waits for the caller of a row: it is on what is theirs or was begun by them, and the
// last word is another's.
func (t thread) waits(r *row) bool {
	me := r.caller.User
	return t.by != me && (t.author == me || r.own())
}

// waiting counts the threads that wait for the caller.
func (r *row) waiting() (n int) {
	for _, t := range r.threads {
		if t.waits(r) {
			n++
		}
	}
	return n
}

// repliesSince counts the last words of others that came after a review. Ids of all kinds tell when they were made by what
// is behind their prefix.
func (r *row) repliesSince(review string) (n int) {
	for _, t := range r.threads {
		if t.by != r.caller.User && moment(t.last) > moment(review) {
			n++
		}
	}
	return n
}

func moment(id string) string { return id[strings.LastIndexByte(id, '_')+1:] }
