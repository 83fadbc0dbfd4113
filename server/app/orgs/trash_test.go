package orgs_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// TestOperatorRestoresOrganization checks that the operator finds a deleted organization in the trash and restores it before
// its time there ends.
func TestOperatorRestoresOrganization(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := orgs.Accounts{Store: w.Store}
		trashed := func() []orgs.TrashedOrganization {
			t.Helper()
			found, err := a.ListTrash(t.Context())
			w.Must(err)
			return found
		}
		remove := func() {
			t.Helper()
			in := api.DeleteOrganizationInput{OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: "Acme"}
			servertest.Do(w, "admin", api.DeleteOrganization, in)
		}
		servertest.Equal(t, "in the trash before", 0, len(trashed()))
		remove()
		found := trashed()
		if len(found) != 1 {
			t.Fatalf("in the trash: %+v", found)
		}
		one := found[0]
		servertest.Equal(t, "organization", orgs.TrashedOrganization{
			ID: w.Org, Title: "Acme", DeletedAt: one.DeletedAt, DeletedBy: w.Users["admin"].ID,
			RestoreUntil: api.At(one.DeletedAt.Add(store.TrashTime)),
		}, one)
		for _, name := range []string{w.Org, "Acme"} {
			restored, err := a.Restore(t.Context(), name)
			w.Must(err)
			servertest.Equal(t, "restored by "+name, w.Org, restored)
			servertest.Equal(t, "in the trash after the restoration", 0, len(trashed()))
			servertest.Do(w, "admin", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
			remove()
		}
		other := servertest.NewOrganization(w, "Acme")
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
			OrganizationRef: api.OrganizationRef{Organization: other}, Title: "Acme",
		})
		if _, err := a.Restore(t.Context(), "Acme"); err == nil || !strings.Contains(err.Error(), w.Org) ||
			!strings.Contains(err.Error(), other) {
			t.Errorf("restored by a title that two have: %v", err)
		}
		w.Clock.Advance(store.TrashTime)
		servertest.Equal(t, "in the trash after its time", 0, len(trashed()))
		if _, err := a.Restore(t.Context(), w.Org); err == nil || !strings.Contains(err.Error(), w.Org+`" in the trash`) {
			t.Error(err)
		}
	})
}
