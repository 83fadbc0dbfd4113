package store_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// TestFsckLooksElsewhere takes away what records imply on other slots: it is found and put back, but not taken from
// whoever has it by then.
func TestFsckLooksElsewhere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		e, user, site := build(t, s), s.NewID(txn.UserPrefix), s.NewID(txn.SitePrefix)
		own, ofSite := store.HostnameKey("own.example"), store.HostnameKey("site.example")
		update(t, s, e.org, func(tx *store.Tx) error {
			o, err := tx.Organization(e.org)
			if err != nil {
				return err
			}
			o.Fields.Hostname, o.Fields.EmailDomains = "own.example", []string{"example.com"}
			tx.Claim(own, e.org)
			if _, err := tx.PutOrganization(o); err != nil {
				return err
			}
			d, err := tx.Site(e.org, site)
			if err != nil {
				return err
			}
			d.Fields = api.SiteFields{ID: site, Hostname: "site.example"}
			tx.Claim(ofSite, e.org+"-"+site)
			if _, err := tx.PutSite(e.org, d); err != nil {
				return err
			}
			m, err := tx.Member(e.org, user)
			if err != nil {
				return err
			}
			m.Private.User = api.UserFields{ID: user}
			_, err = tx.PutMember(e.org, m)
			return err
		})
		if report := examine(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Fatalf("before: %v", report.Findings)
		}
		client, _ := store.Client(s)
		lost := []redis.Key{own, ofSite, store.UserOrganizationsKey(user), store.DomainKey("example.com")}
		for _, key := range lost {
			if n := client.Del(ctx(), store.Name(s, key)).Val(); n != 1 {
				t.Errorf("%s was not there", key)
			}
		}
		report := examine(t, s, fsck.Options{Repair: true})
		if len(report.Findings) != len(lost) || !report.Clean() {
			t.Errorf("found %v", report.Findings)
		}
		if report := examine(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Errorf("after the repair: %v", report.Findings)
		}
		client.Set(ctx(), store.Name(s, own), "o_other 1", 0)
		if report := examine(t, s, fsck.Options{Repair: true}); !found(report, "is claimed by o_other") || report.Clean() {
			t.Errorf("a hostname that somebody else claims: %v", report.Findings)
		}
	})
}
