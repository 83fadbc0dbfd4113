package pages_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

func pushChange(source, path string, change api.ContentChange) api.ContentChange {
	change.SourceName, change.Path = source, path
	return change
}

// TestPushMatchesPagesByPath pushes pages and files of a source, which are matched by path, as are the links between
// them.
func TestPushMatchesPagesByPath(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		logo := func(data string) api.ContentChange {
			return api.ContentChange{Operation: api.InsertFiles, SourceName: "handbook", Files: []api.FileInsert{
				{Name: "logo.png", ContentType: "image/png", Base64: data, Path: "img/logo.png", Ref: "logo"},
			}}
		}
		made := w.Change(ref,
			pushChange("handbook", "guide/start.md", servertest.NewPage("Start", "[Next](next.md) ![logo](../img/logo.png)\n")),
			pushChange("handbook", "guide/next.md", servertest.NewPage("Next", "[Start](/guide/start.md)\n")), logo("aGk="))
		w.MustMerge(ref)
		links := servertest.Do(w, "reader", api.ListSpaceLinks, api.ListLinksInput{Space: ref.Space}).Items
		servertest.Equal(t, "links", 3, len(links))
		for _, l := range links {
			servertest.Equal(t, l.Href, api.LinkOK, l.Status)
		}
		sources := servertest.Do(w, "editor", api.ListSources, api.ListSourcesInput{Space: ref.Space}).Items
		servertest.Equal(t, "sources", 1, len(sources))
		servertest.Equal(t, "source", []any{
			"handbook", api.SourcePush, 2, 1,
		}, []any{sources[0].Name, sources[0].Kind, sources[0].Pages, sources[0].Files})
		page := servertest.Do(w, "reader", api.GetContentPage, api.PageInput{Space: ref.Space, Page: made.Changes[0].Page.ID})
		servertest.Equal(t, "path", "guide/start.md", page.Git.Path)

		second := w.NewRequest("editor", ref.Space)
		again := w.Change(second, logo("aG8="), servertest.NewPage("Logo", "![logo](/files/logo)\n"))
		servertest.Equal(t, "file", made.InsertedFiles[0].File.ID, again.InsertedFiles[0].File.ID)
		head := w.ReadRequest(second).Revision
		w.Change(second, logo("aG8="), pushChange(sources[0].ID, "guide/start.md", api.ContentChange{
			Operation: api.UpdatePage, Page: page.ID,
		}))
		servertest.Equal(t, "head after the same push", head, w.ReadRequest(second).Revision)
		w.ChangeRefused(second, "changes[0].path", pushChange("handbook", "guide/start.md", servertest.NewPage("Other", "x\n")))
		w.ChangeRefused(second, "changes[0].path", pushChange("handbook", "../start.md", servertest.NewPage("Other", "x\n")))
		w.ChangeRefused(second, "changes[0].path", pushChange("handbook", "", servertest.NewPage("Other", "x\n")))
		w.ChangeRefused(second, "changes[0].path", pushChange("", "other.md", servertest.NewPage("Other", "x\n")))
		w.ChangeRefused(second, "changes[0].sourceName", pushChange("src_unknown", "other.md", servertest.NewPage("Other", "x\n")))
	})
}

// TestPushRenamesFile checks that a pushed file with a new name and the same bytes is renamed and keeps its id, and that
// the same push again changes nothing.
func TestPushRenamesFile(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		push := func(name string) api.File {
			return w.Change(ref, api.ContentChange{Operation: api.InsertFiles, SourceName: "handbook", Files: []api.FileInsert{
				{Name: name, ContentType: "image/png", Base64: "aGk=", Path: "img/logo.png"},
			}}).InsertedFiles[0].File
		}
		first := push("logo.png")
		w.MustMerge(ref)
		ref = w.NewRequest("editor", ref.Space)
		renamed := push("brand.png")
		servertest.Equal(t, "id", first.ID, renamed.ID)
		servertest.Equal(t, "name", "brand.png", renamed.Name)
		head := w.ReadRequest(ref).Revision
		servertest.Equal(t, "name after the same push", "brand.png", push("brand.png").Name)
		servertest.Equal(t, "head after the same push", head, w.ReadRequest(ref).Revision)
		w.MustMerge(ref)
		files := servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: ref.Space}).Items
		servertest.Equal(t, "files", 1, len(files))
		servertest.Equal(t, "name after the merge", "brand.png", files[0].Name)
	})
}

// TestPushMovesFiles checks that files that replace others keep their ids, at other paths and at those of each other.
func TestPushMovesFiles(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		files := func(files ...api.FileInsert) api.ContentChange {
			return api.ContentChange{Operation: api.InsertFiles, SourceName: "book", Files: files}
		}
		file := func(at, data, replaces string) api.FileInsert {
			return api.FileInsert{Name: at, ContentType: "image/png", Base64: data, Path: "img/" + at, Replaces: replaces}
		}
		made := w.Change(ref, files(file("a.png", "YQ==", ""), file("b.png", "Yg==", ""))).InsertedFiles
		a, b := made[0].File.ID, made[1].File.ID
		w.ChangeRefused(ref, "changes[0].files[0].replaces", files(file("c.png", "YQ==", "f_unknown")))
		w.ChangeRefused(ref, "changes[0].files[0].path", files(file("b.png", "YQ==", a)))
		w.ChangeRefused(ref, "changes[0].files[1].replaces", files(file("c.png", "YQ==", a), file("d.png", "YQ==", a)))
		w.Change(ref, files(file("b.png", "YQ==", a), file("a.png", "Yg==", b)))
		moved := w.Change(ref, files(file("c.png", "YQ==", a), file("b.png", "bmV3", ""))).InsertedFiles
		servertest.Equal(t, "moved", a, moved[0].File.ID)
		if other := moved[1].File.ID; other == a || other == b {
			t.Errorf("a new file at the path of a moved one has its id %s", other)
		}
		w.Change(ref, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
			{Name: "renamed.png", ContentType: "image/png", Base64: "Yg==", Replaces: b},
		}})
		w.MustMerge(ref)
		got := map[string]string{}
		for _, f := range servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: ref.Space}).Items {
			got[f.ID] = f.Name
		}
		servertest.Equal(t, "names", map[string]string{a: "c.png", b: "renamed.png", moved[1].File.ID: "b.png"}, got)
	})
}

// TestPushSwapsPaths checks that pages swap their source paths in one edit, and that two pages cannot have one.
func TestPushSwapsPaths(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		made := w.Change(ref,
			pushChange("book", "a.md", servertest.NewPage("A", "A.\n")), pushChange("book", "b.md", servertest.NewPage("B", "B.\n")))
		a, b := made.Changes[0].Page.ID, made.Changes[1].Page.ID
		place := func(page, path string) api.ContentChange {
			return pushChange("book", path, api.ContentChange{Operation: api.UpdatePage, Page: page})
		}
		w.ChangeRefused(ref, "changes[0].path", place(a, "b.md"))
		w.ChangeRefused(ref, "changes[1].path", place(a, "c.md"), place(b, "c.md"))
		w.Change(ref, place(a, "b.md"), place(b, "a.md"))
		for page, path := range map[string]string{a: "b.md", b: "a.md"} {
			in := api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: page}
			got := servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
			servertest.Equal(t, "path", path, got.Git.Path)
		}
	})
}
