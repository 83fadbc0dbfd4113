package fsck_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const sharedEmail, sharedHostname = "chief@example.com", "docs.example.com"

// putAccount writes an account without a claim of its address.
func putAccount(t *testing.T, s *store.Store, id, email string, private store.UserPrivate) {
	t.Helper()
	err := s.Update(t.Context(), store.User(id), txn.UpdateOptions{}, func(tx *store.Tx) error {
		u, err := tx.User(id)
		if err != nil {
			return err
		}
		u.Fields, u.Private = api.UserFields{Object: "user", ID: id, Email: email, DisplayName: id}, private
		_, err = tx.PutUser(u)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// account reads an account.
func account(t *testing.T, s *store.Store, id string) (u store.UserDocument) {
	t.Helper()
	r, ok := storetest.Record(t, s, store.UserKey(id))
	if !ok {
		t.Fatalf("there is no account %s", id)
	}
	if err := u.Decode(r); err != nil {
		t.Fatal(err)
	}
	return u
}

// setHostname writes the hostname of an organization without a claim, with the event of such a change.
func setHostname(t *testing.T, s *store.Store, org, hostname string) {
	t.Helper()
	storetest.Update(t, s, org, func(tx *store.Tx) error {
		o, err := tx.Organization(org)
		if err != nil {
			return err
		}
		o.Fields.Hostname = hostname
		tx.Event(map[string]string{"type": api.UpdateOrganization.Name, "id": org})
		_, err = tx.PutOrganization(o)
		return err
	})
}

// setSiteHostname writes a site with a hostname without a claim, with the event of such a change.
func setSiteHostname(t *testing.T, s *store.Store, org, site, hostname string) {
	t.Helper()
	storetest.Update(t, s, org, func(tx *store.Tx) error {
		d, err := tx.Site(org, site)
		if err != nil {
			return err
		}
		d.Fields = api.SiteFields{ID: site, Hostname: hostname}
		tx.Event(map[string]string{"type": api.UpdateSite.Name, "id": site})
		_, err = tx.PutSite(org, d)
		return err
	})
}

// setClaim writes a claim.
func setClaim(t *testing.T, s *store.Store, key redis.Key, owner string, at time.Time) {
	t.Helper()
	if err := s.Client.Set(t.Context(), s.Name(key), fmt.Sprint(owner, " ", at.UnixMilli()), 0).Err(); err != nil {
		t.Fatal(err)
	}
}

func wantClaimOwner(t *testing.T, s *store.Store, key redis.Key, owner string) {
	t.Helper()
	if claim, _, err := s.Claim(t.Context(), key); err != nil || claim.Owner != owner {
		t.Errorf("the name is claimed by %q, %v, want %q", claim.Owner, err, owner)
	}
}

// wantRepair checks that fsck reports one finding that contains all texts, repairs it, and finds nothing afterwards.
func wantRepair(t *testing.T, s *store.Store, texts ...string) {
	t.Helper()
	for _, repair := range []bool{false, true} {
		report := storetest.Fsck(t, s, fsck.Options{Repair: repair})
		if len(report.Findings) != 1 || report.Clean() != repair {
			t.Fatalf("repair %v: %v", repair, report.Findings)
		}
		for _, text := range texts {
			if !strings.Contains(report.Findings[0].String(), text) {
				t.Errorf("%q does not contain %q", report.Findings[0], text)
			}
		}
	}
	if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
		t.Errorf("after the repair: %v", report.Findings)
	}
}

// TestRunClaimsAddressOfAccount checks that a lost claim of a verified address is found and written again. Unverified addresses
// and accounts without an address need no claim.
func TestRunClaimsAddressOfAccount(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		putAccount(t, s, "u_1", sharedEmail, store.UserPrivate{})
		putAccount(t, s, "u_2", sharedEmail, store.UserPrivate{VouchedBy: "o_1"})
		putAccount(t, s, "u_3", "", store.UserPrivate{})
		wantRepair(t, s, "the e-mail address "+sharedEmail+" of u_1 is not claimed")
		wantClaimOwner(t, s, store.EmailKey(sharedEmail), "u_1")
	})
}

