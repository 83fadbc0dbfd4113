package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// openWithClock opens a store with a clock that the test advances.
func openWithClock(t *testing.T, engine storetest.Engine) (s *store.Store, advance func(time.Duration)) {
	t.Helper()
	now := time.UnixMilli(1_700_000_000_000)
	s = engine.Open(t, func(c *store.Config) { c.Clock = func() time.Time { return now } })
	return s, func(d time.Duration) { now = now.Add(d) }
}

// eachWithClock runs a test on every engine with its own clock.
func eachWithClock(t *testing.T, test func(t *testing.T, s *store.Store, advance func(time.Duration))) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		s, advance := openWithClock(t, engine)
		test(t, s, advance)
	})
}

// schedule makes a job due after a delay.
func schedule(t *testing.T, s *store.Store, job string, after time.Duration) {
	t.Helper()
	storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
		tx.Schedule("o_1", job, after)
		return nil
	})
}

// leaseRequests returns a request for up to ten jobs of each kind used in these tests.
func leaseRequests() (all []store.LeaseRequest) {
	for _, kind := range []string{"purge", "fetch", "index"} {
		all = append(all, store.LeaseRequest{Kind: kind, Limit: 10})
	}
	return all
}

// lease leases the due jobs for a minute.
func lease(t *testing.T, s *store.Store) []store.Lease {
	t.Helper()
	due, err := s.Jobs.Lease(t.Context(), "o_1", leaseRequests(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return due.Leases
}

// finish completes a job and writes its effect, an event, in one transaction.
func finish(t *testing.T, s *store.Store, job store.Lease) error {
	t.Helper()
	return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Event(map[string]string{"type": "done"})
		return job.Finish(tx.Tx)
	})
}

func TestExpiredLeaseIsLeasedAgain(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		schedule(t, s, "purge:s_1", time.Hour)
		if early := lease(t, s); len(early) != 0 {
			t.Errorf("leased %v before the time", early)
		}
		advance(time.Hour)
		first := lease(t, s)
		if len(first) != 1 || first[0].Kind != "purge" || first[0].Arg != "s_1" || first[0].Attempt != 1 {
			t.Fatalf("leased %v", first)
		}
		if again := lease(t, s); len(again) != 0 {
			t.Errorf("leased %v while it is leased", again)
		}
		advance(50 * time.Second)
		if err := s.Jobs.Renew(t.Context(), first[0], time.Minute); err != nil {
			t.Error(err)
		}
		advance(50 * time.Second)
		if again := lease(t, s); len(again) != 0 {
			t.Errorf("leased %v although it was renewed", again)
		}
		advance(11 * time.Second)
		second := lease(t, s)
		if len(second) != 1 || second[0].Attempt != 2 {
			t.Fatalf("leased %v after the lease was over", second)
		}
		storetest.WantError(t, finish(t, s, first[0]), txn.ErrLeaseLost)
		storetest.WantError(t, s.Jobs.Renew(t.Context(), first[0], time.Minute), txn.ErrLeaseLost)
		if err := finish(t, s, second[0]); err != nil {
			t.Error(err)
		}
		storetest.WantError(t, finish(t, s, second[0]), txn.ErrLeaseLost)
		if n := storetest.StreamLength(t, s, "{o_1}:events"); n != 1 {
			t.Errorf("%d effects", n)
		}
		advance(time.Hour)
		if left := lease(t, s); len(left) != 0 {
			t.Errorf("%v is left", left)
		}
	})
}

