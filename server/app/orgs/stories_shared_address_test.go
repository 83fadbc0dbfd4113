package orgs_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// TestAccountsWithSameAddressAreSeparated loses the claim of an address, so that the operator creates a second account for it. The
// repair names both accounts and leaves the address to the older one; the other one keeps its membership without the address.
func TestAccountsWithSameAddressAreSeparated(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		accounts := orgs.Accounts{Store: w.Store}
		account := func() orgs.Account {
			a, err := accounts.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
			w.Must(err)
			return a
		}
		first := account()
		w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.EmailKey(servertest.ChiefEmail))).Err())
		second := account()
		servertest.Equal(t, "a second account", true, second.Created && second.ID != first.ID)
		w.Must(accounts.SetMember(t.Context(), w.Org, second.UserFields, api.RoleAdmin))

		report, err := fsck.Run(t.Context(), w.Store, fsck.Options{Repair: true})
		w.Must(err)
		if len(report.Findings) != 1 || !report.Clean() {
			t.Fatalf("findings: %v", report.Findings)
		}
		for _, named := range []string{servertest.ChiefEmail, first.ID, second.ID} {
			if !strings.Contains(report.Findings[0].Problem, named) {
				t.Errorf("%q does not name %s", report.Findings[0].Problem, named)
			}
		}
		w.Clock.Advance(store.UserJobTime)
		servertest.RunJobs(w)
		servertest.Equal(t, "the account of the address", first.ID, account().ID)
		for _, m := range servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org}).Items {
			if m.User.ID == second.ID {
				servertest.Equal(t, "address of the second account", "", m.User.Email)
				return
			}
		}
		t.Error("the second account is no member any more")
	})
}