// TestRunLeavesSharedAddressToOldestAccount checks that an address of two accounts is left to the older one, whoever claims it.
// The younger one keeps its membership, whose copy of the address a job removes.
func TestRunLeavesSharedAddressToOldestAccount(t *testing.T) {
	t.Parallel()
	for _, claimedBy := range []string{"", "u_1", "u_2", "u_3"} {
		t.Run("claimed by "+claimedBy, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				e := storetest.NewFixture(t, s)
				putAccount(t, s, "u_1", sharedEmail, store.UserPrivate{})
				putAccount(t, s, "u_2", sharedEmail, store.UserPrivate{VouchedBy: e.Org, Proven: true})
				storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
					m, err := tx.Member(e.Org, "u_2")
					if err != nil {
						return err
					}
					tx.AddToSupersetBeforeCommit(store.UserOrganizationsKey("u_2"), e.Org)
					m.Private.User = account(t, s, "u_2").Fields
					_, err = tx.PutMember(e.Org, m)
					return err
				})
				if claimedBy != "" {
					setClaim(t, s, store.EmailKey(sharedEmail), claimedBy, time.UnixMilli(1))
				}
				wantRepair(t, s, sharedEmail, "u_1 and u_2", "leaves it to u_1")
				wantClaimOwner(t, s, store.EmailKey(sharedEmail), "u_1")
				for id, want := range map[string]string{"u_1": sharedEmail, "u_2": ""} {
					if got := account(t, s, id).Fields.Email; got != want {
						t.Errorf("address of %s: %q, want %q", id, got, want)
					}
				}
				dump := storetest.Dump(t, s)
				if events := dump["{"+e.Org+"}:events"]; strings.Count(events, "users.repair") != 1 {
					t.Errorf("events %q", events)
				}
				if jobs := dump["{"+e.Org+"}:due"]; !strings.Contains(jobs, store.UserJob("u_2")) {
					t.Errorf("jobs %q", jobs)
				}
			})
		})
	}
}

// TestRunLeavesSharedHostnameToEarlierOwner checks that a hostname of a site and of an organization is left to the one whose
// settings were changed earlier, whoever claims it.
func TestRunLeavesSharedHostnameToEarlierOwner(t *testing.T) {
	t.Parallel()
	for _, siteFirst := range []bool{false, true} {
		for _, siteClaims := range []bool{false, true} {
			t.Run(fmt.Sprintf("site first %v, site claims %v", siteFirst, siteClaims), func(t *testing.T) {
				t.Parallel()
				suite.EachStore(t, func(t *testing.T, s *store.Store) {
					e, other, site := storetest.NewFixture(t, s), storetest.NewFixture(t, s), s.NewID(txn.SitePrefix)
					ofSite, key := store.HostnameOwner(e.Org, site), store.HostnameKey(sharedHostname)
					writes := []func(){
						func() { setSiteHostname(t, s, e.Org, site, sharedHostname) },
						func() { setHostname(t, s, other.Org, sharedHostname) },
					}
					keeper, taken, kind, claimant := ofSite, other.Org, "organizations.repair", other.Org
					if !siteFirst {
						writes[0], writes[1] = writes[1], writes[0]
						keeper, taken, kind = other.Org, e.Org, "sites.repair"
					}
					if siteClaims {
						claimant = ofSite
					}
					writes[0]()
					time.Sleep(2 * time.Millisecond) // the events have the time of Redis
					writes[1]()
					setClaim(t, s, key, claimant, time.UnixMilli(1))
					wantRepair(t, s, sharedHostname, ofSite, other.Org, "leaves it to "+keeper)
					wantClaimOwner(t, s, key, keeper)
					if hostname, err := s.LoadHostname(t.Context(), keeper); hostname != sharedHostname || err != nil {
						t.Errorf("the keeper has %q, %v", hostname, err)
					}
					if events := storetest.Dump(t, s)["{"+taken+"}:events"]; strings.Count(events, kind) != 1 {
						t.Errorf("events %q", events)
					}
				})
			})
		}
	}
}

// TestRunKeepsClaimOfCommitInProgress checks that the claim of an owner whose record does not have the name is replaced only when
// it cannot belong to a commit in progress any more.
func TestRunKeepsClaimOfCommitInProgress(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e, key := storetest.NewFixture(t, s), store.HostnameKey(sharedHostname)
		setHostname(t, s, e.Org, sharedHostname)
		setClaim(t, s, key, "o_other", time.Now())
		report := storetest.Fsck(t, s, fsck.Options{Repair: true})
		if report.Clean() || !storetest.HasFinding(report, "repeat the repair in 10 minutes") {
			t.Errorf("a new claim: %v", report.Findings)
		}
		wantClaimOwner(t, s, key, "o_other")
		setClaim(t, s, key, "o_other", time.Now().Add(-txn.ClaimGrace))
		wantRepair(t, s, "is claimed by o_other, which does not have it")
		wantClaimOwner(t, s, key, e.Org)
	})
}

// TestRunReportsDamagedClaimsAndAccounts checks that a damaged claim or account is a finding and does not end the check.
func TestRunReportsDamagedClaimsAndAccounts(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		putAccount(t, s, "u_1", sharedEmail, store.UserPrivate{})
		putAccount(t, s, "u_2", "other@example.com", store.UserPrivate{})
		for _, key := range []redis.Key{store.EmailKey(sharedEmail), store.UserKey("u_2")} {
			if err := s.Client.Set(t.Context(), s.Name(key), "damaged", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		report := storetest.Fsck(t, s, fsck.Options{Repair: true})
		if len(report.Findings) != 2 || report.Clean() || !storetest.HasFinding(report, "cannot be read") {
			t.Errorf("found %v", report.Findings)
		}
	})
}
