package fsck_test

import (
	"context"
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestRunRepairsOtherSlots removes the entries that records imply in other slots and checks that they are reported and
// restored, but not if they have a new owner.
func TestRunRepairsOtherSlots(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e, user, site := storetest.NewFixture(t, s), s.NewID(txn.UserPrefix), s.NewID(txn.SitePrefix)
		own, ofSite := store.HostnameKey("own.example"), store.HostnameKey("site.example")
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			o, err := tx.Organization(e.Org)
			if err != nil {
				return err
			}
			o.Fields.Hostname, o.Fields.EmailDomains = "own.example", []string{"example.com"}
			tx.Claim(own, e.Org)
			if _, err := tx.PutOrganization(o); err != nil {
				return err
			}
			d, err := tx.Site(e.Org, site)
			if err != nil {
				return err
			}
			d.Fields = api.SiteFields{ID: site, Hostname: "site.example"}
			tx.Claim(ofSite, e.Org+"-"+site)
			if _, err := tx.PutSite(e.Org, d); err != nil {
				return err
			}
			m, err := tx.Member(e.Org, user)
			if err != nil {
				return err
			}
			m.Private.User = api.UserFields{ID: user}
			_, err = tx.PutMember(e.Org, m)
			return err
		})
		if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Fatalf("before: %v", report.Findings)
		}
		client, _ := s.Client, s.Prefix
		lost := []redis.Key{own, ofSite, store.UserOrganizationsKey(user), store.DomainKey("example.com")}
		for _, key := range lost {
			if n := client.Del(ctx(), s.Name(key)).Val(); n != 1 {
				t.Errorf("%s was not there", key)
			}
		}
		report := storetest.Fsck(t, s, fsck.Options{Repair: true})
		if len(report.Findings) != len(lost) || !report.Clean() {
			t.Errorf("found %v", report.Findings)
		}
		if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Errorf("after the repair: %v", report.Findings)
		}
		client.Set(ctx(), s.Name(own), "o_other 1", 0)
		if report := storetest.Fsck(t, s, fsck.Options{Repair: true}); !storetest.HasFinding(report, "is claimed by o_other") ||
			!report.Clean() {
			t.Errorf("a hostname claimed by an organization that does not exist: %v", report.Findings)
		}
	})
}

// claimHook is a hook that calls act once, before the next pipeline that runs a script.
type claimHook struct {
	storetest.Trips
	act func()
}

func (h *claimHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if act := h.act; act != nil && slices.ContainsFunc(commands, func(c goredis.Cmder) bool { return c.Name() == "eval" }) {
			h.act = nil
			act()
		}
		return next(ctx, commands)
	}
}

// TestRunDoesNotClaimTakenHostname checks that a hostname that another organization claims during the repair is
// neither taken from it nor reported as repaired.
func TestRunDoesNotClaimTakenHostname(t *testing.T) {
	t.Parallel()
	hook := &claimHook{}
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	e, key := storetest.NewFixture(t, s), store.HostnameKey("own.example")
	storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
		o, err := tx.Organization(e.Org)
		if err != nil {
			return err
		}
		o.Fields.Hostname = "own.example"
		_, err = tx.PutOrganization(o) // without a claim
		return err
	})
	hook.act = func() {
		if err := s.Client.Set(ctx(), s.Name(key), "o_other 1", 0).Err(); err != nil {
			t.Error(err)
		}
	}
	report := storetest.Fsck(t, s, fsck.Options{Repair: true})
	if hook.act != nil || len(report.Findings) != 1 || report.Clean() {
		t.Errorf("the repair found %v", report.Findings)
	}
	if claim, _, err := s.Claim(ctx(), key); err != nil || claim.Owner != "o_other" {
		t.Errorf("claimed by %s, %v", claim.Owner, err)
	}
}
