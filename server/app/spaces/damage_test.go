package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// A space whose content cannot be read can be deleted and restored, and a dry run of the deletion counts no pages.
func TestUnreadableSpaceIsDeleted(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	space, _ := w.NewSpaceWithPage("Text.\n")
	heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
	w.Must(err)
	removeObject(space, heads[space].Pages)
	w.Serve()
	w.Call("admin", http.MethodDelete, "/v1/spaces/"+space+"?dryRun=true", nil, http.StatusOK)
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
	servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
	servertest.Equal(t, "deleted", true, servertest.ReadSpaceAs(w, "admin", space).DeletedAt.IsZero())
}
