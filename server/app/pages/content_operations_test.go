package pages_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

func TestEditResolvesRefs(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		want := "See [c](/pages/" + g.C + ") and [c](/pages/" + g.C + "#part), not /pages/c.\n"
		servertest.Equal(t, "links", want, *w.DraftPage(g.Ref, g.B).Markdown)
		link := w.DraftPage(g.Ref, g.Link)
		servertest.Equal(t, "target of the link", g.B, link.Target.Page)
		servertest.Equal(t, "href of the link", "/a/b", link.Href)
		result := w.Change(g.Ref,
			api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "x.png", Ref: "x", ContentType: "image/png", Base64: "aGk="}},
			},
			servertest.NewPage("Picture", "![](/files/x)\n"))
		file := result.InsertedFiles[0].File
		servertest.Equal(t, "image", "![](/files/"+file.ID+")\n", *w.DraftPage(g.Ref, result.Changes[0].Page.ID).Markdown)
		servertest.Equal(t, "size", int64(2), file.Size)
	})
}

// TestMovePage checks that a page moves with its descendants and keeps its id and text.
func TestMovePage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		text := *w.DraftPage(g.Ref, g.C).Markdown
		w.Change(g.Ref, servertest.MovePage(g.B, g.D, 0))
		servertest.Equal(t, "outline", []string{"A", "  Group", "    In", "D", "  B", "    C", "Link"}, servertest.Outline(w.Pages(g.Ref)))
		servertest.Equal(t, "text", text, *w.DraftPage(g.Ref, g.C).Markdown)
		servertest.Equal(t, "path", "d/b/c", w.DraftPage(g.Ref, g.C).Path)
		w.Change(g.Ref, servertest.MovePage(g.D, "", 0))
		servertest.Equal(t, "outline", []string{"D", "  B", "    C", "A", "  Group", "    In", "Link"}, servertest.Outline(w.Pages(g.Ref)))
		w.Change(g.Ref, servertest.MovePage(g.D, "", 2))
		servertest.Equal(t, "outline", []string{"A", "  Group", "    In", "Link", "D", "  B", "    C"}, servertest.Outline(w.Pages(g.Ref)))
		found := servertest.Do(w, "editor", api.GetChangeRequestContentPageByPath, api.ChangeRequestPagePathInput{
			ChangeRequestRef: g.Ref, PagePath: "d/b/c",
		})
		servertest.Equal(t, "page at the path", g.C, found.ID)
		w.Change(g.Ref, servertest.DeletePage(g.D))
		servertest.Equal(t, "outline", []string{"A", "  Group", "    In", "Link"}, servertest.Outline(w.Pages(g.Ref)))
		servertest.Refused(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{ChangeRequestRef: g.Ref, Page: g.C},
			404, api.ReasonNotFound)
	})
}

// TestEditRejectsInvalidOperations checks that an error names the field and that no operation of the request is
// applied.
func TestEditRejectsInvalidOperations(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		fine := servertest.NewPage("Fine", "# Fine\n")
		group := api.ContentChange{Operation: api.InsertPage, Type: api.PageGroup, Title: api.Some("Second")}
		slugged := func(c api.ContentChange, slug string) api.ContentChange { c.Slug = api.Some(slug); return c }
		named := func(c api.ContentChange, ref string) api.ContentChange { c.Ref = ref; return c }
		files := func(f ...api.FileInsert) api.ContentChange {
			return api.ContentChange{Operation: api.InsertFiles, Files: f}
		}
		text := func(base64 string) api.FileInsert {
			return api.FileInsert{Name: "f", ContentType: "text/plain", Base64: base64}
		}
		large := base64.StdEncoding.EncodeToString(make([]byte, 10<<20+1))
		for field, change := range map[string]api.ContentChange{
			"into the page itself": servertest.MovePage(g.B, g.B, 0),
			"into a descendant":    servertest.MovePage(g.B, g.C, 0),
			"into an unknown page": servertest.WithParent(fine, "p_unknown"),
			"into a link":          servertest.WithParent(fine, g.Link),
			"into a group":         servertest.WithParent(group, g.Group),
			"at of a page":         {Operation: api.UpdatePage, Page: g.D, At: api.Some(4)},
			"at of a new page":     {Operation: api.InsertPage, At: api.Some(5), Into: api.Null[string]()},
			"page unknown":         servertest.Write("p_unknown", "x"),
			"page to delete":       servertest.DeletePage("p_unknown"),
			"page to revert":       {Operation: api.RevertPage, Page: "p_unknown"},
			"page missing":         {Operation: api.UpdatePage},
			"revision":             {Operation: api.RevertPage, Page: g.A, Revision: "r_unknown"},
			"slug taken":           slugged(fine, "a"),
			"slug of another page": slugged(api.ContentChange{Operation: api.UpdatePage, Page: g.D}, "a"),
			"slug with a slash":    slugged(fine, "a/b"),
			"slug of a link":       slugged(api.ContentChange{Operation: api.UpdatePage, Page: g.Link}, "x"),
			"target":               {Operation: api.InsertPage, Type: api.PageLink, Title: api.Some("No target")},
			"target of a document": {
				Operation: api.UpdatePage, Page: g.A, Target: &api.ContentRef{Kind: api.RefURL, URL: "https://example.com/"},
			},
			"target.page":            {Operation: api.InsertPage, Type: api.PageLink, Target: &api.ContentRef{Kind: api.RefPage}},
			"document of a group":    servertest.Write(g.Group, "x"),
			"description of a group": {Operation: api.UpdatePage, Page: g.Group, Description: api.Some("x")},
			"ref twice":              named(servertest.NewPage("Twice", ""), "fine"),
			"files[0].base64":        files(text("not base64!")),
			"files[0].base64 large":  files(text(large)),
			"files[0].url":           files(api.FileInsert{Name: "f"}),
			"files[0].url unknown":   files(api.FileInsert{Name: "f", URL: "https://example.com/nothing"}),
			"files[0].contentType":   files(api.FileInsert{Name: "f", Base64: "aGk="}),
			"files[0].name":          files(api.FileInsert{Name: "", ContentType: "text/plain", Base64: "aGk="}),
			"fileIds[0]":             {Operation: api.DeleteFiles, FileIDs: []string{"f_unknown"}},
			"block[0]": {
				Operation: api.RevertPage, Page: g.A, Revision: w.ReadRequest(g.Ref).Revision, Block: []string{"b_unknown"},
			},
			"operation": {Operation: "explode_page"},
			"type":      {Operation: api.InsertPage, Type: "sheet"},
		} {
			t.Run(field, func(*testing.T) {
				name, _, _ := strings.Cut(field, " ")
				w.ChangeRefused(g.Ref, "changes[1]."+name, named(fine, "fine"), change)
			})
		}
		many := slices.Repeat([]api.ContentChange{fine}, 51)
		w.ChangeRefused(g.Ref, "changes", many...)
		w.ChangeRefused(g.Ref, "changes", []api.ContentChange{}...)
	})
}

