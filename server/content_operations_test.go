package server_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

func TestContentRefs(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := grow(w)
		want := "See [c](/pages/" + g.c + ") and [c](/pages/" + g.c + "#part), not /pages/c.\n"
		equal(t, "links", want, *w.draftPage(g.ref, g.b).Markdown)
		link := w.draftPage(g.ref, g.link)
		equal(t, "target of the link", g.b, link.Target.Page)
		equal(t, "href of the link", "/a/b", link.Href)
		result := w.change(g.ref,
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "x.png", Ref: "x", ContentType: "image/png", Base64: "aGk="}}},
			newPage("Picture", "![](/files/x)\n"))
		file := result.InsertedFiles[0].File
		equal(t, "image", "![](/files/"+file.ID+")\n", *w.draftPage(g.ref, result.Changes[0].Page.ID).Markdown)
		equal(t, "size", int64(2), file.Size)
	})
}

// Moving a page takes what is below it along; ids and texts stay.
func TestContentMove(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := grow(w)
		text := *w.draftPage(g.ref, g.c).Markdown
		w.change(g.ref, move(g.b, g.d, 0))
		equal(t, "outline", []string{"A", "  Group", "    In", "D", "  B", "    C", "Link"}, outline(w.pages(g.ref)))
		equal(t, "text", text, *w.draftPage(g.ref, g.c).Markdown)
		equal(t, "path", "d/b/c", w.draftPage(g.ref, g.c).Path)
		w.change(g.ref, move(g.d, "", 0))
		equal(t, "outline", []string{"D", "  B", "    C", "A", "  Group", "    In", "Link"}, outline(w.pages(g.ref)))
		w.change(g.ref, move(g.d, "", 2))
		equal(t, "outline", []string{"A", "  Group", "    In", "Link", "D", "  B", "    C"}, outline(w.pages(g.ref)))
		found := do(w, "editor", api.GetChangeRequestContentPageByPath, api.ChangeRequestPagePathInput{ChangeRequestRef: g.ref, PagePath: "d/b/c"})
		equal(t, "page at the path", g.c, found.ID)
		w.change(g.ref, remove(g.d))
		equal(t, "outline", []string{"A", "  Group", "    In", "Link"}, outline(w.pages(g.ref)))
		refused(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{ChangeRequestRef: g.ref, Page: g.c}, 404, api.ReasonNotFound)
	})
}

// Every refusal names the field and changes nothing, although an operation before it was fine.
func TestContentRefusals(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		g := grow(w)
		fine := newPage("Fine", "# Fine\n")
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
			"into":                   move(g.b, g.b, 0),
			"into below":             move(g.b, g.c, 0),
			"into unknown":           below(fine, "p_unknown"),
			"into a link":            below(fine, g.link),
			"into a group":           below(group, g.group),
			"at":                     {Operation: api.UpdatePage, Page: g.d, At: api.Some(4)},
			"at of a new page":       {Operation: api.InsertPage, At: api.Some(5), Into: api.Null[string]()},
			"page unknown":           write("p_unknown", "x"),
			"page to delete":         remove("p_unknown"),
			"page to revert":         {Operation: api.RevertPage, Page: "p_unknown"},
			"page missing":           {Operation: api.UpdatePage},
			"revision":               {Operation: api.RevertPage, Page: g.a, Revision: "r_unknown"},
			"slug taken":             slugged(fine, "a"),
			"slug of another":        slugged(api.ContentChange{Operation: api.UpdatePage, Page: g.d}, "a"),
			"slug with a slash":      slugged(fine, "a/b"),
			"slug of a link":         slugged(api.ContentChange{Operation: api.UpdatePage, Page: g.link}, "x"),
			"target":                 {Operation: api.InsertPage, Type: api.PageLink, Title: api.Some("No target")},
			"target of a document":   {Operation: api.UpdatePage, Page: g.a, Target: &api.ContentRef{Kind: api.RefURL, URL: "https://example.com/"}},
			"target.page":            {Operation: api.InsertPage, Type: api.PageLink, Target: &api.ContentRef{Kind: api.RefPage}},
			"document of a group":    write(g.group, "x"),
			"description of a group": {Operation: api.UpdatePage, Page: g.group, Description: api.Some("x")},
			"ref twice":              named(newPage("Twice", ""), "fine"),
			"files[0].base64":        files(text("not base64!")),
			"files[0].base64 large":  files(text(large)),
			"files[0].url":           files(api.FileInsert{Name: "f"}),
			"files[0].url unknown":   files(api.FileInsert{Name: "f", URL: "https://example.com/nothing"}),
			"files[0].contentType":   files(api.FileInsert{Name: "f", Base64: "aGk="}),
			"files[0].name":          files(api.FileInsert{Name: "", ContentType: "text/plain", Base64: "aGk="}),
			"fileIds[0]":             {Operation: api.DeleteFiles, FileIDs: []string{"f_unknown"}},
			"block[0]":               {Operation: api.RevertPage, Page: g.a, Revision: w.shown(g.ref).Revision, Block: []string{"b_unknown"}},
			"operation":              {Operation: "explode_page"},
			"type":                   {Operation: api.InsertPage, Type: "sheet"},
		} {
			t.Run(field, func(*testing.T) {
				name, _, _ := strings.Cut(field, " ")
				w.unedited(g.ref, "changes[1]."+name, named(fine, "fine"), change)
			})
		}
		many := slices.Repeat([]api.ContentChange{fine}, 51)
		w.unedited(g.ref, "changes", many...)
		w.unedited(g.ref, "changes", []api.ContentChange{}...)
	})
}

