package server_test

import (
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// hiddenSpace fails the test unless a deleted space is as good as gone for everything but getting and restoring it.
func hiddenSpace(w *world, space string) {
	w.t.Helper()
	for _, path := range []string{"", "/content", "/content/pages", "/content/files", "/change-requests", "/comments"} {
		as := "admin"
		if path == "" {
			as = "reviewer"
		}
		w.call(as, "GET", "/v1/spaces/"+space+path, nil, 404)
	}
	for _, write := range [][3]string{
		{"PATCH", "", `{"title":"x"}`},
		{"DELETE", "", ""},
		{"POST", "/move", `{"parent":null}`},
		{"POST", "/change-requests", `{}`},
		{"POST", "/comments", `{"body":{"markdown":"x"}}`},
	} {
		w.untouched(func() api.Error {
			var body any
			if write[2] != "" {
				body = []byte(write[2])
			}
			return w.call("admin", write[0], "/v1/spaces/"+space+write[1], body, 404).Error()
		})
	}
	for _, s := range do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.org}).Items {
		if s.ID == space {
			w.t.Error("the deleted space is listed")
		}
	}
}

func TestStoryOfADeletedSpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		ref := api.SpaceRef{Space: space}
		refused(w, "admin", api.RestoreSpace, ref, 409, api.ReasonState)
		w.clock.Advance(time.Hour)
		deleted := w.clock.Now()
		do(w, "creator", api.DeleteSpace, ref)
		hiddenSpace(w, space)
		shown := do(w, "creator", api.GetSpace, api.GetSpaceInput{Space: space})
		if !shown.DeletedAt.Equal(deleted) {
			t.Errorf("deletedAt %v, want %v", shown.DeletedAt, deleted)
		}
		w.clock.Advance(7*24*time.Hour - time.Millisecond)
		restored := do(w, "creator", api.RestoreSpace, ref)
		if !restored.DeletedAt.IsZero() {
			t.Errorf("deletedAt %v", restored.DeletedAt)
		}
		equal(t, "text", "Text.\n", w.text(space, page))

		do(w, "creator", api.DeleteSpace, ref)
		w.clock.Advance(7 * 24 * time.Hour)
		w.untouched(func() api.Error { return refused(w, "admin", api.RestoreSpace, ref, 404, api.ReasonNotFound) })
	})
}

// A collection goes with all that is in it; its spaces can be got back, to the top.
func TestStoryOfADeletedCollection(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		outer := w.newCollection("Outer", "").ID
		inner := w.newCollection("Inner", outer).ID
		first, second := w.newSpaceIn("First", outer).ID, w.newSpaceIn("Second", inner).ID
		before := w.newSpaceIn("Deleted before", inner).ID
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: before})
		do(w, "creator", api.DeleteCollection, api.CollectionRef{Collection: outer})
		for _, id := range []string{outer, inner} {
			refused(w, "admin", api.GetCollection, api.CollectionRef{Collection: id}, 404, api.ReasonNotFound)
			refused(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: id}, 404, api.ReasonNotFound)
		}
		for _, id := range []string{first, second, before} {
			hiddenSpace(w, id)
			restored := do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: id})
			equal(t, "parent", "", restored.Parent)
		}
		equal(t, "spaces", 3, do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.org}).Count)
		equal(t, "collections", 0, do(w, "admin", api.ListCollections, api.ListCollectionsInput{Organization: w.org}).Count)
	})
}

// What few could see because of its collection does not come out with the collection's deletion.
func TestStoryOfAPrivateCollection(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		private := w.newCollection("Private", "").ID
		do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{Collection: private, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()}})
		inner := w.newCollection("Inner", private).ID
		secret := w.newSpaceIn("Secret", inner).ID
		refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
		do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: private})
		refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
		refused(w, "creator", api.RestoreSpace, api.SpaceRef{Space: secret}, 404, api.ReasonNotFound)
		do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: secret})
		refused(w, "creator", api.GetSpace, api.GetSpaceInput{Space: secret}, 404, api.ReasonNotFound)
	})
}

