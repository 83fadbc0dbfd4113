package fsck_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// TestRunComparesRepliers checks that repliers that differ from the replies are found and repaired, and that a comment without
// repliers, as of an earlier build, is not reported.
func TestRunComparesRepliers(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		var replies []store.ReplyDocument
		for _, id := range []string{"rp_1", "rp_2"} {
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				comment, err := tx.Comment(e.Org, e.Comment)
				if err != nil {
					return err
				}
				d, err := tx.Reply(e.Org, id)
				if err != nil {
					return err
				}
				d.Fields = api.ReplyFields{Object: "comment-reply", ID: id, PostedAt: api.At(time.UnixMilli(int64(len(replies))))}
				d.Private = store.ReplyPrivate{Author: "u_1", Comment: e.Comment}
				replies = append(replies, d)
				_, err = tx.PutNewReply(e.Org, comment, d)
				return err
			})
		}
		put := func(r store.Repliers) {
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				comment, err := tx.Comment(e.Org, e.Comment)
				if err != nil {
					return err
				}
				return tx.PutRepliers(e.Org, comment, r)
			})
		}
		if report := storetest.Fsck(t, s, fsck.Options{}); !report.Clean() {
			t.Errorf("intact: %v", report.Findings)
		}
		for name, damaged := range map[string]store.Repliers{
			"one is missing": store.NewRepliers(replies[:1]),
			"another user":   {{User: "u_2", PostedAt: []api.Time{replies[0].Fields.PostedAt, replies[1].Fields.PostedAt}}},
		} {
			put(damaged)
			if report := storetest.Fsck(t, s, fsck.Options{}); !storetest.HasFinding(report, "its repliers differ from its replies") {
				t.Errorf("%s: %v", name, report.Findings)
			}
			storetest.Fsck(t, s, fsck.Options{Repair: true})
			if report := storetest.Fsck(t, s, fsck.Options{}); !report.Clean() {
				t.Errorf("%s: after the repair: %v", name, report.Findings)
			}
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				comment, err := tx.Comment(e.Org, e.Comment)
				if want := store.NewRepliers(replies); !comment.Private.Repliers.Equal(want) {
					t.Errorf("%s: repaired to %v, want %v", name, comment.Private.Repliers, want)
				}
				return err
			})
		}
		put(nil)
		if report := storetest.Fsck(t, s, fsck.Options{}); !report.Clean() {
			t.Errorf("of an earlier build: %v", report.Findings)
		}
	})
}
