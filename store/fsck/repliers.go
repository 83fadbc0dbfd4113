package fsck

import (
	"context"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// noteReplies records the repliers of a comment, and replies.
func (w *expectation) noteReplies(kind, id string, record txn.Record) error {
	switch kind {
	case "cm":
		var d store.CommentDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		if len(d.Private.Repliers) > 0 {
			w.repliers[id] = d.Private.Repliers
		}
	case "rp":
		var d store.ReplyDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		w.replies[d.Private.Comment] = append(w.replies[d.Private.Comment], d)
	}
	return nil
}

// checkRepliers compares the repliers of comments with the replies. Comments without repliers may be of earlier builds.
func (in *pass) checkRepliers(_ context.Context, want *expectation) error {
	for id, has := range want.repliers {
		if repliers := store.NewRepliers(want.replies[id]); !has.Equal(repliers) {
			key := store.CommentKey(want.org, id)
			in.add(key.Name(), "", "its repliers differ from its replies", func(ctx context.Context) error {
				return in.store.Update(ctx, store.Organization(want.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
					d, err := tx.Comment(want.org, id)
					if err != nil || !d.Private.Repliers.Equal(has) {
						return err // changed since
					}
					return tx.PutRepliers(want.org, d, repliers)
				})
			})
		}
	}
	return nil
}