func TestStoryOfMoves(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		books := w.newCollection("Books", "").ID
		id := map[string]string{}
		for _, title := range []string{"a", "b", "c", "d"} {
			id[title] = w.newSpaceIn(title, books).ID
		}
		move := func(space, before, after string) api.MoveSpaceInput {
			return api.MoveSpaceInput{Space: id[space], Body: api.Move{Position: &api.MovePosition{Before: pointer(id[before]), After: pointer(id[after])}}}
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
			do(w, "creator", api.MoveSpace, move(step.space, step.before, step.after))
			equal(t, "order", step.want, spacesOf(w, books))
		}
		for _, same := range []api.MoveSpaceInput{move("a", "", ""), move("b", "d", "c"), move("b", "d", ""), move("b", "", "c")} {
			w.untouched(func() api.Error { return refused(w, "creator", api.MoveSpace, same, 409, api.ReasonNoChange) })
		}
		elsewhere := w.newSpaceIn("elsewhere", "").ID
		id["elsewhere"] = elsewhere
		for field, wrong := range map[string]api.MoveSpaceInput{
			"position":        move("a", "d", "c"), // not next to each other
			"position.before": move("a", "elsewhere", ""),
			"position.after":  move("a", "", "a"),
			"parent":          {Space: id["a"], Body: api.Move{Parent: api.Some(elsewhere)}},
		} {
			w.untouched(func() api.Error {
				e := refused(w, "creator", api.MoveSpace, wrong, 422, api.ReasonInvalid)
				if !slices.ContainsFunc(e.Fields, func(f api.FieldError) bool { return f.Path == field }) {
					t.Errorf("fields %v, want %s", e.Fields, field)
				}
				return e
			})
		}
		// Into another collection, before one of its spaces.
		other := w.newCollection("Other", "").ID
		id["x"] = w.newSpaceIn("x", other).ID
		into := move("b", "x", "")
		into.Body.Parent = api.Some(other)
		equal(t, "parent", other, do(w, "creator", api.MoveSpace, into).Parent)
		equal(t, "order", []string{"b", "x"}, spacesOf(w, other))
		equal(t, "order", []string{"c", "d", "a"}, spacesOf(w, books))
		out := do(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: id["b"], Body: api.Move{Parent: api.Null[string]()}})
		equal(t, "parent", "", out.Parent)
	})
}

func TestStoryOfMovedCollections(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		outer := w.newCollection("Outer", "").ID
		inner := w.newCollection("Inner", outer).ID
		innermost := w.newCollection("Innermost", inner).ID
		space := w.newSpaceIn("Space", innermost).ID
		for _, target := range []string{outer, inner, innermost} {
			w.untouched(func() api.Error {
				e := refused(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: outer, Body: api.Move{Parent: api.Some(target)}}, 422, api.ReasonInvalid)
				if len(e.Fields) != 1 || e.Fields[0].Path != "parent" {
					t.Errorf("fields %v", e.Fields)
				}
				return e
			})
		}
		moved := do(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: inner, Body: api.Move{Parent: api.Null[string]()}})
		equal(t, "parent", "", moved.Parent)
		w.untouched(func() api.Error {
			return refused(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: inner, Body: api.Move{Parent: api.Null[string]()}}, 409, api.ReasonNoChange)
		})
		do(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: outer, Body: api.Move{Parent: api.Some(inner)}})
		do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: inner})
		hiddenSpace(w, space)
		refused(w, "admin", api.GetCollection, api.CollectionRef{Collection: outer}, 404, api.ReasonNotFound)
	})
}

// The sweep of what nothing reaches takes nothing away that somebody may still ask for.
func TestStoryOfASweep(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("One sentence. Another one.\n")
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "One sentence, edited. Another one.\n"))
		between := w.newRequest("editor", space)
		w.change(between, write(page, "One sentence. Another one, too.\n"))
		w.merged(between)
		w.sweep()
		w.serve() // without anything in memory
		content := do(w, "reader", api.GetContent, api.GetContentInput{Space: space})
		equal(t, "parents", 2, len(content.Parents))
		equal(t, "pull", api.OutcomeUpdate, w.pull(ref).Result)
		w.sweep()
		w.serve()
		w.merged(ref)
		equal(t, "text", "One sentence, edited. Another one, too.\n", w.text(space, page))
	})
}
