package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

const shopText = `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"tags":[{"name":"Pets"}],
	"paths":{"/pets":{"get":{"tags":["Pets"],"summary":"List pets","responses":{"200":{"description":"All."}}}},"/health":{"get":{"responses":{"204":{"description":"Fine."}}}}},
	"components":{"schemas":{"Pet":{"type":"object","properties":{"name":{"type":"string"}}}}}}`

// withProps is the operation with other properties.
func withProps(change api.ContentChange, props *api.ComputedProps) api.ContentChange {
	change.Computed.Props = props
	return change
}

// A computed page shows the specification of the moment, in a change request and after its merge; nothing of it is
// stored.
func TestStoryOfPagesOfASpecification(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		first := newSpec(w, "shop", shopText)
		ref := w.newRequest("editor", w.newSpace().ID)
		made := w.change(ref, withProps(computedPageOf("API", "shop"), &api.ComputedProps{Models: true}), newPage("Guide", "x\n"))
		id := made.Changes[0].Page.ID
		expanded := []string{"API", "  Shop", "  Pets", "  Operations", "  Models", "Guide"}
		equal(t, "in the change request", expanded, outline(w.pages(ref)))
		w.merged(ref)

		tree := func(o api.ContentOptions) []api.RevisionPage {
			return do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space, ContentOptions: o}).Pages
		}
		equal(t, "in the space", expanded, outline(tree(api.ContentOptions{})))
		equal(t, "computed=false", []string{"API", "Guide"}, outline(tree(api.ContentOptions{Computed: api.Some(false)})))
		page := api.PageInput{Space: ref.Space, Page: id + "-pets", PageOptions: api.PageOptions{Format: api.FormatMarkdown}}
		shown := do(w, "reader", api.GetContentPage, page)
		equal(t, "path", "api/pets", shown.Path)
		equal(t, "seed", first.LastVersion, shown.ComputedSeed)
		equal(t, "text", "# Pets\n\n## `GET /pets`\n\n**List pets**\n\n### Responses\n\n#### `200`\n\nAll.\n", *shown.Markdown)

		putSpec(w, "shop", api.OpenAPISource{Text: strings.Replace(shopText, "List pets", "List all pets", 1)})
		second := specRead(w, "shop")
		shown = do(w, "reader", api.GetContentPage, page)
		equal(t, "seed of the next version", second.LastVersion, shown.ComputedSeed)
		if second.LastVersion == first.LastVersion || !strings.Contains(*shown.Markdown, "**List all pets**") {
			t.Errorf("%s after %s: %s", second.LastVersion, first.LastVersion, *shown.Markdown)
		}

		do(w, "creator", api.DeleteOpenAPISpec, specRef(w, "shop"))
		w.must(w.server.RunDueJobs(t.Context()))
		equal(t, "without the specification", []string{"API", "Guide"}, outline(tree(api.ContentOptions{})))
		refused(w, "reader", api.GetContentPage, page, 404, api.ReasonNotFound)
		equal(t, "the page itself", "", do(w, "reader", api.GetContentPage, api.PageInput{Space: ref.Space, Page: id}).ComputedSeed)
	})
}

// The properties say which pages there are; a specification goes by its id, too, and may have no version yet.
func TestPagesOfASpecificationByProps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	shop := newSpec(w, "shop", shopText)
	newSpec(w, "broken", "no document")
	ref := w.newRequest("editor", w.newSpace().ID)
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
		made := w.change(ref, withProps(computedPageOf(c.spec, c.spec), c.props))
		equal(t, c.spec, c.want, outline(w.pages(ref)))
		w.change(ref, api.ContentChange{Operation: api.DeletePage, Page: made.Changes[0].Page.ID})
	}
}

// A specification that is not there is refused, and so is one that the caller may not see: what is made of it would
// show it.
func TestPagesOfAnUnknownSpecification(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	shop := newSpec(w, "shop", shopText)
	g := grow(w)
	const field = "changes[0].computed.dependencies.spec.ref.spec"
	for _, name := range []string{"none", "spec_none", shop.ID + "0", shop.ID[:len(shop.ID)-1]} {
		w.unedited(g.ref, field, computedPageOf("x", name))
	}
	id := w.change(g.ref, computedPageOf("x", "shop")).Changes[0].Page.ID
	w.unedited(g.ref, field, api.ContentChange{Operation: api.UpdatePage, Page: id, Computed: computedPageOf("x", "none").Computed})

	grant(w, "guest", g.ref.Space, api.RoleEdit)
	in := api.EditContentInput{ChangeRequestRef: g.ref, Body: api.ContentEdit{Changes: []api.ContentChange{computedPageOf("x", "shop")}}}
	equal(t, "as a guest", field, refused(w, "guest", api.EditChangeRequestContent, in, 422, api.ReasonInvalid).Fields[0].Path)
}

// What is made of a version is kept: then a computed page costs the trip that asks for the latest version.
func TestTripsOfComputedPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	newSpec(w, "shop", shopText)
	ref := w.newRequest("editor", w.newSpace().ID)
	w.change(ref, computedPageOf("API", "shop"))
	w.merged(ref)
	path := "/v1/spaces/" + ref.Space + "/content/pages"
	tripsOf(w, "reader", path)
	plain := tripsOf(w, "reader", path+"?computed=false")
	equal(t, "trips", plain+1, tripsOf(w, "reader", path))
}