// A private address is not fetched for a file.
func TestContentFileFromPrivateURL(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		ref := w.newRequest("editor", w.newSpace().ID)
		serveLoopback(w)
		for _, address := range []string{"http://10.1.2.3/", "http://[fd00::1]/", "http://169.254.169.254/"} {
			w.unedited(ref, "changes[0].files[0].url", api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f", URL: address}}})
		}
	})
}

// The tree is 32 levels deep at most, also when a page is moved with what is below it.
func TestContentDepth(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		ref := w.newRequest("editor", w.newSpace().ID)
		chain := func(n int) (changes []api.ContentChange) {
			for i := range n {
				c := newPage(fmt.Sprintf("Level %d", i), "")
				c.Ref = fmt.Sprintf("l%d", i)
				if i > 0 {
					c.Into = api.Some(fmt.Sprintf("l%d", i-1))
				}
				changes = append(changes, c)
			}
			return changes
		}
		w.unedited(ref, "changes", chain(33)...)
		deep := w.change(ref, chain(32)...).Changes
		shallow := w.change(ref, chain(2)...).Changes
		w.unedited(ref, "changes", move(shallow[0].Page.ID, deep[30].Page.ID, 0))
		w.change(ref, move(shallow[0].Page.ID, deep[29].Page.ID, 0))
		if p := w.draftPage(ref, shallow[1].Page.ID); strings.Count(p.Path, "/") != 31 {
			t.Errorf("path %s", p.Path)
		}
	})
}

// Reverting gets back what was there, however much has happened since.
func TestContentRevert(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		text := "First paragraph.\n\nSecond paragraph.\n\nThird paragraph.\n"
		space, page := w.seed(text)
		ref := w.newRequest("editor", space)
		blocks := w.draftPage(ref, page).Blocks
		revert := api.ContentChange{Operation: api.RevertPage, Page: page}

		changed := "First paragraph, edited.\n\nSecond paragraph, edited.\n\nThird paragraph.\n"
		w.change(ref, write(page, changed))
		one := revert
		one.Block = []string{blocks[1].ID}
		w.change(ref, one)
		equal(t, "one block back", "First paragraph, edited.\n\nSecond paragraph.\n\nThird paragraph.\n", *w.draftPage(ref, page).Markdown)

		titled := write(page, "All gone.\n")
		titled.Title, titled.Slug = api.Some("New title"), api.Some("new")
		w.change(ref, titled)
		w.change(ref, revert)
		back := w.draftPage(ref, page)
		equal(t, "text", text, *back.Markdown)
		equal(t, "title and slug", [2]string{"Page", "page"}, [2]string{back.Title, back.Slug})
		equal(t, "blocks", blocks, back.Blocks)

		w.change(ref, remove(page), newPage("Page", "In its place.\n"))
		w.change(ref, revert)
		back = w.draftPage(ref, page)
		equal(t, "text of the deleted page", text, *back.Markdown)
		equal(t, "slug beside the other", "page-2", back.Slug)

		// An object that says of itself that it is a revision is none.
		forged := w.insertPage(ref, newPage("Forged", `{"type":"edits","parents":[],"author":"x","at":"2026-01-01T00:00:00Z","pages":"","files":""}`))
		w.unedited(ref, "changes[0].revision", api.ContentChange{Operation: api.RevertPage, Page: page, Revision: "r_" + w.draftPage(ref, forged).DocumentID})

		added := w.insertPage(ref, newPage("Added", "x\n"))
		w.change(ref, api.ContentChange{Operation: api.RevertPage, Page: added})
		refused(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: added}, 404, api.ReasonNotFound)
	})
}

