package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestDeleteAndRestoreUnreadableSpace checks that a space whose content cannot be read can be deleted and restored, and a dry
// run of the deletion counts no pages.
func TestDeleteAndRestoreUnreadableSpace(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"missing", "damaged", "damaged head"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			space, _ := w.NewSpaceWithPage("Text.\n")
			heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
			w.Must(err)
			head := heads[space]
			switch name {
			case "missing":
				removeObject(space, head.Pages)
			case "damaged":
				w.DamageObject(space, head.Pages)
			case "damaged head":
				storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
					head.Pages = "damaged"
					tx.SetHead(w.Org, space, head)
					return nil
				})
			}
			w.Serve()
			w.Call("admin", http.MethodDelete, "/v1/spaces/"+space+"?dryRun=true", nil, http.StatusOK)
			servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
			servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
			servertest.Equal(t, "deleted", true, servertest.ReadSpaceAs(w, "admin", space).DeletedAt.IsZero())
		})
	}
}
