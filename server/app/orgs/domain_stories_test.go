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
	domain = "example.com" // that of everybody in a world
	day    = 24 * time.Hour
)

// set makes an organization have e-mail domains, which are not proven by that.
func set(w *servertest.World, as, org string, domains ...string) {
	w.T.Helper()
	servertest.Do(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{Organization: org, Body: api.OrganizationPatch{EmailDomains: api.Some(domains)}})
}

// only is the one e-mail domain of an organization.
func only(w *servertest.World, org string) api.EmailDomain {
	w.T.Helper()
	all := servertest.EmailDomains(w, "admin", org)
	if len(all) != 1 {
		w.T.Fatalf("%s has the domains %+v", org, all)
	}
	return all[0]
}

func check(w *servertest.World, org string) api.EmailDomain {
	w.T.Helper()
	return servertest.Do(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: org, EmailDomain: domain})
}

// open holds that the stranger finds an organization by their domain and could join it, or neither.
func open(w *servertest.World, org string, want bool) {
	w.T.Helper()
	status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[want]
	if a := servertest.Try(w, "stranger", dry(), api.OrganizationRef{Organization: org}); a.Status != status {
		w.T.Errorf("joins %s: %d %s, want %d", org, a.Status, a.Body, status)
	}
	found := false
	for _, o := range servertest.Do(w, "stranger", api.FindOrganization, api.EmailDomainRef{EmailDomain: domain}).Organizations {
		found = found || o.ID == org
	}
	servertest.Equal(w.T, "finds "+org, want, found)
}

// dry is the row that joins an organization, as a rehearsal.
func dry() api.Route[api.OrganizationRef, api.Organization] {
	route := api.JoinOrganization
	route.Path += "?dryRun=true"
	return route
}

// Of two organizations that have set the same domain, it counts for the one that its DNS names.
func TestADomainCountsForWhoProvesIt(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		squat := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Squatters"}}).ID
		set(w, "admin", squat, domain)
		set(w, "admin", w.Org, "Example.COM")
		w.Untouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: w.Org, Body: api.OrganizationPatch{EmailDomains: api.Some([]string{"other.example", "Other.Example"})},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		mine, theirs := only(w, w.Org), only(w, squat)
		if mine.Domain != domain || mine.RecordName != "_wsd-verification.example.com" || mine.RecordValue == theirs.RecordValue || mine.Proven {
			t.Errorf("to be set: %+v and %+v", mine, theirs)
		}
		open(w, w.Org, false)
		servertest.Equal(t, "before there is a record", "There is no TXT record _wsd-verification.example.com.", check(w, w.Org).Problem)
		w.DNS.Set(mine.RecordName, "something else", " "+mine.RecordValue+" ")
		servertest.Equal(t, "proven to the other", false, check(w, squat).Proven)
		servertest.Equal(t, "proven", true, check(w, w.Org).Proven)
		open(w, w.Org, true)
		open(w, squat, false)
		for name := range servertest.People {
			if name != "admin" {
				servertest.Refused(w, name, api.ListEmailDomains, api.ListEmailDomainsInput{Organization: w.Org}, http.StatusForbidden, api.ReasonForbidden)
			}
		}
	})
}

// A record that has gone ends the proof with the next look-up; members stay, and nobody joins any more.
func TestAProofLapses(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Prove("admin", w.Org, domain)
		servertest.Do(w, "stranger", api.JoinOrganization, api.OrganizationRef{Organization: w.Org})
		for range 5 {
			w.Clock.Advance(27 * time.Hour)
			servertest.RunJobs(w)
		}
		now := only(w, w.Org)
		if age := w.Clock.Now().Sub(now.SeenAt.Time); !now.Proven || age > time.Second {
			t.Errorf("after five days: %+v, seen %v ago", now, age)
		}
		w.DNS.Set(now.RecordName)
		w.Clock.Advance(27 * time.Hour)
		servertest.RunJobs(w)
		now = only(w, w.Org)
		if now.Proven || now.Problem == "" || !now.SeenAt.IsZero() {
			t.Errorf("after the record went: %+v", now)
		}
		servertest.Do(w, "stranger", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["stranger"].ID})
		open(w, w.Org, false)
	})
}

