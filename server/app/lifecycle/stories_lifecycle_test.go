package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// checkSpaceHidden fails the test unless a deleted space is not_found to all operations except reading and restoring
// it.
func checkSpaceHidden(w *servertest.World, space string) {
	w.T.Helper()
	for _, path := range []string{"", "/content", "/content/pages", "/content/files", "/change-requests", "/comments"} {
		as := "admin"
		if path == "" {
			as = "reviewer"
		}
		w.Call(as, "GET", "/v1/spaces/"+space+path, nil, 404)
	}
	for _, write := range [][3]string{
		{"PATCH", "", `{"title":"x"}`},
		{"DELETE", "", ""},
		{"POST", "/move", `{"parent":null}`},
		{"POST", "/change-requests", `{}`},
		{"POST", "/comments", `{"body":{"markdown":"x"}}`},
	} {
		w.WantUntouched(func() api.Error {
			var body any
			if write[2] != "" {
				body = []byte(write[2])
			}
			status := 404
			if write == [3]string{"DELETE"} {
				status = 204 // deleting it again has no effect
			}
			return w.Call("admin", write[0], "/v1/spaces/"+space+write[1], body, status).Error()
		})
	}
	for _, s := range servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Items {
		if s.ID == space {
			w.T.Error("the deleted space is listed")
		}
	}
}

func TestDeleteAndRestoreSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := api.SpaceRef{Space: space}
		servertest.Refused(w, "admin", api.RestoreSpace, ref, 409, api.ReasonState)
		w.Clock.Advance(time.Hour)
		deleted := w.Clock.Now()
		servertest.Do(w, "creator", api.DeleteSpace, ref)
		checkSpaceHidden(w, space)
		shown := servertest.Do(w, "creator", api.GetSpace, api.GetSpaceInput{Space: space})
		if !shown.DeletedAt.Equal(deleted) {
			t.Errorf("deletedAt %v, want %v", shown.DeletedAt, deleted)
		}
		w.Clock.Advance(7*24*time.Hour - time.Millisecond)
		restored := servertest.Do(w, "creator", api.RestoreSpace, ref)
		if !restored.DeletedAt.IsZero() {
			t.Errorf("deletedAt %v", restored.DeletedAt)
		}
		servertest.Equal(t, "text", "Text.\n", w.PageText(space, page))

		servertest.Do(w, "creator", api.DeleteSpace, ref)
		w.Clock.Advance(7 * 24 * time.Hour)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.RestoreSpace, ref, 404, api.ReasonNotFound)
		})
	})
}

// TestDeleteCollectionIncludesContents checks that a collection is deleted with its contents; its spaces can be
// restored to the top level.
func TestDeleteCollectionIncludesContents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		outer := w.NewCollection("Outer", "").ID
		inner := w.NewCollection("Inner", outer).ID
		first, second := w.NewSpaceIn("First", outer).ID, w.NewSpaceIn("Second", inner).ID
		before := w.NewSpaceIn("Deleted before", inner).ID
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: before})
		servertest.Do(w, "creator", api.DeleteCollection, api.CollectionRef{Collection: outer})
		for _, id := range []string{outer, inner} {
			servertest.Refused(w, "admin", api.GetCollection, api.CollectionRef{Collection: id}, 404, api.ReasonNotFound)
			servertest.DeleteAbsent(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: id})
		}
		for _, id := range []string{first, second, before} {
			checkSpaceHidden(w, id)
			restored := servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: id})
			servertest.Equal(t, "parent", "", restored.Parent)
		}
		servertest.Equal(t, "spaces", 3, servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Count)
		servertest.Equal(t, "collections", 0,
			servertest.Do(w, "admin", api.ListCollections, api.ListCollectionsInput{Organization: w.Org}).Count)
	})
}

// TestDeletePrivateCollectionKeepsSpacesPrivate checks that spaces that were private because of their collection stay
// private when it is deleted.
func TestDeletePrivateCollectionKeepsSpacesPrivate(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		private := w.NewCollection("Private", "").ID
		servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
			Collection: private, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
		})
		inner := w.NewCollection("Inner", private).ID
		secret := w.NewSpaceIn("Secret", inner).ID
		servertest.Refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: private})
		servertest.Refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
		servertest.Refused(w, "creator", api.RestoreSpace, api.SpaceRef{Space: secret}, 404, api.ReasonNotFound)
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: secret})
		servertest.Refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
	})
}

func TestMoveSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "").ID
		id := map[string]string{}
		for _, title := range []string{"a", "b", "c", "d"} {
			id[title] = w.NewSpaceIn(title, books).ID
		}
		move := func(space, before, after string) api.MoveSpaceInput {
			return api.MoveSpaceInput{
				Space: id[space], Body: api.Move{
					Position: &api.MovePosition{Before: servertest.SpacePointer(id[before]), After: servertest.SpacePointer(id[after])},
				},
			}
		}
		for _, step := range []struct {
			space, before, after string
			want                 []string
		}{
			{"d", "a", "", []string{"d", "a", "b", "c"}},
			{"d", "", "b", []string{"a", "b", "d", "c"}},
			{"c", "b", "a", []string{"a", "c", "b", "d"}},
			{"a", "", "", []string{"c", "b", "d", "a"}},
		} {
			servertest.Do(w, "creator", api.MoveSpace, move(step.space, step.before, step.after))
			servertest.Equal(t, "order", step.want, servertest.SpaceTitles(w, books))
		}
		for _, same := range []api.MoveSpaceInput{move("a", "", ""), move("b", "d", "c"), move("b", "d", ""), move("b", "", "c")} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "creator", api.MoveSpace, same, 409, api.ReasonNoChange)
			})
		}
		elsewhere := w.NewSpaceIn("elsewhere", "").ID
		id["elsewhere"] = elsewhere
		for field, wrong := range map[string]api.MoveSpaceInput{
			"position":        move("a", "d", "c"), // not adjacent
			"position.before": move("a", "elsewhere", ""),
			"position.after":  move("a", "", "a"),
			"parent":          {Space: id["a"], Body: api.Move{Parent: api.Some(elsewhere)}},
		} {
			w.WantUntouched(func() api.Error {
				e := servertest.Refused(w, "creator", api.MoveSpace, wrong, 422, api.ReasonInvalid)
				if !slices.ContainsFunc(e.Fields, func(f api.FieldError) bool { return f.Path == field }) {
					t.Errorf("fields %v, want %s", e.Fields, field)
				}
				return e
			})
		}
		// Move space b into another collection, before space x of that collection.
		other := w.NewCollection("Other", "").ID
		id["x"] = w.NewSpaceIn("x", other).ID
		into := move("b", "x", "")
		into.Body.Parent = api.Some(other)
		servertest.Equal(t, "parent", other, servertest.Do(w, "creator", api.MoveSpace, into).Parent)
		servertest.Equal(t, "order", []string{"b", "x"}, servertest.SpaceTitles(w, other))
		servertest.Equal(t, "order", []string{"c", "d", "a"}, servertest.SpaceTitles(w, books))
		out := servertest.Do(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: id["b"], Body: api.Move{Parent: api.Null[string]()}})
		servertest.Equal(t, "parent", "", out.Parent)
	})
}

func TestMoveCollection(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		outer := w.NewCollection("Outer", "").ID
		inner := w.NewCollection("Inner", outer).ID
		innermost := w.NewCollection("Innermost", inner).ID
		space := w.NewSpaceIn("Space", innermost).ID
		for _, target := range []string{outer, inner, innermost} {
			w.WantUntouched(func() api.Error {
				e := servertest.Refused(w, "creator", api.MoveCollection, api.MoveCollectionInput{
					Collection: outer, Body: api.Move{Parent: api.Some(target)},
				}, 422, api.ReasonInvalid)
				if len(e.Fields) != 1 || e.Fields[0].Path != "parent" {
					t.Errorf("fields %v", e.Fields)
				}
				return e
			})
		}
		moved := servertest.Do(w, "creator", api.MoveCollection, api.MoveCollectionInput{
			Collection: inner, Body: api.Move{Parent: api.Null[string]()},
		})
		servertest.Equal(t, "parent", "", moved.Parent)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.MoveCollection, api.MoveCollectionInput{
				Collection: inner, Body: api.Move{Parent: api.Null[string]()},
			}, 409, api.ReasonNoChange)
		})
		servertest.Do(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: outer, Body: api.Move{Parent: api.Some(inner)}})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: inner})
		checkSpaceHidden(w, space)
		servertest.Refused(w, "admin", api.GetCollection, api.CollectionRef{Collection: outer}, 404, api.ReasonNotFound)
	})
}

// TestGarbageCollectionKeepsReachableContent checks that garbage collection does not remove content that can still be
// read.
func TestGarbageCollectionKeepsReachableContent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One sentence. Another one.\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "One sentence, edited. Another one.\n"))
		between := w.NewRequest("editor", space)
		w.Change(between, servertest.Write(page, "One sentence. Another one, too.\n"))
		w.MustMerge(between)
		w.CollectGarbage()
		w.Serve() // with empty caches
		content := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		servertest.Equal(t, "parents", 2, len(content.Parents))
		servertest.Equal(t, "pull", api.OutcomeUpdate, w.Pull(ref).Result)
		w.CollectGarbage()
		w.Serve()
		w.MustMerge(ref)
		servertest.Equal(t, "text", "One sentence, edited. Another one, too.\n", w.PageText(space, page))
	})
}
