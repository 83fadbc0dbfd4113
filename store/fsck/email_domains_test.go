package fsck_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// TestRunRepairsEmailDomains checks that leftovers of a removed domain and domains without a scheduled DNS check are reported
// and repaired, and that domains stored by an earlier build are not reported.
func TestRunRepairsEmailDomains(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			o, err := tx.Organization(e.Org)
			if err != nil {
				return err
			}
			o.Fields.EmailDomains = []string{"asked.example", "unasked.example", "early.example"}
			if _, err = tx.PutOrganization(o); err != nil {
				return err
			}
			return tx.UpdateEmailDomains(e.Org, "", nil, []string{"asked.example", "unasked.example", "gone.example"})
		})
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			tx.Unschedule(e.Org, store.EmailDomainJob("unasked.example"))
			return nil
		})
		report := storetest.Fsck(t, s, fsck.Options{Repair: true})
		if len(report.Findings) != 2 || !report.Clean() || !storetest.HasFinding(report, "is no domain of the organization") ||
			!storetest.HasFinding(report, "nobody asks DNS for it") {
			t.Errorf("found %v", report.Findings)
		}
		if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Errorf("after the repair: %v", report.Findings)
		}
	})
}