// While DNS does not answer, a proof holds for three days, and not longer, also when nobody asks.
func TestAProofOutlivesFailures(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Prove("admin", w.Org, domain)
		w.DNS.Fail(true)
		w.Clock.Advance(2 * day)
		servertest.RunJobs(w)
		now := check(w, w.Org)
		if !now.Proven || now.Problem == "" {
			t.Errorf("after two days: %+v", now)
		}
		open(w, w.Org, true)
		w.Clock.Advance(day)
		open(w, w.Org, false)
		servertest.RunJobs(w)
		servertest.Equal(t, "proven after three days", false, only(w, w.Org).Proven)
		w.DNS.Fail(false)
		servertest.Equal(t, "proven when DNS answers again", true, check(w, w.Org).Proven)
		open(w, w.Org, true)
	})
}

// What whoever runs the server trusts counts without DNS, until they take it back. What is taken out of the settings and
// set again is neither trusted nor proven any more.
func TestATrustedDomainCounts(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		set(w, "admin", w.Org, domain)
		trust := func(trusted bool) { w.Must(orgs.Trust(t.Context(), w.Store, w.Org, trusted, domain)) }
		trust(true)
		open(w, w.Org, true)
		servertest.RunJobs(w)
		w.Clock.Advance(7 * day)
		servertest.RunJobs(w)
		if now := only(w, w.Org); !now.Trusted || now.Proven || now.Problem == "" {
			t.Errorf("after a week: %+v", now)
		}
		open(w, w.Org, true)
		trust(false)
		open(w, w.Org, false)
		trust(true)
		value := only(w, w.Org).RecordValue
		set(w, "admin", w.Org, "other.example", domain)
		open(w, w.Org, true)
		set(w, "admin", w.Org, "other.example")
		set(w, "admin", w.Org, domain)
		if again := only(w, w.Org); again.Trusted || again.RecordValue == value {
			t.Errorf("set again: %+v", again)
		}
		open(w, w.Org, false)
		if orgs.Trust(t.Context(), w.Store, w.Org, true, "elsewhere.example") == nil {
			t.Error("a domain is trusted that the organization does not have")
		}
	})
}

// An organization in the trash lets nobody in, and proves nothing. When it comes back, so does its proof.
func TestADeletedOrganizationProvesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Prove("admin", w.Org, domain)
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: "Acme"})
		open(w, w.Org, false)
		asked := w.DNS.Asked()
		w.Clock.Advance(2 * day)
		servertest.RunJobs(w)
		servertest.Equal(t, "look-ups for what is in the trash", asked, w.DNS.Asked())
		servertest.Do(w, "admin", api.RestoreOrganization, api.OrganizationRef{Organization: w.Org})
		open(w, w.Org, true)
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: "Acme"})
		w.Clock.Advance(8 * day)
		servertest.RunJobs(w)
		servertest.Equal(t, "what is left", 0, len(servertest.MentionsIn(w, w.Org, domain)))
	})
}

// Domains that an earlier build has stored get a value, and are asked for, when a node starts; they count for nothing until
// then.
func TestDomainsOfEarlierBuilds(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		set(w, "admin", w.Org, domain)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.DeleteField(store.EmailDomainsKey(w.Org), domain)
			tx.Unschedule(w.Org, store.EmailDomainJob(domain))
			return nil
		}))
		open(w, w.Org, false)
		if now := only(w, w.Org); now.RecordValue != "" || now.Proven {
			t.Errorf("before a node starts: %+v", now)
		}
		s := &orgs.EmailDomains{Store: w.Store}
		w.Must(s.Plan(t.Context()))
		value := only(w, w.Org).RecordValue
		w.Must(s.Plan(t.Context()))
		now := only(w, w.Org)
		servertest.Equal(t, "value when a second node starts", value, now.RecordValue)
		w.DNS.Set(now.RecordName, value)
		w.Clock.Advance(day)
		servertest.RunJobs(w)
		open(w, w.Org, true)
	})
}

// An organization, and a person, asks DNS for one domain at a time: others say that it is busy, and nothing is written.
func TestChecksTakeTurns(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		set(w, "admin", w.Org, domain)
		for name, take := range map[string]func() error{
			"organization": func() error {
				_, _, err := w.Store.Jobs.TakeOf(t.Context(), w.Org, store.EmailDomainKind, time.Minute)
				return err
			},
			"person": func() error {
				_, _, err := w.Store.Jobs.TakeFor(t.Context(), w.Users["admin"].ID, store.EmailDomainKind, time.Minute)
				return err
			},
		} {
			w.Must(take())
			asked := w.DNS.Asked()
			servertest.Refused(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: w.Org, EmailDomain: domain}, http.StatusServiceUnavailable, api.ReasonBusy)
			servertest.Equal(t, "look-ups during the turn of the "+name, asked, w.DNS.Asked())
			w.Clock.Advance(2 * time.Minute)
			check(w, w.Org)
		}
	})
}
