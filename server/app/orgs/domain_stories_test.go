package orgs_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

const (
	testDomain = "example.com" // domain of all users of a World
	day        = 24 * time.Hour
)

// setDomains sets the e-mail domains of an organization without proving them.
func setDomains(w *servertest.World, as, org string, domains ...string) {
	w.T.Helper()
	servertest.Do(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: org, Body: api.OrganizationPatch{EmailDomains: api.Some(domains)},
	})
}

// onlyDomain returns the only e-mail domain of an organization.
func onlyDomain(w *servertest.World, org string) api.EmailDomain {
	w.T.Helper()
	all := servertest.EmailDomains(w, "admin", org)
	if len(all) != 1 {
		w.T.Fatalf("%s has the domains %+v", org, all)
	}
	return all[0]
}

func checkDomain(w *servertest.World, org string) api.EmailDomain {
	w.T.Helper()
	return servertest.Do(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: org, EmailDomain: testDomain})
}

// checkAdmits checks whether the user "stranger" finds an organization by their domain and could join it.
func checkAdmits(w *servertest.World, org string, want bool) {
	w.T.Helper()
	status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[want]
	if a := servertest.Try(w, "stranger", dryRunJoin(), api.OrganizationRef{Organization: org}); a.Status != status {
		w.T.Errorf("joins %s: %d %s, want %d", org, a.Status, a.Body, status)
	}
	found := false
	for _, o := range servertest.Do(w, "stranger", api.FindOrganization, api.EmailDomainRef{EmailDomain: testDomain}).Organizations {
		found = found || o.ID == org
	}
	servertest.Equal(w.T, "finds "+org, want, found)
}

// dryRunJoin returns the operation that joins an organization, as a dry run.
func dryRunJoin() api.Route[api.OrganizationRef, api.Organization] {
	route := api.JoinOrganization
	route.Path += "?dryRun=true"
	return route
}

// TestUsersJoinOnlyOrganizationsWithProvenDomain checks that if two organizations set the same domain, only the one with
// the DNS record admits its users.
func TestUsersJoinOnlyOrganizationsWithProvenDomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		squat := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Squatters"},
		}).ID
		setDomains(w, "admin", squat, testDomain)
		setDomains(w, "admin", w.Org, "Example.COM")
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: w.Org, Body: api.OrganizationPatch{EmailDomains: api.Some([]string{"other.example", "Other.Example"})},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		mine, theirs := onlyDomain(w, w.Org), onlyDomain(w, squat)
		if mine.Domain != testDomain || mine.RecordName != "_wsd-verification.example.com" || mine.RecordValue == theirs.RecordValue ||
			mine.Proven {
			t.Errorf("to be set: %+v and %+v", mine, theirs)
		}
		checkAdmits(w, w.Org, false)
		servertest.Equal(t, "before there is a record", "There is no TXT record _wsd-verification.example.com.",
			checkDomain(w, w.Org).Problem)
		w.DNS.Set(mine.RecordName, "something else", " "+mine.RecordValue+" ")
		servertest.Equal(t, "proven to the other", false, checkDomain(w, squat).Proven)
		servertest.Equal(t, "proven", true, checkDomain(w, w.Org).Proven)
		checkAdmits(w, w.Org, true)
		checkAdmits(w, squat, false)
		for name := range servertest.People {
			if name != "admin" {
				servertest.Refused(w, name, api.ListEmailDomains, api.ListEmailDomainsInput{Organization: w.Org}, http.StatusForbidden,
					api.ReasonForbidden)
			}
		}
	})
}

// TestDomainProofEndsWithDNSRecord checks that a missing record ends the proof with the next lookup: members stay, but
// nobody can join.
func TestDomainProofEndsWithDNSRecord(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.ProveDomains("admin", w.Org, testDomain)
		servertest.Do(w, "stranger", api.JoinOrganization, api.OrganizationRef{Organization: w.Org})
		for range 5 {
			w.Clock.Advance(27 * time.Hour)
			servertest.RunJobs(w)
		}
		now := onlyDomain(w, w.Org)
		if age := w.Clock.Now().Sub(now.SeenAt.Time); !now.Proven || age > time.Second {
			t.Errorf("after five days: %+v, seen %v ago", now, age)
		}
		w.DNS.Set(now.RecordName)
		w.Clock.Advance(27 * time.Hour)
		servertest.RunJobs(w)
		now = onlyDomain(w, w.Org)
		if now.Proven || now.Problem == "" || !now.SeenAt.IsZero() {
			t.Errorf("after the record went: %+v", now)
		}
		servertest.Do(w, "stranger", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["stranger"].ID})
		checkAdmits(w, w.Org, false)
	})
}

// TestProofSurvivesLookupFailures checks that a proof survives lookup failures for three days, and no longer, even
// without lookups.
func TestProofSurvivesLookupFailures(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.ProveDomains("admin", w.Org, testDomain)
		w.DNS.Fail(true)
		w.Clock.Advance(2 * day)
		servertest.RunJobs(w)
		now := checkDomain(w, w.Org)
		if !now.Proven || now.Problem == "" {
			t.Errorf("after two days: %+v", now)
		}
		checkAdmits(w, w.Org, true)
		w.Clock.Advance(day)
		checkAdmits(w, w.Org, false)
		servertest.RunJobs(w)
		servertest.Equal(t, "proven after three days", false, onlyDomain(w, w.Org).Proven)
		w.DNS.Fail(false)
		servertest.Equal(t, "proven when DNS answers again", true, checkDomain(w, w.Org).Proven)
		checkAdmits(w, w.Org, true)
	})
}

