package specs_test

import (
	"testing"

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
		put := func(slug string) servertest.Answer {
			return servertest.Try(i.World, "creator", api.PutOpenAPISpec, api.PutOpenAPISpecInput{
				OpenAPISpecRef: servertest.SpecRef(i.World, slug), Body: api.OpenAPISpecPut{
					Source: api.OpenAPISource{Text: servertest.PetsText},
				},
			})
		}
		var first servertest.Answer
		second := i.Before(func() { first = put("first") }, func() servertest.Answer { return put("second") })
		servertest.Equal(t, "first", true, servertest.Succeeded(first))
		servertest.Equal(t, "second", accepted, servertest.Succeeded(second))
		if !accepted {
			servertest.Refusal(i.World, second, 403, api.ReasonQuotaExceeded)
		}
	}
}

// TestMergeDuringUpdateOfSpec checks that a space gets the new version of a specification, and keeps what is merged while
// the job adds the version.
func TestMergeDuringUpdateOfSpec(t *testing.T) {
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
		}, func() { second = shopRead(w, words) })
		now := headOf(w, space)
		servertest.Equal(t, "versions", []string{second.LastVersion}, seeds(now.Pages))
		servertest.Equal(t, "pages", merged+1, len(now.Pages))
	}
}