// An edit that changes nothing leaves no trace.
func TestContentNoChange(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		ref := w.newRequest("admin", space)
		w.untouched(func() api.Error {
			w.change(ref, write(page, "Text.\n"))
			return api.Error{}
		})
	})
}

// Fields that are set are kept, and empty ones are gone.
func TestContentFields(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref := w.newRequest("editor", w.newSpace().ID)
		layout := api.DefaultLayout()
		layout.Width = "wide"
		c := newPage("", "---\ntitle: From front matter\n---\n\n# Heading\n")
		c.Title = api.Optional[string]{}
		c.Emoji, c.Icon, c.Description = api.Some("🦊"), api.Some("fox"), api.Some("About foxes")
		c.Hidden, c.NoIndex, c.NoRobotsIndex = api.Some(true), api.Some(true), api.Some(true)
		c.Layout, c.Cover = api.Some(layout), api.Some(api.PageCover{Ref: api.ContentRef{Kind: api.RefURL, URL: "https://example.com/x.png"}, YPos: 0.5})
		page := w.insertPage(ref, c)
		p := w.draftPage(ref, page)
		equal(t, "title and slug", [2]string{"From front matter", "from-front-matter"}, [2]string{p.Title, p.Slug})
		equal(t, "fields", [3]string{"🦊", "fox", "About foxes"}, [3]string{p.Emoji, p.Icon, p.Description})
		equal(t, "flags", [3]bool{true, true, true}, [3]bool{p.Hidden, p.NoIndex, p.NoRobotsIndex})
		equal(t, "layout", layout, *p.Layout)
		equal(t, "cover", 0.5, p.Cover.YPos)
		w.change(ref, api.ContentChange{
			Operation: api.UpdatePage, Page: page, Title: api.Some("Own title"), Emoji: api.Some(""), Icon: api.Some(""), Description: api.Some(""),
			Hidden: api.Some(false), Layout: api.Null[api.PageLayout](), Cover: api.Null[api.PageCover](),
		})
		p = w.draftPage(ref, page)
		equal(t, "title and slug", [2]string{"Own title", "from-front-matter"}, [2]string{p.Title, p.Slug})
		equal(t, "fields", [3]string{}, [3]string{p.Emoji, p.Icon, p.Description})
		equal(t, "layout", api.DefaultLayout(), *p.Layout)
		if p.Hidden || p.Cover != nil {
			t.Errorf("hidden %v, cover %v", p.Hidden, p.Cover)
		}
		w.change(ref, api.ContentChange{Operation: api.UpdatePage, Page: page, Title: api.Some("")})
		equal(t, "title of the text", "From front matter", w.draftPage(ref, page).Title)
	})
}

// The pages of the other operations that show content are the same ones.
func TestContentIsShownAlike(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := grow(w)
		w.merged(g.ref)
		in := api.GetContentInput{Space: g.ref.Space}
		revision := do(w, "reader", api.GetContent, in)
		equal(t, "pages", revision.Pages, do(w, "reader", api.ListContentPages, in).Pages)
		in.Metadata = api.Some(false)
		for _, p := range do(w, "reader", api.ListContentPages, in).Pages {
			if !p.CreatedAt.IsZero() || !p.UpdatedAt.IsZero() {
				t.Errorf("metadata=false shows the times of %s", p.Title)
			}
		}
		for _, path := range []string{"a/b/c", "a%2Fb%2Fc", "/a/b/c/"} {
			w.call("reader", http.MethodGet, "/v1/spaces/"+g.ref.Space+"/content/path/"+path, nil, 200)
		}
		for _, path := range []string{"", "a/c", "A/b", "link"} {
			w.call("reader", http.MethodGet, "/v1/spaces/"+g.ref.Space+"/content/path/"+path, nil, 404)
		}
	})
}
