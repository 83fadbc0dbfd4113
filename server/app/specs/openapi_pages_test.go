package specs_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const shopText = `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"tags":[{"name":"Pets"}],
	"paths":{"/pets":{"get":{"tags":["Pets"],"summary":"List pets","responses":{"200":{"description":"All."}}}},
	"/health":{"get":{"responses":{"204":{"description":"Fine."}}}}},
	"components":{"schemas":{"Pet":{"type":"object","properties":{"name":{"type":"string"}}}}}}`

// withProps sets the properties of the computed page that the operation change inserts, and returns change.
func withProps(change api.ContentChange, props *api.ComputedProps) api.ContentChange {
	change.Computed.Props = props
	return change
}

// TestComputedPages checks that a computed page shows the version pinned by the revision, in a change
// request and after its merge. A new version is added to the space automatically, and old revisions survive the
// deletion of the specification.
func TestComputedPages(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := servertest.NewSpec(w, "shop", shopText)
		ref := w.NewRequest("editor", w.NewSpace().ID)
		made := w.Change(ref, withProps(servertest.InsertComputedPage("API", "shop"), &api.ComputedProps{Models: true}),
			servertest.NewPage("Guide", "x\n"))
		id := made.Changes[0].Page.ID
		expanded := []string{"API", "  Shop", "  Pets", "  Operations", "  Models", "Guide"}
		servertest.Equal(t, "in the change request", expanded, servertest.Outline(w.Pages(ref)))
		w.MustMerge(ref)

		tree := func(o api.ContentOptions) []api.RevisionPage {
			return servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space, ContentOptions: o}).Pages
		}
		servertest.Equal(t, "in the space", expanded, servertest.Outline(tree(api.ContentOptions{})))
		servertest.Equal(t, "computed=false", []string{"API", "Guide"},
			servertest.Outline(tree(api.ContentOptions{Computed: api.Some(false)})))
		page := api.PageInput{Space: ref.Space, Page: id + "-pets", PageOptions: api.PageOptions{Format: api.FormatMarkdown}}
		shown := servertest.Do(w, "reader", api.GetContentPage, page)
		servertest.Equal(t, "path", "api/pets", shown.Path)
		servertest.Equal(t, "seed", first.LastVersion, shown.ComputedSeed)
		servertest.Equal(t, "text", "# Pets\n\n## `GET /pets`\n\n**List pets**\n\n### Responses\n\n#### `200`\n\nAll.\n", *shown.Markdown)

		servertest.PutSpec(w, "shop", api.OpenAPISource{Text: strings.Replace(shopText, "List pets", "List all pets", 1)})
		second := servertest.ReadSpec(w, "shop")
		shown = servertest.Do(w, "reader", api.GetContentPage, page)
		servertest.Equal(t, "seed of the next version", second.LastVersion, shown.ComputedSeed)
		if second.LastVersion == first.LastVersion || !strings.Contains(*shown.Markdown, "**List all pets**") {
			t.Errorf("%s after %s: %s", second.LastVersion, first.LastVersion, *shown.Markdown)
		}

		in := api.DeleteOpenAPISpecInput{OpenAPISpecRef: servertest.SpecRef(w, "shop")}
		refused := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.DeleteOpenAPISpec, in, http.StatusConflict, api.ReasonInUse)
		})
		servertest.Equal(t, "fields", []api.FieldError{{Path: ref.Space, Message: `"Docs" has pages of it`}}, refused.Fields)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: ref.Space, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		refused = servertest.Refused(w, "creator", api.DeleteOpenAPISpec, in, http.StatusConflict, api.ReasonInUse)
		servertest.Equal(t, "fields for who may not see the space", []api.FieldError{{Path: "spaces", Message: "1 that you may not see"}},
			refused.Fields)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: ref.Space, Body: api.SpacePatch{DefaultLevel: api.Some(api.LevelInherit)},
		})
		in.Force = api.Some(true)
		gone := servertest.Try(w, "creator", api.DeleteOpenAPISpec, in)
		servertest.Equal(t, "went with it", "versions=2, using-spaces=1", gone.Header.Get(api.RemovedHeader))
		w.Must(w.Server.RunDueJobs(t.Context()))
		servertest.Equal(t, "without the specification", expanded, servertest.Outline(tree(api.ContentOptions{})))
		servertest.Equal(t, "the page itself", shown, servertest.Do(w, "reader", api.GetContentPage, page))
		w.Fsck()
	})
}

