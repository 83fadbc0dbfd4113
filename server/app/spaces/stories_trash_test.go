package spaces_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// listTrash lists the entries that a user may restore.
func listTrash(w *servertest.World, as string) []api.TrashItem {
	w.T.Helper()
	return servertest.Do(w, as, api.ListTrash, api.ListTrashInput{Organization: w.Org}).Items
}

func idsOf(items []api.TrashItem) (ids []string) {
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// restoreCollection restores a collection.
func restoreCollection(w *servertest.World, as, collection string) api.Collection {
	w.T.Helper()
	return servertest.Do(w, as, api.RestoreCollection, api.CollectionRef{Collection: collection})
}

// TestRestoreCollectionRestoresContents checks that a collection with eight spaces is deleted and restored with
// unchanged positions, levels and grants. Spaces that were deleted before stay in the trash, and a space that was
// restored alone stays where it is.
func TestRestoreCollectionRestoresContents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		first, docs, last := w.NewSpaceIn("First", ""), w.NewCollection("Docs", "").ID, w.NewSpaceIn("Last", "")
		inner := w.NewCollection("Inner", docs).ID
		var spaces []string
		for i := range 8 {
			parent := docs
			if i >= 5 {
				parent = inner
			}
			spaces = append(spaces, w.NewSpaceIn(fmt.Sprintf("Space %d", i), parent).ID)
		}
		before := w.NewSpaceIn("Deleted before", inner).ID
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: before})
		servertest.GrantAccess(w, docs, api.PermissionCreate{Role: new(api.RoleRead), Users: []string{w.Users["guest"].ID}})
		servertest.GrantAccess(w, inner, api.PermissionCreate{
			Role: new(api.RoleEdit), Users: []string{w.Users["reader"].ID, w.Users["commenter"].ID},
		})
		servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
			Collection: inner, Body: api.CollectionPatch{DefaultLevel: api.Some(api.Level(api.RoleComment))},
		})
		shown := func(id string) api.Space { return servertest.ReadSpaceAs(w, "admin", id) }
		titles := func() [][]string {
			return [][]string{servertest.SpaceTitles(w, docs), servertest.SpaceTitles(w, inner)}
		}
		wanted := titles()

		rehearsed := w.Call("creator", http.MethodDelete, "/v1/collections/"+docs+"?dryRun=true", nil, http.StatusOK)
		var removal api.Removal
		servertest.Decode(w, rehearsed, &removal)
		servertest.Equal(t, "header of the dry run", "collections=1, spaces=8", rehearsed.Header.Get(api.RemovedHeader))
		servertest.Equal(t, "spaces named", 8, len(removal.With[1].Named))
		servertest.Equal(t, "a name", "Space 0", removal.With[1].Named[0].Title)
		w.Clock.Advance(time.Hour)
		gone := w.Call("creator", http.MethodDelete, "/v1/collections/"+docs, nil, http.StatusResetContent)
		servertest.Equal(t, "header", "collections=1, spaces=8", gone.Header.Get(api.RemovedHeader))
		servertest.Equal(t, "deletedAt", w.Clock.Now(), shown(spaces[6]).DeletedAt.Time)
		servertest.DeleteAbsent(w, "admin", api.DeleteSpace, api.SpaceRef{Space: spaces[6]})

		servertest.Equal(t, "trash of who may only comment in the inner one", []string{docs}, idsOf(listTrash(w, "creator")))
		items := listTrash(w, "admin")
		servertest.Equal(t, "trash, the last first", []string{docs, before}, idsOf(items))
		servertest.Equal(t, "by", w.Users["creator"].ID, items[0].DeletedBy.ID)
		servertest.Equal(t, "until", items[0].DeletedAt.Add(store.TrashTime), items[0].RestoreUntil.Time)
		servertest.Equal(t, "holds", removal.With, items[0].Holds)
		servertest.Equal(t, "trash of who may create nothing", 0, len(listTrash(w, "reviewer")))

		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[0]})
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["commenter"].ID})
		w.Clock.Advance(store.TrashTime - time.Hour)
		servertest.RunJobs(w) // purges "Deleted before"
		back := restoreCollection(w, "creator", docs)
		servertest.Equal(t, "deletedAt", true, back.DeletedAt.IsZero())
		servertest.Equal(t, "level", api.LevelInherit, *back.DefaultLevel)
		wanted[0] = slices.Delete(wanted[0], 0, 1)
		servertest.Equal(t, "order", wanted, titles())
		for _, id := range spaces[1:] {
			servertest.Equal(t, "level of a space", api.LevelInherit, *shown(id).DefaultLevel)
		}
		servertest.Equal(t, "the guest's role", api.RoleRead, servertest.ShownRole(w, "guest", spaces[1]))
		servertest.Equal(t, "a role by name in the inner one", api.RoleEdit, servertest.ShownRole(w, "reader", spaces[6]))
		servertest.Equal(t, "a role by the level of the inner one", api.RoleComment, servertest.ShownRole(w, "editor", spaces[6]))
		if names := grantedUsers(w, inner); slices.Contains(names, w.Users["commenter"].ID) ||
			!slices.Contains(names, w.Users["reader"].ID) {
			t.Errorf("grants on the inner collection: %v", names)
		}
		servertest.Equal(t, "alone, and stays there", "", shown(spaces[0]).Parent)
		servertest.Refused(w, "admin", api.MoveCollection,
			api.MoveCollectionInput{Collection: docs, Body: api.Move{Position: &api.MovePosition{
				After: servertest.SpacePointer(first.ID), Before: servertest.SpacePointer(last.ID),
			}}}, http.StatusConflict, api.ReasonNoChange) // it has its former position
		servertest.Refused(w, "admin", api.RestoreCollection, api.CollectionRef{Collection: docs}, http.StatusConflict, api.ReasonState)
	})
}

