package specs_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestConcurrentPendingSpecsAreLimited checks that a user who sets the sources of two specifications at the same time
// gets both if the limit allows it, and only one otherwise.
func TestConcurrentPendingSpecsAreLimited(t *testing.T) {
	t.Parallel()
	for most, accepted := range map[int64]bool{1: false, 2: true} {
		i := servertest.NewInterference(t)
		few := budgets.Defaults()
		few.UserSpecs = most
		i.Serve(func(o *server.Options) { o.Budgets = few })
		put := func(slug string) servertest.Response {
			return servertest.Try(i.World, "creator", api.PutOpenAPISpec, api.PutOpenAPISpecInput{
				OpenAPISpecRef: servertest.SpecRef(i.World, slug), Body: api.OpenAPISpecPut{
					Source: api.OpenAPISource{Text: servertest.PetsText},
				},
			})
		}
		var first servertest.Response
		second := i.Before(func() { first = put("first") }, func() servertest.Response { return put("second") })
		servertest.Equal(t, "first", true, servertest.Succeeded(first))
		servertest.Equal(t, "second", accepted, servertest.Succeeded(second))
		if !accepted {
			servertest.Refusal(i.World, second, 403, api.ReasonQuotaExceeded)
		}
	}
}

// TestMergeDuringSpecUpdate checks that a space gets the new version of a specification, and keeps what is merged while
// the job adds the version.
func TestMergeDuringSpecUpdate(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	servertest.NewSpec(w, "shop", shopText)
	space := newSpaceOfSpec(w)
	servertest.RunJobs(w)
	merged := 0
	for n, interfered := int64(1), true; interfered && !t.Failed(); n++ {
		words := "List pets" + string(rune('a'+n))
		var second api.OpenAPISpec
		interfered = hook.Before(n, func() {
			ref := w.NewRequest("editor", space)
			w.Change(ref, servertest.NewPage("Guide", "x\n"))
			w.MustMerge(ref)
			merged++
		}, func() { second = putShop(w, words) })
		now := headOf(w, space)
		servertest.Equal(t, "versions", []string{second.LastVersion}, seeds(now.Pages))
		servertest.Equal(t, "pages", merged+1, len(now.Pages))
	}
}

// TestSpecUpdateRetriesSpaceInTransfer checks that a space that a transfer has closed, or that is still arriving, gets
// the new version of a specification once the transfer has ended, and that a space that has left is not waited for.
func TestSpecUpdateRetriesSpaceInTransfer(t *testing.T) {
	t.Parallel()
	for state, retried := range map[store.EntryState]bool{
		store.EntryMoving: true, store.EntryArriving: true, store.EntryLeaving: false,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w := servertest.NewWorld(t, storetest.Memory())
			first := servertest.NewSpec(w, "shop", shopText)
			space := newSpaceOfSpec(w)
			setState := func(state store.EntryState) {
				storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
					d, err := tx.Space(w.Org, space)
					if err != nil {
						return err
					}
					d.Private.State = state
					_, err = tx.PutSpace(d)
					return err
				})
			}
			setState(state)
			servertest.PutSpec(w, "shop", api.OpenAPISource{Text: strings.Replace(shopText, "List pets", "List all pets", 1)})
			if err := w.Server.RunDueJobs(t.Context()); (err != nil) != retried {
				t.Errorf("jobs: %v", err)
			}
			setState("")
			servertest.Equal(t, "versions during the transfer", []string{first.LastVersion}, seeds(headOf(w, space).Pages))
			w.Clock.Advance(time.Minute)
			second, want := servertest.ReadSpec(w, "shop"), first.LastVersion
			if retried {
				want = second.LastVersion
			}
			servertest.Equal(t, "new version", false, second.LastVersion == first.LastVersion)
			servertest.Equal(t, "versions after the transfer", []string{want}, seeds(headOf(w, space).Pages))
		})
	}
}
