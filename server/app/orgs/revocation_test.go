package orgs_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestRevocationIsFinal checks that after the response to a revocation no write with the revoked token is accepted,
// including writes in progress.
func TestRevocationIsFinal(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Busy", "", "")
		var accepted, revoked atomic.Int64
		begun := make(chan struct{}, 100)
		count := func() int {
			return servertest.Do(w, "admin", api.ListChangeRequests, api.ListChangeRequestsInput{
				Space: space, Status: api.StatusDraft,
			}).Count
		}
		var atRevocation int
		servertest.Concurrently(5, func(i int) {
			if i == 0 {
				for range 5 {
					<-begun
				}
				defer revoked.Store(1)
				w.SetMember("editor", api.RoleRead)
				atRevocation = count()
				return
			}
			for after := 0; after < 3; {
				late := revoked.Load() == 1
				a := servertest.Try(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				switch {
				case a.Status == http.StatusCreated && !late:
					accepted.Add(1)
				case a.Status == http.StatusForbidden:
				default:
					t.Errorf("late %t: %d %s", late, a.Status, a.Body)
				}
				if late {
					after++
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
		if got := count(); got != atRevocation || int64(got) != accepted.Load() {
			t.Errorf("%d were made, %d accepted, %d when the revocation was answered", got, accepted.Load(), atRevocation)
		}
	})
}
