package lifecycle_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
)

// TestCopiesOfUserAreLimited checks that a user who has as many duplicates and transfers under way as allowed gets no further
// one, that other users do, and that the end of one makes room.
func TestCopiesOfUserAreLimited(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	i.Serve(func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		i.Must(o.Budgets.Set("turn-wait=1ns,user-copies=1"))
	})
	target := servertest.NewOrganization(i.World, "Target")
	space, _ := i.NewSpaceWithPage("Text.\n")
	ref, input := api.SpaceRef{Space: space}, servertest.TransferInput(space, target)
	first, _ := i.BeforeWrite(2, func() {
		for _, refused := range []servertest.Response{
			servertest.Try(i.World, "admin", api.DuplicateSpace, ref), servertest.Try(i.World, "admin", api.TransferSpace, input),
		} {
			servertest.Refusal(i.World, refused, http.StatusTooManyRequests, api.ReasonRateLimited)
			if refused.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		servertest.Do(i.World, "creator", api.DuplicateSpace, ref)
	}, func() servertest.Response { return servertest.Try(i.World, "admin", api.DuplicateSpace, ref) })
	servertest.Equal(t, "first duplicate", http.StatusCreated, first.Status)
	servertest.Do(i.World, "admin", api.TransferSpace, input)
}
