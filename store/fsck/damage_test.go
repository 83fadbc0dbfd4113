package fsck_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestRunAcceptsHistoryWithLostRevision checks that a revision with a placeholder may be part of the history of a head: it is
// no finding, and a sweep keeps older revisions. The current content of a head must not contain placeholders.
func TestRunAcceptsHistoryWithLostRevision(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		heads, err := s.LoadHeads(t.Context(), e.Org, e.Space)
		if err != nil {
			t.Fatal(err)
		}
		first := heads[e.Space]
		content := s.Content(e.Space)
		text := content.Stage(objects.NewBlob([]byte("later text")))
		pages := content.BuildMap(map[string]objects.Entry{"p_1": {Value: []byte(`{}`), Refs: []string{text}}})
		lost := content.Stage(objects.NewNode([]string{first.Revision}, []byte("second")))
		head := content.Stage(objects.NewNode([]string{lost, pages}, []byte("third")))
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			tx.Objects(e.Space, content.Staged()...)
			tx.SetHead(e.Org, e.Space, store.Head{Revision: head, Pages: pages, MovedAt: time.UnixMilli(2)})
			return nil
		})
		if err := s.Deliver(t.Context(), e.Org, nil); err != nil {
			t.Fatal(err)
		}
		giveUp := func(hash string, refs ...string) {
			t.Helper()
			s.Client.HDel(ctx(), objectName(s.Prefix, e.Space, hash), hash)
			s.ForgetContent(e.Space)
			if err := s.ReplaceLost(t.Context(), e.Space, map[string]objects.Placeholder{hash: {Refs: refs}}); err != nil {
				t.Fatal(err)
			}
		}
		giveUp(lost, first.Revision)
		if report := storetest.Fsck(t, s, fsck.Options{GC: true}); !report.Clean() || report.Removed != 1 || len(report.Unreadable) > 0 {
			t.Errorf("lost revision: removed %d, %v, %v", report.Removed, report.Findings, report.Unreadable)
		}
		if _, err := s.Objects(t.Context(), e.Space, []string{first.Revision, e.Text.Hash}); err != nil {
			t.Errorf("older than the lost revision: %v", err)
		}
		giveUp(text)
		if report := storetest.Fsck(t, s, fsck.Options{}); !storetest.HasFinding(report, "was given up") || len(report.Unreadable) != 1 {
			t.Errorf("lost text of the head: %v, %v", report.Findings, report.Unreadable)
		}
	})
}