// TestLostLeasesAreCounted checks that leases count those before that ended without being released, whichever script
// leases the job, and that leases of earlier builds are not counted.
func TestLostLeasesAreCounted(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		one := func() store.Lease {
			t.Helper()
			lease, ok, err := s.Jobs.LeaseOne(t.Context(), "o_1", "fetch", "x", time.Minute)
			if err != nil || !ok {
				t.Fatalf("leased %v, %v", ok, err)
			}
			return lease
		}
		want := func(what string, got store.Lease, attempt, lost int) {
			t.Helper()
			if got.Attempt != attempt || got.Lost != lost {
				t.Errorf("%s: attempt %d, lost %d, want %d and %d", what, got.Attempt, got.Lost, attempt, lost)
			}
		}
		postpone := func(job store.Lease) {
			t.Helper()
			if err := s.Jobs.Postpone(t.Context(), job, 0); err != nil {
				t.Fatal(err)
			}
		}
		schedule(t, s, "fetch:x", 0)
		first := one()
		want("the first lease", first, 1, 0)
		postpone(first)
		storetest.WantError(t, s.Jobs.Renew(t.Context(), first, time.Minute), txn.ErrLeaseLost)
		want("after a released lease", one(), 2, 0)
		advance(2 * time.Minute)
		want("after a lost lease", lease(t, s)[0], 3, 1)
		advance(2 * time.Minute)
		third := one()
		want("after two lost leases", third, 4, 2)
		postpone(third)
		want("after two lost leases and a released one", lease(t, s)[0], 5, 2)
		err := s.Client.HSet(t.Context(), s.Name(txn.LeasesKey("o_1")), "fetch:x", "6 someone").Err()
		if err != nil {
			t.Fatal(err)
		}
		advance(2 * time.Minute)
		want("after a lease of an earlier build", one(), 7, 0)
	})
}

// TestPausedWorkerCommitsNothing checks that a worker that is paused before its commit for longer than its lease commits
// nothing, neither while another worker has the job nor after it was completed.
func TestPausedWorkerCommitsNothing(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
			schedule(t, s, "fetch:x", 0)
			paused, times := lease(t, s)[0], 0
			err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				tx.Event(map[string]string{"type": "done"})
				err := paused.Finish(tx.Tx)
				if times++; times > 1 { // this function runs again because its commit was refused
					return err
				}
				advance(2 * time.Minute)
				other := lease(t, s)[0]
				if done {
					err = errors.Join(err, finish(t, s, other))
				}
				return err
			})
			storetest.WantError(t, err, txn.ErrLeaseLost)
			effects := 0
			if done {
				effects = 1
			}
			if n := storetest.StreamLength(t, s, "{o_1}:events"); n != effects || times != 2 {
				t.Errorf("%d effects, %d looks", n, times)
			}
		})
	}
}

// TestScheduleFencesRunningWorker checks that a job that is scheduled again or removed while a worker runs it is not completed
// by that worker.
func TestScheduleFencesRunningWorker(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		schedule(t, s, "index:s_1", 0)
		stale := lease(t, s)[0]
		schedule(t, s, "index:s_1", time.Second)
		storetest.WantError(t, finish(t, s, stale), txn.ErrLeaseLost)
		advance(time.Second)
		stale = lease(t, s)[0]
		if stale.Attempt != 1 {
			t.Errorf("attempt %d of a new job", stale.Attempt)
		}
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			tx.Unschedule("o_1", "index:s_1")
			return nil
		})
		storetest.WantError(t, finish(t, s, stale), txn.ErrLeaseLost)
	})
}

func TestPostponedJobKeepsAttempts(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		schedule(t, s, "fetch:x", 0)
		if err := s.Jobs.Postpone(t.Context(), lease(t, s)[0], 2*time.Second); err != nil {
			t.Fatal(err)
		}
		if early := lease(t, s); len(early) != 0 {
			t.Errorf("leased %v", early)
		}
		advance(2 * time.Second)
		if later := lease(t, s); len(later) != 1 || later[0].Attempt != 2 {
			t.Errorf("leased %v", later)
		}
	})
}

// TestJobRegistryTracksDueOrganizations checks that the registry contains an organization before the commit and drops it only
// when no commit can be in progress.
func TestJobRegistryTracksDueOrganizations(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		named := func() []string {
			t.Helper()
			found, err := s.Jobs.DueOrganizations(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, org := range found {
				ids = append(ids, org.ID)
				due, err := s.Jobs.Lease(t.Context(), org.ID, leaseRequests(), time.Minute)
				if err = errors.Join(err, s.Jobs.SetNextDue(t.Context(), org, due.Next)); err != nil {
					t.Fatal(err)
				}
			}
			return ids
		}
		check := func(when string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, named()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		check("at first")
		schedule(t, s, "purge:s_1", 24*time.Hour)
		check("scheduled", "o_1")
		advance(59 * time.Second)
		check("within the time of a commit", "o_1")
		advance(time.Second)
		check("for the last time", "o_1")
		check("settled")
		advance(24*time.Hour - time.Minute)
		check("due", "o_1")
		advance(time.Minute)
		seen, err := s.Jobs.DueOrganizations(t.Context())
		if err != nil || len(seen) != 1 {
			t.Fatalf("%v %v", seen, err)
		}
		schedule(t, s, "purge:s_2", time.Second) // concurrently
		if err := s.Jobs.SetNextDue(t.Context(), seen[0], time.Time{}); err != nil {
			t.Fatal(err)
		}
		check("scheduled between the look and the note", "o_1")
	})
}

