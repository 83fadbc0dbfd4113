package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestDueJobsAreCounted checks that the jobs that are due are counted by kind, with the age of the oldest, and that jobs that are due
// later or leased are not.
func TestDueJobsAreCounted(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		check := func(what string, want map[string]store.DueJobs) {
			t.Helper()
			got, err := s.Jobs.CountDue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		check("without jobs", map[string]store.DueJobs{})
		schedule(t, s, "fetch:a", 0)
		advance(30 * time.Second)
		schedule(t, s, "fetch:b", 0)
		schedule(t, s, "index:a", 0)
		schedule(t, s, "purge:a", time.Hour)
		storetest.Update(t, s, "o_2", func(tx *store.Tx) error {
			tx.Schedule("o_2", "index:b", 0)
			return nil
		})
		advance(10 * time.Second)
		check("due jobs", map[string]store.DueJobs{"fetch": {Count: 2, Age: 40 * time.Second}, "index": {Count: 2, Age: 10 * time.Second}})
		lease(t, s) // of o_1
		check("leased jobs", map[string]store.DueJobs{"index": {Count: 1, Age: 10 * time.Second}})
	})
}
