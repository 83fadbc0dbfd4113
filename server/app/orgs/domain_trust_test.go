package orgs_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// TestSelectDomains checks which domains `wsd domain trust` changes: those that are named, all of an organization, or
// all.
func TestSelectDomains(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, "b.example", "a.example")
		setDomains(w, "stranger", w.OtherOrg, "c.example")
		a := orgs.Accounts{Store: w.Store}
		own := orgs.OrganizationDomains{Organization: w.Org, Domains: []string{"a.example", "b.example"}}
		other := orgs.OrganizationDomains{Organization: w.OtherOrg, Domains: []string{"c.example"}}
		want := func(want []orgs.OrganizationDomains, organization string, names ...string) {
			t.Helper()
			got, err := a.SelectDomains(t.Context(), organization, names...)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q %q: %v %v", organization, names, got, err)
			}
		}
		want([]orgs.OrganizationDomains{{Organization: w.Org, Domains: []string{"b.example"}}}, "Acme", "B.Example")
		want([]orgs.OrganizationDomains{own}, "Acme")
		all, err := a.SelectDomains(t.Context(), "")
		w.Must(err)
		byID := func(a, b orgs.OrganizationDomains) int { return strings.Compare(a.Organization, b.Organization) }
		servertest.Equal(t, "all", slices.SortedFunc(slices.Values([]orgs.OrganizationDomains{own, other}), byID),
			slices.SortedFunc(slices.Values(all), byID))
		if got, err := a.SelectDomains(t.Context(), "Nowhere", "a.example"); err == nil {
			t.Errorf("of an unknown organization: %v", got)
		}
	})
}

func TestDomainListShowsState(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, testDomain, "proven.example")
		setDomains(w, "stranger", w.OtherOrg, "elsewhere.example")
		states := func() map[string]string {
			t.Helper()
			listed, err := orgs.Accounts{Store: w.Store}.ListDomains(t.Context(), "Acme")
			w.Must(err)
			found := map[string]string{}
			for _, d := range listed {
				found[d.Domain] = d.State()
			}
			return found
		}
		servertest.Equal(t, "new domains", map[string]string{testDomain: "not proven", "proven.example": "not proven"}, states())
		w.ProveDomains("admin", w.Org, testDomain, "proven.example")
		w.Must(orgs.SetDomainTrust(t.Context(), w.Store, w.Org, true, testDomain))
		servertest.Equal(t, "proven domains", map[string]string{testDomain: "proven", "proven.example": "proven"}, states())
		w.Clock.Advance(30 * day)
		servertest.Equal(t, "after the proof", map[string]string{testDomain: "trusted", "proven.example": "not proven"}, states())
	})
}