// TestInsertFilesRejectsPrivateURL checks that files are not fetched from private addresses.
func TestInsertFilesRejectsPrivateURL(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		w.AllowLoopback()
		for _, address := range []string{"http://10.1.2.3/", "http://[fd00::1]/", "http://169.254.169.254/"} {
			w.ChangeRefused(ref, "changes[0].files[0].url", api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f", URL: address}},
			})
		}
	})
}

// TestEditLimitsPageDepth checks the limit of 32 levels, also when a page is moved with its descendants.
func TestEditLimitsPageDepth(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		chain := func(n int) (changes []api.ContentChange) {
			for i := range n {
				c := servertest.NewPage(fmt.Sprintf("Level %d", i), "")
				c.Ref = fmt.Sprintf("l%d", i)
				if i > 0 {
					c.Into = api.Some(fmt.Sprintf("l%d", i-1))
				}
				changes = append(changes, c)
			}
			return changes
		}
		w.ChangeRefused(ref, "changes", chain(33)...)
		deep := w.Change(ref, chain(32)...).Changes
		shallow := w.Change(ref, chain(2)...).Changes
		w.ChangeRefused(ref, "changes", servertest.MovePage(shallow[0].Page.ID, deep[30].Page.ID, 0))
		w.Change(ref, servertest.MovePage(shallow[0].Page.ID, deep[29].Page.ID, 0))
		if p := w.DraftPage(ref, shallow[1].Page.ID); strings.Count(p.Path, "/") != 31 {
			t.Errorf("path %s", p.Path)
		}
	})
}

// TestRevertPage restores pages and blocks after edits, moves and deletions.
func TestRevertPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		text := "First paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n"
		space, page := w.NewSpaceWithPage(text)
		ref := w.NewRequest("editor", space)
		blocks := w.DraftPage(ref, page).Blocks
		revert := api.ContentChange{Operation: api.RevertPage, Page: page}

		changed := "First paragraph, edited.\n\nSecond paragraph, edited.\n\nThird paragraph.\n"
		w.Change(ref, servertest.Write(page, changed))
		one := revert
		one.Block = []string{blocks[1].ID}
		w.Change(ref, one)
		servertest.Equal(t, "one block back", "First paragraph, edited.\n\nSecond paragraph.\n\nThird paragraph.\n",
			*w.DraftPage(ref, page).Markdown)

		titled := servertest.Write(page, "All gone.\n")
		titled.Title, titled.Slug = api.Some("New title"), api.Some("new")
		w.Change(ref, titled)
		w.Change(ref, revert)
		back := w.DraftPage(ref, page)
		servertest.Equal(t, "text", text, *back.Markdown)
		servertest.Equal(t, "title and slug", [2]string{"Page", "page"}, [2]string{back.Title, back.Slug})
		servertest.Equal(t, "blocks", blocks, back.Blocks)

		w.Change(ref, servertest.DeletePage(page), servertest.NewPage("Page", "In its place.\n"))
		w.Change(ref, revert)
		back = w.DraftPage(ref, page)
		servertest.Equal(t, "text of the deleted page", text, *back.Markdown)
		servertest.Equal(t, "slug next to the other", "page-2", back.Slug)

		// A text with the JSON of a revision is not accepted as one.
		forged := w.InsertPage(ref,
			servertest.NewPage("Forged", `{"type":"edits","parents":[],"author":"x","at":"2026-01-01T00:00:00Z","pages":"","files":""}`))
		w.ChangeRefused(ref, "changes[0].revision", api.ContentChange{
			Operation: api.RevertPage, Page: page, Revision: "r_" + w.DraftPage(ref, forged).DocumentID,
		})

		added := w.InsertPage(ref, servertest.NewPage("Added", "x\n"))
		w.Change(ref, api.ContentChange{Operation: api.RevertPage, Page: added})
		servertest.Refused(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: added},
			404, api.ReasonNotFound)
	})
}