// TestTrustedDomainNeedsNoRecord checks that a domain that the operator trusts needs no DNS record until the trust is
// withdrawn. A domain that is removed from the settings and set again is neither trusted nor proven.
func TestTrustedDomainNeedsNoRecord(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, testDomain)
		trust := func(trusted bool) { w.Must(orgs.SetDomainTrust(t.Context(), w.Store, w.Org, trusted, testDomain)) }
		trust(true)
		checkAdmits(w, w.Org, true)
		servertest.RunJobs(w)
		w.Clock.Advance(7 * day)
		servertest.RunJobs(w)
		if now := onlyDomain(w, w.Org); !now.Trusted || now.Proven || now.Problem == "" {
			t.Errorf("after a week: %+v", now)
		}
		checkAdmits(w, w.Org, true)
		trust(false)
		checkAdmits(w, w.Org, false)
		trust(true)
		value := onlyDomain(w, w.Org).RecordValue
		setDomains(w, "admin", w.Org, "other.example", testDomain)
		checkAdmits(w, w.Org, true)
		setDomains(w, "admin", w.Org, "other.example")
		setDomains(w, "admin", w.Org, testDomain)
		if again := onlyDomain(w, w.Org); again.Trusted || again.RecordValue == value {
			t.Errorf("set again: %+v", again)
		}
		checkAdmits(w, w.Org, false)
		if orgs.SetDomainTrust(t.Context(), w.Store, w.Org, true, "elsewhere.example") == nil {
			t.Error("a domain is trusted that the organization does not have")
		}
	})
}

// TestDeletedOrganizationAdmitsNobody checks that an organization in the trash admits nobody and proves nothing until it is
// restored.
func TestDeletedOrganizationAdmitsNobody(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.ProveDomains("admin", w.Org, testDomain)
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
			OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: "Acme",
		})
		checkAdmits(w, w.Org, false)
		asked := w.DNS.Lookups()
		w.Clock.Advance(2 * day)
		servertest.RunJobs(w)
		servertest.Equal(t, "look-ups for what is in the trash", asked, w.DNS.Lookups())
		servertest.Do(w, "admin", api.RestoreOrganization, api.OrganizationRef{Organization: w.Org})
		checkAdmits(w, w.Org, true)
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
			OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: "Acme",
		})
		w.Clock.Advance(8 * day)
		servertest.RunJobs(w)
		servertest.Equal(t, "what is left", 0, len(servertest.KeysWithIDIn(w, w.Org, testDomain)))
	})
}

// TestDomainsOfEarlierVersionsAreChecked checks that domains stored by earlier versions get a value and a scheduled
// check when a node starts. Until then they admit nobody.
func TestDomainsOfEarlierVersionsAreChecked(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, testDomain)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.DeleteField(store.EmailDomainsKey(w.Org), testDomain)
			tx.Unschedule(w.Org, store.EmailDomainJob(testDomain))
			return nil
		}))
		checkAdmits(w, w.Org, false)
		if now := onlyDomain(w, w.Org); now.RecordValue != "" || now.Proven {
			t.Errorf("before a node starts: %+v", now)
		}
		s := &orgs.EmailDomains{Store: w.Store}
		w.Must(s.ScheduleChecks(t.Context()))
		value := onlyDomain(w, w.Org).RecordValue
		w.Must(s.ScheduleChecks(t.Context()))
		now := onlyDomain(w, w.Org)
		servertest.Equal(t, "value when a second node starts", value, now.RecordValue)
		w.DNS.Set(now.RecordName, value)
		w.Clock.Advance(day)
		servertest.RunJobs(w)
		checkAdmits(w, w.Org, true)
	})
}

// TestConcurrentChecksAreRefused checks that an organization or user with a lookup in flight gets an error for a
// second one, and nothing is written.
func TestConcurrentChecksAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, testDomain)
		for name, take := range map[string]func() error{
			"organization": func() error {
				_, _, err := w.Store.Jobs.AcquireOrganizationPermit(t.Context(), w.Org, store.EmailDomainKind, time.Minute)
				return err
			},
			"person": func() error {
				_, _, err := w.Store.Jobs.AcquireUserPermit(t.Context(), w.Users["admin"].ID, store.EmailDomainKind, time.Minute)
				return err
			},
		} {
			w.Must(take())
			asked := w.DNS.Lookups()
			servertest.Refused(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{
				Organization: w.Org, EmailDomain: testDomain,
			}, http.StatusServiceUnavailable, api.ReasonBusy)
			servertest.Equal(t, "look-ups during the turn of the "+name, asked, w.DNS.Lookups())
			w.Clock.Advance(2 * time.Minute)
			checkDomain(w, w.Org)
		}
	})
}