// TestRegisterAgainRestoresLostRegistrations checks that registrations lost in a failover are restored: missing organizations,
// and times too late for a newer job. Valid registrations are unchanged.
func TestRegisterAgainRestoresLostRegistrations(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		again := func(when string, missing, due int) {
			t.Helper()
			n, err := s.Jobs.RestoreRegistrations(t.Context(), []string{"o_1", "o_2"})
			found, failed := s.Jobs.DueOrganizations(t.Context())
			if err = errors.Join(err, failed); err != nil || n != missing || len(found) != due {
				t.Errorf("%s: %d were missing, %d are looked at: %v", when, n, len(found), err)
			}
		}
		registry := s.Name(txn.DueRegistryKey("o_1"))
		score := func(at time.Time) {
			t.Helper()
			if err := s.Client.ZAdd(t.Context(), registry, goredis.Z{Score: float64(at.UnixMilli()), Member: "o_1"}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		again("no jobs", 0, 0)
		schedule(t, s, "purge:s_1", time.Hour)
		start := s.Now()
		score(start.Add(time.Hour))
		again("in time", 0, 0)
		schedule(t, s, "fetch:s_1", time.Minute)
		score(start.Add(time.Hour)) // the previous time
		again("too late", 1, 1)
		again("as before the loss", 0, 1)
		if err := s.Client.ZRem(t.Context(), registry, "o_1").Err(); err != nil {
			t.Fatal(err)
		}
		again("absent", 1, 1)
		advance(2 * time.Minute)
		score(start.Add(90 * time.Second))
		again("overdue, and looked at now", 0, 1)
	})
}

// TestAdvanceJobsLowersImpossibleDueTimes checks that jobs that are due later than the longest delay of their kind, as after the
// clock of Redis was set back, become due after the length of a lease, and that no other due time changes.
func TestAdvanceJobsLowersImpossibleDueTimes(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		longest := map[string]time.Duration{"fetch": time.Hour, "index": 24 * time.Hour, "purge": 0}
		late := func(when string, want int) {
			t.Helper()
			if n, err := s.Jobs.AdvanceJobs(t.Context(), []string{"o_1", "o_2"}, longest, time.Minute); err != nil || n != want {
				t.Errorf("%s: %d were late: %v, want %d", when, n, err, want)
			}
		}
		late("no jobs", 0)
		for job, after := range map[string]time.Duration{
			"fetch:kept": time.Hour, "fetch:late": time.Hour + time.Second, "index:kept": 24 * time.Hour, "index:late": 720 * time.Hour,
			"purge:kept": 720 * time.Hour, "unknown:kept": 720 * time.Hour,
		} {
			schedule(t, s, job, after)
		}
		start := s.Now()
		late("at first", 2)
		late("again", 0)
		if found := lease(t, s); len(found) != 0 {
			t.Errorf("leased %v before the length of a lease has passed", found)
		}
		due := map[string]time.Duration{}
		for _, job := range s.Client.ZRangeWithScores(t.Context(), s.Name(txn.DueKey("o_1")), 0, -1).Val() {
			due[job.Member.(string)] = time.UnixMilli(int64(job.Score)).Sub(start)
		}
		if diff := cmp.Diff(map[string]time.Duration{
			"fetch:kept": time.Hour, "fetch:late": time.Minute, "index:kept": 24 * time.Hour, "index:late": time.Minute,
			"purge:kept": 720 * time.Hour, "unknown:kept": 720 * time.Hour,
		}, due); diff != "" {
			t.Errorf("due times (-want +got):\n%s", diff)
		}
		advance(time.Minute)
		if found := lease(t, s); len(found) != 2 {
			t.Errorf("leased %v, want both late jobs", found)
		}
	})
}
