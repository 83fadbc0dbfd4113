package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// A computed page is kept as it was inserted; what it stands for is below it wherever pages are shown, and nowhere
// stored.
func TestComputedPages(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		newSpec(w, "pets", petsText)
		ref := w.newRequest("editor", w.newSpace().ID)
		made := w.change(ref, named("guide", newPage("Guide", "x\n")), below(computedPageOf("API", "pets"), "guide"))
		id := made.Changes[1].Page.ID
		stored := w.draftPage(ref, id)
		equal(t, "computed", computedPageOf("", "pets").Computed, stored.Computed)
		equal(t, "place", [3]string{"api", "guide/api", ""}, [3]string{stored.Slug, stored.Path, stored.Kind})
		w.unedited(ref, "changes[0].into", below(newPage("x", "x"), id))
		w.merged(ref)

		w.server.ComputePages("# Inner\n\nText.\n")
		tree := do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space}).Pages
		equal(t, "outline", []string{"Guide", "  API", "    pets", "      Inner"}, outline(tree))
		revision := do(w, "reader", api.GetContent, api.GetContentInput{Space: ref.Space})
		equal(t, "pages of the revision", tree, revision.Pages)
		unexpanded := api.ContentOptions{Computed: api.Some(false)}
		bare := do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space, ContentOptions: unexpanded}).Pages
		equal(t, "computed=false", []string{"Guide", "  API"}, outline(bare))

		inner := tree[0].Pages[0].Pages[0].Pages[0]
		in := api.PageInput{Space: ref.Space, Page: inner.ID, PageOptions: api.PageOptions{Format: api.FormatMarkdown}}
		shown := do(w, "reader", api.GetContentPage, in)
		equal(t, "text", "# Inner\n\nText.\n", *shown.Markdown)
		equal(t, "path", "guide/api/outer/inner", shown.Path)
		equal(t, "seed", "# Inner\n\nText.\n", shown.ComputedSeed)
		equal(t, "by path", shown, do(w, "reader", api.GetContentPageByPath, api.PagePathInput{
			Space: ref.Space, PagePath: "/guide/api/outer/inner", PageOptions: in.PageOptions,
		}))
		in.Computed = api.Some(false)
		refused(w, "reader", api.GetContentPage, in, 404, api.ReasonNotFound)
		in.Page, in.Computed = id+"-nothing", api.Some(true)
		refused(w, "reader", api.GetContentPage, in, 404, api.ReasonNotFound)
	})
}

// Every refusal about computed pages names the field.
func TestComputedPageRefusals(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		newSpec(w, "pets", petsText)
		g := grow(w)
		other := computedPageOf("API", "pets")
		other.Computed.Type = "builtin:other"
		text := computedPageOf("API", "pets")
		text.Document = &api.Document{Markdown: "x"}
		for field, change := range map[string]api.ContentChange{
			"computed":               {Operation: api.InsertPage, Type: api.PageComputed, Title: api.Some("x")},
			"computed of a document": {Operation: api.UpdatePage, Page: g.a, Computed: text.Computed},
			"computed.type":          other,
			"document":               text,
		} {
			t.Run(field, func(*testing.T) {
				name := field
				if field == "computed of a document" {
					name = "computed"
				}
				w.unedited(g.ref, "changes[0]."+name, change)
			})
		}
	})
}

// Every page says where it is shown; a cover may name files of the same request.
func TestPageMembers(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := grow(w)
		var all func(pages []api.RevisionPage)
		all = func(pages []api.RevisionPage) {
			for _, p := range pages {
				equal(t, "urls.app of "+p.Title, publicURL+"/app/pages/"+g.ref.Space+"~"+p.ID, p.URLs.App)
				all(p.Pages)
			}
		}
		all(w.pages(g.ref))
		light, dark := api.ContentRef{Kind: api.RefFile, File: "light"}, api.ContentRef{Kind: api.RefFile, File: "dark"}
		file := func(ref string) api.FileInsert {
			return api.FileInsert{Name: ref, Ref: ref, ContentType: "image/png", Base64: onePixel}
		}
		made := w.change(g.ref,
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{file("light"), file("dark")}},
			api.ContentChange{Operation: api.UpdatePage, Page: g.a, Cover: api.Some(api.PageCover{Ref: light, RefDark: &dark})})
		cover := w.draftPage(g.ref, g.a).Cover
		equal(t, "cover", [2]string{made.InsertedFiles[0].File.ID, made.InsertedFiles[1].File.ID}, [2]string{cover.Ref.File, cover.RefDark.File})
		w.unedited(g.ref, "changes[0].cover.refDark.file", api.ContentChange{
			Operation: api.UpdatePage, Page: g.a, Cover: api.Some(api.PageCover{Ref: light, RefDark: &api.ContentRef{Kind: api.RefFile}}),
		})
	})
}
