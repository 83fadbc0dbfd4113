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
			in.add(store.CommentKey(want.org, id).Name(), "", "its repliers differ from its replies",
				in.repliersRepair(want.org, id, has, repliers))
		}
	}
	return nil
}

// repliersRepair returns a repair that replaces the repliers of a comment, unless they have changed since.
func (in *pass) repliersRepair(org, comment string, was, repliers store.Repliers) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.Comment(org, comment)
			if err != nil || d.Version == 0 || !d.Private.Repliers.Equal(was) {
				return err
			}
			return tx.PutRepliers(org, d, repliers)
		})
	}
}
