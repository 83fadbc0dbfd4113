package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// A space whose content cannot be read can be deleted and restored, and a dry run of the deletion counts no pages.
func TestUnreadableSpaceIsDeleted(t *testing.T) {
	t.Parallel()
	breaker, prefix := &storetest.Breaker{}, ""
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		prefix = c.Prefix
		c.Hooks = append(c.Hooks, breaker)
	})
	w.SkipFsck = true
	space, _ := w.NewSpaceWithPage("Text.\n")
	heads, err := w.Store.HeadsOf(t.Context(), w.Org, space)
	w.Must(err)
	breaker.RemoveObject(t, w.Store, prefix, space, heads[space].Pages)
	w.Serve()
	w.Call("admin", http.MethodDelete, "/v1/spaces/"+space+"?dryRun=true", nil, http.StatusOK)
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
	servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
	servertest.Equal(t, "deleted", true, servertest.ReadSpaceAs(w, "admin", space).DeletedAt.IsZero())
}
