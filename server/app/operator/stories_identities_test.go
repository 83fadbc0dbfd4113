package operator_test

import (
	"testing"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/servertest"
)

// TestShowUserListsIdentities checks that an account is shown with the identities by which it signs in, and not with pending ones.
func TestShowUserListsIdentities(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		service, user := operator.Service{Store: w.Store}, w.Users["editor"].ID
		provider := servertest.NewActiveSAMLProvider(w).ID
		servertest.NewIdentity(w, provider, "editor", "")
		shown, err := service.ShowUser(t.Context(), user)
		w.Must(err)
		servertest.Equal(t, "identities before", []operator.Identity{}, shown.Identities)
		id := servertest.NewIdentity(w, provider, "editor", user)
		shown, err = service.ShowUser(t.Context(), user)
		w.Must(err)
		if len(shown.Identities) != 1 || shown.Identities[0].ID != id || shown.Identities[0].Organization != w.Org ||
			shown.Identities[0].Provider != provider || shown.Identities[0].Issuer == "" || shown.Identities[0].LinkedAt.IsZero() {
			t.Errorf("identities: %+v", shown.Identities)
		}
	})
}
