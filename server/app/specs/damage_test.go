package specs_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// unreadableSpaces maps the reasons why the content of a space cannot be read to functions that cause them.
var unreadableSpaces = map[string]func(w *servertest.World, removeObject func(owner, hash string), space string){
	"pages are missing": func(w *servertest.World, removeObject func(owner, hash string), space string) {
		removeObject(space, pagesOf(w, space))
	},
	"pages are damaged": func(w *servertest.World, _ func(owner, hash string), space string) {
		w.DamageObject(space, pagesOf(w, space))
	},
	"head is damaged": func(w *servertest.World, _ func(owner, hash string), space string) {
		w.Must(w.Store.Client.HSet(w.T.Context(), w.Store.Name(store.HeadsKey(w.Org)), space, "r_x - - 1 -").Err())
	},
}

// pagesOf returns the hash of the pages of a space.
func pagesOf(w *servertest.World, space string) string {
	w.T.Helper()
	heads, err := w.Store.LoadHeads(w.T.Context(), w.Org, space)
	w.Must(err)
	return heads[space].Pages
}

// newSpaceOfSpec returns a space with pages of the specification shop.
func newSpaceOfSpec(w *servertest.World) (space string) {
	w.T.Helper()
	ref := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(ref, servertest.InsertComputedPage("API", "shop"))
	w.MustMerge(ref)
	return ref.Space
}

// TestNewVersionSkipsUnreadableSpaces checks that a new version of a specification is shown in the readable spaces.
func TestNewVersionSkipsUnreadableSpaces(t *testing.T) {
	t.Parallel()
	for name, damage := range unreadableSpaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			servertest.NewSpec(w, "shop", shopText)
			spaces := []string{newSpaceOfSpec(w), newSpaceOfSpec(w), newSpaceOfSpec(w)}
			servertest.RunJobs(w)
			damage(w, removeObject, spaces[1])
			w.Serve()
			second := putShop(w, "List all pets")
			for _, space := range []string{spaces[0], spaces[2]} {
				servertest.Equal(t, "versions", []string{second.LastVersion}, seeds(headOf(w, space).Pages))
			}
		})
	}
}

// TestDeleteSpecOfUnreadableSpace checks that a specification can be deleted if only an unreadable space has its pages.
func TestDeleteSpecOfUnreadableSpace(t *testing.T) {
	t.Parallel()
	for name, damage := range unreadableSpaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			servertest.NewSpec(w, "shop", shopText)
			damage(w, removeObject, newSpaceOfSpec(w))
			w.Serve()
			servertest.Do(w, "admin", api.DeleteOpenAPISpec, api.DeleteOpenAPISpecInput{OpenAPISpecRef: servertest.SpecRef(w, "shop")})
		})
	}
}

// TestSpaceWithLostSpecDocumentCanBeEdited checks that a space whose specification has lost its document can be edited,
// and that it shows its other pages.
func TestSpaceWithLostSpecDocumentCanBeEdited(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	spec := servertest.NewSpec(w, "shop", shopText)
	record, _ := storetest.Record(t, w.Store, store.OpenAPIVersionKey(w.Org, spec.LastVersion))
	var version store.OpenAPIVersionDocument
	w.Must(version.Decode(record))
	removeObject(spec.ID, version.Private.Bundle)
	w.Serve()
	ref := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(ref, servertest.InsertComputedPage("API", "shop"), servertest.NewPage("Guide", "x\n"))
	w.MustMerge(ref)
	servertest.Equal(t, "pages", []string{"API", "Guide"}, servertest.Outline(headOf(w, ref.Space).Pages))
}

// TestLostSourceIsFetchedAgain checks that an unchanged document that cannot be read from the store is fetched again.
func TestLostSourceIsFetchedAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(w *servertest.World, removeObject func(owner, hash string), owner, hash string){
		"document is missing": func(_ *servertest.World, removeObject func(owner, hash string), owner, hash string) {
			removeObject(owner, hash)
		},
		"document is damaged": func(w *servertest.World, _ func(owner, hash string), owner, hash string) { w.DamageObject(owner, hash) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			web := addPolledSpec(w)
			record, _ := storetest.Record(t, w.Store, store.OpenAPISpecKey(w.Org, "pets"))
			var spec store.OpenAPISpecDocument
			w.Must(spec.Decode(record))
			for _, f := range spec.Private.FetchedFiles {
				if f.URL == polledAddress {
					damage(w, removeObject, spec.Fields.ID, f.Manifest)
				}
			}
			web.Web[polledPart] = `{"type":"object","description":"Another pet."}`
			read := advance(w, 26*time.Hour)
			servertest.Equal(t, "error", "", read.LastProcessError)
			servertest.Equal(t, "answers", "same openapi.yaml, sent openapi.yaml, sent pet.json", strings.Join(web.takeResponses(), ", "))
			content := servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, "pets"))
			servertest.Equal(t, "document", polledText, content.Filesystem["openapi.yaml"].Content)
		})
	}
}
