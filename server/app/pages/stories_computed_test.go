package pages_test

import (
	"context"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/servertest"
)

// textComputer generates a page below every computed page, and below that one a page with the text.
type textComputer string

func (c textComputer) Compute(_ context.Context, of pages.ComputeInput) (pages.ComputeResult, error) {
	inner := pages.ComputedPage{Key: "inner", Title: "Inner", Slug: "inner", Markdown: []byte(c)}
	outer := pages.ComputedPage{
		Key: "outer", Title: of.Source.Dependencies.Spec.Ref.Spec, Slug: "outer", Markdown: []byte("# Outer\n"),
		Pages: []pages.ComputedPage{inner},
	}
	return pages.ComputeResult{Seed: string(c), Pages: []pages.ComputedPage{outer}}, nil
}

// TestComputedPageShowsItsPages checks that a computed page is stored as inserted, and that its generated pages appear below it
// everywhere without being stored.
func TestComputedPageShowsItsPages(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.NewSpec(w, "pets", servertest.PetsText)
		ref := w.NewRequest("editor", w.NewSpace().ID)
		made := w.Change(ref, servertest.WithRef("guide", servertest.NewPage("Guide", "x\n")),
			servertest.WithParent(servertest.InsertComputedPage("API", "pets"), "guide"))
		id := made.Changes[1].Page.ID
		stored := w.DraftPage(ref, id)
		servertest.Equal(t, "computed", servertest.InsertComputedPage("", "pets").Computed, stored.Computed)
		servertest.Equal(t, "place", [3]string{"api", "guide/api", ""}, [3]string{stored.Slug, stored.Path, stored.Kind})
		w.ChangeRefused(ref, "changes[0].into", servertest.WithParent(servertest.NewPage("x", "x"), id))
		w.MustMerge(ref)

		w.Serve(func(o *server.Options) { o.Computer = textComputer("# Inner\n\nText.\n") })
		tree := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space}).Pages
		servertest.Equal(t, "outline", []string{"Guide", "  API", "    pets", "      Inner"}, servertest.Outline(tree))
		revision := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: ref.Space})
		servertest.Equal(t, "pages of the revision", tree, revision.Pages)
		unexpanded := api.ContentOptions{Computed: api.Some(false)}
		bare := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space, ContentOptions: unexpanded}).Pages
		servertest.Equal(t, "computed=false", []string{"Guide", "  API"}, servertest.Outline(bare))

		inner := tree[0].Pages[0].Pages[0].Pages[0]
		in := api.PageInput{Space: ref.Space, Page: inner.ID, PageOptions: api.PageOptions{Format: api.FormatMarkdown}}
		shown := servertest.Do(w, "reader", api.GetContentPage, in)
		servertest.Equal(t, "text", "# Inner\n\nText.\n", *shown.Markdown)
		servertest.Equal(t, "path", "guide/api/outer/inner", shown.Path)
		servertest.Equal(t, "seed", "# Inner\n\nText.\n", shown.ComputedSeed)
		servertest.Equal(t, "by path", shown, servertest.Do(w, "reader", api.GetContentPageByPath, api.PagePathInput{
			Space: ref.Space, PagePath: "/guide/api/outer/inner", PageOptions: in.PageOptions,
		}))
		in.Computed = api.Some(false)
		servertest.Refused(w, "reader", api.GetContentPage, in, 404, api.ReasonNotFound)
		in.Page, in.Computed = id+"-nothing", api.Some(true)
		servertest.Refused(w, "reader", api.GetContentPage, in, 404, api.ReasonNotFound)
	})
}

// TestComputedPageErrorsIncludeField checks that all errors about computed pages name the field.
func TestComputedPageErrorsIncludeField(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		servertest.NewSpec(w, "pets", servertest.PetsText)
		g := servertest.NewPageTree(w)
		other := servertest.InsertComputedPage("API", "pets")
		other.Computed.Type = "builtin:other"
		text := servertest.InsertComputedPage("API", "pets")
		text.Document = &api.Document{Markdown: api.Some("x")}
		for field, change := range map[string]api.ContentChange{
			"computed":               {Operation: api.InsertPage, Type: api.PageComputed, Title: api.Some("x")},
			"computed of a document": {Operation: api.UpdatePage, Page: g.A, Computed: text.Computed},
			"computed.type":          other,
			"document":               text,
		} {
			t.Run(field, func(*testing.T) {
				name := field
				if field == "computed of a document" {
					name = "computed"
				}
				w.ChangeRefused(g.Ref, "changes[0]."+name, change)
			})
		}
	})
}

// TestPagesHaveAddressAndCover checks that every page has its address, and that a cover may refer to a file of the
// same request.
func TestPagesHaveAddressAndCover(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		var all func(pages []api.RevisionPage)
		all = func(pages []api.RevisionPage) {
			for _, p := range pages {
				servertest.Equal(t, "urls.app of "+p.Title, servertest.PublicURL+"/app/pages/"+g.Ref.Space+"~"+p.ID, p.URLs.App)
				all(p.Pages)
			}
		}
		all(w.Pages(g.Ref))
		light, dark := api.ContentRef{Kind: api.RefFile, File: "light"}, api.ContentRef{Kind: api.RefFile, File: "dark"}
		file := func(ref string) api.FileInsert {
			return api.FileInsert{Name: ref, Ref: ref, ContentType: "image/png", Base64: servertest.OnePixel}
		}
		made := w.Change(g.Ref,
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{file("light"), file("dark")}},
			api.ContentChange{Operation: api.UpdatePage, Page: g.A, Cover: api.Some(api.PageCover{Ref: light, RefDark: &dark})})
		cover := w.DraftPage(g.Ref, g.A).Cover
		servertest.Equal(t, "cover", [2]string{made.InsertedFiles[0].File.ID, made.InsertedFiles[1].File.ID},
			[2]string{cover.Ref.File, cover.RefDark.File})
		w.ChangeRefused(g.Ref, "changes[0].cover.refDark.file", api.ContentChange{
			Operation: api.UpdatePage, Page: g.A, Cover: api.Some(api.PageCover{Ref: light, RefDark: &api.ContentRef{Kind: api.RefFile}}),
		})
	})
}
