package spaces_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// hideCollection removes the default level of a collection: only admins keep access.
func hideCollection(w *servertest.World, collection string) {
	w.T.Helper()
	servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
		Collection: collection, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
	})
}

// A collection that is hidden from the caller between the check and the commit gets no space or collection from them.
func TestNothingIsCreatedInHiddenCollection(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(w *servertest.World, parent string) servertest.Answer{
		"space": func(w *servertest.World, parent string) servertest.Answer {
			return servertest.Try(w, "creator", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Title: "New", Parent: parent},
			})
		},
		"collection": func(w *servertest.World, parent string) servertest.Answer {
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
			answer := i.Before(func() { hideCollection(w, parent) }, func() servertest.Answer { return create(w, parent) })
			if servertest.Succeeded(answer) {
				t.Errorf("answer %d %s", answer.Status, answer.Body)
			}
			servertest.Equal(t, "spaces in it", 0, len(servertest.SpaceTitles(w, parent)))
		})
	}
}

// A space that is created in a collection between the check and the commit of its deletion is deleted with it, and
// restored with it.
func TestSpaceCreatedDuringDeletionIsInTrash(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	collection := w.NewCollection("Collection", "").ID
	var late string
	answer := i.Before(func() { late = w.CreateSpace("Late", collection, "") }, func() servertest.Answer {
		return servertest.Try(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
	})
	servertest.Equal(t, "deleted", true, servertest.Succeeded(answer))
	servertest.Refused(w, "editor", api.GetSpace, api.GetSpaceInput{Space: late}, 404, api.ReasonNotFound)
	servertest.Do(w, "admin", api.RestoreCollection, api.CollectionRef{Collection: collection})
	servertest.Equal(t, "parent", collection, servertest.ReadSpaceAs(w, "editor", late).Parent)
}