// TestEditWithoutChange checks that an edit without effect creates no revision.
func TestEditWithoutChange(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("admin", space)
		w.WantUntouched(func() api.Error {
			w.Change(ref, servertest.Write(page, "Text.\n"))
			return api.Error{}
		})
	})
}

// TestUpdatePageFields checks that fields are stored and that empty values remove them.
func TestUpdatePageFields(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		layout := api.DefaultLayout()
		layout.Width = "wide"
		c := servertest.NewPage("", "---\ntitle: From front matter\n---\n\n# Heading\n")
		c.Title = api.Optional[string]{}
		c.Emoji, c.Icon, c.Description = api.Some("🦊"), api.Some("fox"), api.Some("About foxes")
		c.Hidden, c.NoIndex, c.NoRobotsIndex = api.Some(true), api.Some(true), api.Some(true)
		c.Layout, c.Cover = api.Some(layout), api.Some(api.PageCover{
			Ref: api.ContentRef{Kind: api.RefURL, URL: "https://example.com/x.png"}, YPos: 0.5,
		})
		page := w.InsertPage(ref, c)
		p := w.DraftPage(ref, page)
		servertest.Equal(t, "title and slug", [2]string{"From front matter", "from-front-matter"}, [2]string{p.Title, p.Slug})
		servertest.Equal(t, "fields", [3]string{"🦊", "fox", "About foxes"}, [3]string{p.Emoji, p.Icon, p.Description})
		servertest.Equal(t, "flags", [3]bool{true, true, true}, [3]bool{p.Hidden, p.NoIndex, p.NoRobotsIndex})
		servertest.Equal(t, "layout", layout, *p.Layout)
		servertest.Equal(t, "cover", 0.5, p.Cover.YPos)
		w.Change(ref, api.ContentChange{
			Operation: api.UpdatePage, Page: page, Title: api.Some("Own title"), Emoji: api.Some(""), Icon: api.Some(""),
			Description: api.Some(""),
			Hidden:      api.Some(false), Layout: api.Null[api.PageLayout](), Cover: api.Null[api.PageCover](),
		})
		p = w.DraftPage(ref, page)
		servertest.Equal(t, "title and slug", [2]string{"Own title", "from-front-matter"}, [2]string{p.Title, p.Slug})
		servertest.Equal(t, "fields", [3]string{}, [3]string{p.Emoji, p.Icon, p.Description})
		servertest.Equal(t, "layout", api.DefaultLayout(), *p.Layout)
		if p.Hidden || p.Cover != nil {
			t.Errorf("hidden %v, cover %v", p.Hidden, p.Cover)
		}
		w.Change(ref, api.ContentChange{Operation: api.UpdatePage, Page: page, Title: api.Some("")})
		servertest.Equal(t, "title of the text", "From front matter", w.DraftPage(ref, page).Title)
	})
}

// TestOperationsReturnSamePages checks that all operations that return pages return the same ones.
func TestOperationsReturnSamePages(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.NewPageTree(w)
		w.MustMerge(g.Ref)
		in := api.GetContentInput{Space: g.Ref.Space}
		revision := servertest.Do(w, "reader", api.GetContent, in)
		servertest.Equal(t, "pages", revision.Pages, servertest.Do(w, "reader", api.ListContentPages, in).Pages)
		in.Metadata = api.Some(false)
		for _, p := range servertest.Do(w, "reader", api.ListContentPages, in).Pages {
			if !p.CreatedAt.IsZero() || !p.UpdatedAt.IsZero() {
				t.Errorf("metadata=false shows the times of %s", p.Title)
			}
		}
		for _, path := range []string{"a/b/c", "a%2Fb%2Fc", "/a/b/c/"} {
			w.Call("reader", http.MethodGet, "/v1/spaces/"+g.Ref.Space+"/content/path/"+path, nil, 200)
		}
		for _, path := range []string{"", "a/c", "A/b", "link"} {
			w.Call("reader", http.MethodGet, "/v1/spaces/"+g.Ref.Space+"/content/path/"+path, nil, 404)
		}
	})
}