// TestComputedPageProps checks that the properties select the pages, and that a specification can be named by id and
// without a version.
func TestComputedPageProps(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	shop := servertest.NewSpec(w, "shop", shopText)
	servertest.NewSpec(w, "broken", "no document")
	ref := w.NewRequest("editor", w.NewSpace().ID)
	for _, c := range []struct {
		spec  string
		props *api.ComputedProps
		want  []string
	}{
		{"shop", nil, []string{"shop", "  Shop", "  Pets", "  Operations"}},
		{shop.ID, &api.ComputedProps{Doc: "info"}, []string{shop.ID, "  Shop"}},
		{"shop", &api.ComputedProps{Doc: "operations", Models: true}, []string{"shop", "  Pets", "  Operations", "  Models"}},
		{"shop", &api.ComputedProps{Doc: "models"}, []string{"shop", "  Models"}},
		{"broken", nil, []string{"broken"}},
	} {
		made := w.Change(ref, withProps(servertest.InsertComputedPage(c.spec, c.spec), c.props))
		servertest.Equal(t, c.spec, c.want, servertest.Outline(w.Pages(ref)))
		w.Change(ref, api.ContentChange{Operation: api.DeletePage, Page: made.Changes[0].Page.ID})
	}
}

// TestComputedPageOfUnknownSpecIsRefused checks that unknown specifications, and those that the caller may not see, are
// refused.
func TestComputedPageOfUnknownSpecIsRefused(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	shop := servertest.NewSpec(w, "shop", shopText)
	g := servertest.NewPageTree(w)
	const field = "changes[0].computed.dependencies.spec.ref.spec"
	for _, name := range []string{"none", "spec_none", shop.ID + "0", shop.ID[:len(shop.ID)-1]} {
		w.ChangeRefused(g.Ref, field, servertest.InsertComputedPage("x", name))
	}
	id := w.Change(g.Ref, servertest.InsertComputedPage("x", "shop")).Changes[0].Page.ID
	w.ChangeRefused(g.Ref, field, api.ContentChange{
		Operation: api.UpdatePage, Page: id, Computed: servertest.InsertComputedPage("x", "none").Computed,
	})

	servertest.Grant(w, "guest", g.Ref.Space, api.RoleEdit)
	in := api.EditContentInput{
		ChangeRequestRef: g.Ref, Body: api.ContentEdit{Changes: []api.ContentChange{servertest.InsertComputedPage("x", "shop")}},
	}
	servertest.Equal(t, "as a guest", field, servertest.Refused(w, "guest", api.EditChangeRequestContent, in, 422,
		api.ReasonInvalid).Fields[0].Path)
}

// TestCachedComputedPagesNeedNoRoundTrip checks that cached pages of pinned versions take no round trip.
func TestCachedComputedPagesNeedNoRoundTrip(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	servertest.NewSpec(w, "shop", shopText)
	ref := w.NewRequest("editor", w.NewSpace().ID)
	w.Change(ref, servertest.InsertComputedPage("API", "shop"))
	w.MustMerge(ref)
	path := "/v1/spaces/" + ref.Space + "/content/pages"
	servertest.CountTrips(w, "reader", path)
	plain := servertest.CountTrips(w, "reader", path+"?computed=false")
	servertest.Equal(t, "trips", plain, servertest.CountTrips(w, "reader", path))
}
