package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestJobKindsDoNotBlockEachOther checks that jobs of kinds without capacity stay due, however many there are, and that the
// jobs after them are leased.
func TestJobKindsDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			for i := range 700 {
				tx.Schedule("o_1", fmt.Sprintf("fetch:f%03d", i), 0)
			}
			tx.Schedule("o_1", "purge:a", time.Second)
			tx.Schedule("o_1", "purge:b", 2*time.Second)
			tx.Schedule("o_1", "unknown:c", time.Second)
			return nil
		})
		advance(time.Hour)
		due, err := s.Jobs.Lease(t.Context(), "o_1", []store.LeaseRequest{{Kind: "fetch", Exclusive: true}, {Kind: "purge", Limit: 1}},
			time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(due.Leases) != 1 || due.Leases[0].Job() != "purge:a" {
			t.Errorf("leased %v", due.Leases)
		}
		waiting := due.WaitingJobs["fetch"]
		if len(waiting) != 700 || waiting[0] != "f000" || waiting[699] != "f699" {
			t.Errorf("%d wait: %.60v", len(waiting), waiting)
		}
		if due.Next.After(s.Now()) {
			t.Errorf("something is due next at %s, it is %s", due.Next, s.Now())
		}
	})
}

// TestPermitsAreExclusive checks that no job of the kind is returned while the organization's permit is taken. A permit ends
// when it is released or not renewed; releasing a lost permit does not affect its new holder.
func TestPermitsAreExclusive(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		schedule(t, s, "fetch:x", 0)
		named := func() []string {
			t.Helper()
			due, err := s.Jobs.Lease(t.Context(), "o_1", []store.LeaseRequest{{Kind: "fetch", Exclusive: true}}, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return due.WaitingJobs["fetch"]
		}
		check := func(when string, want, got any) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		acquire := func() (permit store.Permit, ok bool) {
			t.Helper()
			permit, ok, err := s.Jobs.AcquireOrganizationPermit(t.Context(), "o_1", "fetch", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return permit, ok
		}
		check("at first", []string{"x"}, named())
		first, ok := acquire()
		check("the first", true, ok)
		check("while somebody has the turn", []string(nil), named())
		_, ok = acquire()
		check("a second", false, ok)
		advance(50 * time.Second)
		if err := s.Jobs.RenewPermit(t.Context(), first, time.Minute); err != nil {
			t.Fatal(err)
		}
		advance(50 * time.Second)
		check("after it was renewed", []string(nil), named())
		advance(11 * time.Second)
		check("when it is over", []string{"x"}, named())
		second, ok := acquire()
		check("another one then", true, ok)
		if err := errors.Join(s.Jobs.RenewPermit(t.Context(), first, time.Minute), s.Jobs.ReleasePermit(t.Context(), first)); err != nil {
			t.Fatal(err)
		}
		check("whatever the first does", []string(nil), named())
		if err := s.Jobs.ReleasePermit(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		check("when it was given back", []string{"x"}, named())
		_, ok, err := s.Jobs.AcquireUserPermit(t.Context(), "u_1", "fetch", time.Minute)
		check("a person's", true, ok && err == nil)
		_, ok, err = s.Jobs.AcquireUserPermit(t.Context(), "u_1", "other", time.Minute)
		check("a person's of another kind", true, ok && err == nil)
		_, ok, err = s.Jobs.AcquireUserPermit(t.Context(), "u_1", "fetch", time.Minute)
		check("a person's again", false, ok || err != nil)
	})
}

// TestLeaseOneIsExclusive checks that a named job is leased once.
func TestLeaseOneIsExclusive(t *testing.T) {
	t.Parallel()
	eachWithClock(t, func(t *testing.T, s *store.Store, advance func(time.Duration)) {
		schedule(t, s, "fetch:x", time.Minute)
		one := func() (store.Lease, bool) {
			t.Helper()
			lease, ok, err := s.Jobs.LeaseOne(t.Context(), "o_1", "fetch", "x", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return lease, ok
		}
		if _, ok := one(); ok {
			t.Error("leased before the time")
		}
		advance(time.Minute)
		lease, ok := one()
		if !ok || lease.Job() != "fetch:x" || lease.Attempt != 1 {
			t.Fatalf("leased %v %v", lease, ok)
		}
		if _, ok := one(); ok {
			t.Error("leased twice")
		}
		if err := finish(t, s, lease); err != nil {
			t.Error(err)
		}
	})
}

// TestDueOrganizationsReturnsAllPages checks that organizations with waiting jobs, however many, do not keep others from being
// read.
func TestDueOrganizationsReturnsAllPages(t *testing.T) {
	t.Parallel()
	s, advance := openWithClock(t, storetest.Memory())
	const many = 4000
	for i := range many {
		org := fmt.Sprintf("o_%d", i)
		storetest.Update(t, s, org, func(tx *store.Tx) error {
			tx.Schedule(org, "fetch:x", 0)
			return nil
		})
	}
	advance(time.Hour)
	seen := map[string]bool{}
	for range 4 {
		organizations, err := s.Jobs.DueOrganizations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, org := range organizations {
			seen[org.ID] = true
			if err := s.Jobs.SetNextDue(t.Context(), org, s.Now()); err != nil { // a job is waiting
				t.Fatal(err)
			}
		}
	}
	if len(seen) != many {
		t.Errorf("%d of %d organizations are looked at", len(seen), many)
	}
}
