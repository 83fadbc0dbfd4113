package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// hideCollection removes the default level of a collection: only admins keep access.
func hideCollection(w *servertest.World, collection string) {
	w.T.Helper()
	servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
		Collection: collection, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
	})
}

// TestNothingIsCreatedInHiddenCollection checks that no space or collection is created in a collection that is hidden from the
// caller between the check and the commit.
func TestNothingIsCreatedInHiddenCollection(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(w *servertest.World, parent string) servertest.Response{
		"space": func(w *servertest.World, parent string) servertest.Response {
			return servertest.Try(w, "creator", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Title: "New", Parent: parent},
			})
		},
		"collection": func(w *servertest.World, parent string) servertest.Response {
			return servertest.Try(w, "creator", api.CreateCollection, api.CreateCollectionInput{
				Organization: w.Org, Body: api.CollectionCreate{Title: "New", Parent: parent},
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w := i.World
			parent := w.NewCollection("Parent", "").ID
			response := i.Before(func() { hideCollection(w, parent) }, func() servertest.Response { return create(w, parent) })
			if servertest.Succeeded(response) {
				t.Errorf("answer %d %s", response.Status, response.Body)
			}
			servertest.Equal(t, "spaces in it", 0, len(servertest.SpaceTitles(w, parent)))
		})
	}
}

// TestSpaceCreatedDuringDeletionIsInTrash checks that a space that is created in a collection between the check and the commit
// of its deletion is deleted with it, and restored with it.
func TestSpaceCreatedDuringDeletionIsInTrash(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	collection := w.NewCollection("Collection", "").ID
	var late string
	response := i.Before(func() { late = w.CreateSpace("Late", collection, "") }, func() servertest.Response {
		return servertest.Try(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
	})
	servertest.Equal(t, "deleted", true, servertest.Succeeded(response))
	servertest.Refused(w, "editor", api.GetSpace, api.GetSpaceInput{Space: late}, 404, api.ReasonNotFound)
	servertest.Do(w, "admin", api.RestoreCollection, api.CollectionRef{Collection: collection})
	servertest.Equal(t, "parent", collection, servertest.ReadSpaceAs(w, "editor", late).Parent)
}

// TestNothingIsGrantedToRemovedMemberOrTeam checks that a member who is removed, or a team that is deleted, by another node
// between the check and the commit is given no role.
func TestNothingIsGrantedToRemovedMemberOrTeam(t *testing.T) {
	t.Parallel()
	role := api.RoleEdit
	for _, name := range []string{"member", "team"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w, space := i.World, i.CreateSpace("Space", "", "")
			team := w.NewTeam("reader").ID
			body, remove := api.PermissionCreate{Role: &role, Users: []string{w.Users["guest"].ID}}, func() { w.RemoveMember("guest") }
			if name == "team" {
				body.Users, body.Teams = nil, []string{team}
				remove = func() {
					storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
						_, err := tx.Team(w.Org, team)
						tx.DeleteTeam(w.Org, team)
						return err
					})
				}
			}
			response := i.Before(remove, func() servertest.Response {
				return servertest.Try(w, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{
					SpaceRef: api.SpaceRef{Space: space}, Body: body,
				})
			})
			servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, response.Status)
			servertest.Refused(w, "guest", api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
		})
	}
}

// TestRestoreWithoutFormerNeighbour checks that a space is restored although another node moves its former neighbour away
// between the check and the commit.
func TestRestoreWithoutFormerNeighbour(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	elsewhere := w.NewCollection("Elsewhere", "").ID
	first, second := w.CreateSpace("First", "", ""), w.CreateSpace("Second", "", "")
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: second})
	response := i.Before(func() {
		storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
			d, err := tx.Space(w.Org, first)
			if err != nil {
				return err
			}
			if err := tx.MoveSpace(&d, elsewhere, txn.Position{}); err != nil {
				return err
			}
			_, err = tx.PutSpace(d)
			return err
		})
	}, func() servertest.Response {
		return servertest.Try(w, "admin", api.RestoreSpace, api.SpaceRef{Space: second})
	})
	servertest.Equal(t, "status of the answer", http.StatusOK, response.Status)
	servertest.Equal(t, "deleted", false, !servertest.ReadSpaceAs(w, "admin", second).DeletedAt.IsZero())
	servertest.Equal(t, "parent of the neighbour", elsewhere, servertest.ReadSpaceAs(w, "admin", first).Parent)
}