// grantedUsers lists the users with a direct grant in a collection.
func grantedUsers(w *servertest.World, collection string) (users []string) {
	page := servertest.Do(w, "admin", api.ListCollectionPermissionUsers, api.ListCollectionGrantsInput{
		CollectionRef: api.CollectionRef{Collection: collection},
	})
	for _, item := range page.Items {
		users = append(users, item.User.ID)
	}
	return users
}

// TestRestoreKeepsEffectiveLevel checks that a restored space does not become more widely visible: neither alone, nor
// in a collection whose level was raised since.
func TestRestoreKeepsEffectiveLevel(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		outer := w.NewCollection("Outer", "").ID
		inner := w.NewCollection("Inner", outer).ID
		secret, other := w.NewSpaceIn("Secret", inner).ID, w.NewSpaceIn("Other", outer).ID
		level := func(of string, to api.Optional[api.Level]) {
			servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
				Collection: of, Body: api.CollectionPatch{DefaultLevel: to},
			})
		}
		level(outer, api.Null[api.Level]())
		hidden := func(what, space string) {
			t.Helper()
			if got := w.Send("creator", http.MethodGet, "/v1/spaces/"+space, nil).Status; got != http.StatusNotFound {
				t.Errorf("%s: the creator gets %d", what, got)
			}
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: other})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: inner})
		level(outer, api.Some(api.Level(api.RoleEdit)))
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: other})
		hidden("back in a collection that was opened", other)
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: secret})
		hidden("alone, at the top", secret)
		servertest.Equal(t, "parent", "", servertest.ReadSpaceAs(w, "admin", secret).Parent)
		servertest.Equal(t, "level", true, restoreCollection(w, "admin", inner).DefaultLevel == nil)

		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: inner})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: outer})
		servertest.Equal(t, "back, where its collection is in the trash", "", restoreCollection(w, "admin", inner).Parent)
		servertest.Equal(t, "trash", []string{outer}, idsOf(listTrash(w, "admin")))
	})
}

// TestPurgeCollectionRemovesContents checks that the purge of a collection removes the contents that are still in it,
// and nothing else.
func TestPurgeCollectionRemovesContents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		outer := w.NewCollection("Outer", "").ID
		inner := w.NewCollection("Inner", outer).ID
		kept, gone, deep := w.NewSpaceIn("Kept", outer).ID, w.NewSpaceIn("Gone", outer).ID, w.NewSpaceIn("Deep", inner).ID
		servertest.GrantAccess(w, inner, api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.Users["reader"].ID}})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: outer})
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: kept})
		w.Clock.Advance(store.TrashTime)
		servertest.Refused(w, "admin", api.RestoreCollection, api.CollectionRef{Collection: outer}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Equal(t, "trash", 0, len(listTrash(w, "admin")))
		servertest.RunJobs(w)
		for _, id := range []string{outer, inner, gone, deep} {
			if left := servertest.KeysWithID(w, id); len(left) > 0 {
				t.Errorf("what is left of %s: %v", id, left)
			}
		}
		servertest.Equal(t, "events", 2, servertest.CountPurges(w))
		servertest.Equal(t, "kept", "Kept", servertest.ReadSpaceAs(w, "admin", kept).Title)
	})
}

// TestListTrashShowsDeletedBy checks that a deleted space whose id is unknown is listed in the trash with the user
// who deleted it.
func TestListTrashShowsDeletedBy(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		site := servertest.NewSite(w, api.SitePublic, space)
		var removal api.Removal
		servertest.Decode(w, w.Call("creator", http.MethodDelete, "/v1/spaces/"+space+"?dryRun=true", nil, http.StatusOK), &removal)
		servertest.Equal(t, "goes with it", []api.Taken{
			api.NewTaken("pages", 1), api.NewTaken("change-requests", 2),
			api.NewTaken("sites", 1, api.TakenThing{ID: site.Site, Title: removal.With[2].Named[0].Title}),
		}, removal.With)
		gone := w.Call("creator", http.MethodDelete, "/v1/spaces/"+space, nil, api.DeleteSpace.Status)
		servertest.Equal(t, "header", "pages=1, change-requests=2, sites=1", gone.Header.Get(api.RemovedHeader))
		w.Call("creator", http.MethodGet, "/v1/spaces/"+space+"/change-requests/"+ref.ChangeRequest, nil, http.StatusNotFound)
		items := listTrash(w, "admin")
		if len(items) != 1 || items[0].Kind != api.TrashSpace || items[0].DeletedBy == nil ||
			items[0].DeletedBy.ID != w.Users["creator"].ID {
			t.Fatalf("trash %+v", items)
		}
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: items[0].ID})
		servertest.Equal(t, "text", "Text.\n", w.PageText(space, page))
		servertest.Equal(t, "trash", 0, len(listTrash(w, "admin")))
	})
}
