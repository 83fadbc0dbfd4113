package imports_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

const folderURL = "https://user:secret@example.com/folder.zip?token=secret"

// folder is a source that tests change between imports.
type folder struct {
	w     *servertest.World
	space string
	texts map[string]string
}

func newFolder(w *servertest.World, texts map[string]string) *folder {
	w.T.Helper()
	s := w.NewSpace()
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: s.ID, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)}})
	return &folder{w: w, space: s.ID, texts: texts}
}

// input returns the import of the folder in its present state.
func (f *folder) input(change func(*api.Import)) api.ImportInput {
	f.w.T.Helper()
	f.w.Web[folderURL] = string(zipTexts(f.w.T, f.texts))
	in := api.ImportInput{Space: f.space, Body: api.Import{URL: folderURL, Source: api.ImportZip, Name: "folder"}}
	if change != nil {
		change(&in.Body)
	}
	return in
}

// reimport imports the folder in its present state.
func (f *folder) reimport(change func(*api.Import)) api.ImportResult {
	f.w.T.Helper()
	return servertest.Do(f.w, "editor", api.ImportContent, f.input(change))
}

// page returns the page of the space with the given title.
func (f *folder) page(title string) (found api.RevisionPage) {
	f.w.T.Helper()
	servertest.EachPage(servertest.Do(f.w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages,
		func(p api.RevisionPage) {
			if p.Title == title {
				found = p
			}
		})
	return found
}

func (f *folder) outline() []string {
	f.w.T.Helper()
	return servertest.Outline(servertest.Do(f.w, "reader", api.ListContentPages, api.GetContentInput{Space: f.space}).Pages)
}

// edit applies content operations as a user.
func (f *folder) edit(changes ...api.ContentChange) {
	f.w.T.Helper()
	ref := f.w.NewRequest("editor", f.space)
	f.w.Change(ref, changes...)
	f.w.MustMerge(ref)
}

func titles(list []api.ImportedResource) (found []string) {
	for _, r := range list {
		found = append(found, strings.TrimSpace(r.Title+" "+r.Reason))
	}
	slices.Sort(found)
	return found
}

const threeParts = "# A\n\nFirst part of the page.\n\nSecond part of the page.\n\nThird part of the page.\n"

func smallFolder() map[string]string {
	return map[string]string{
		"a.md":         threeParts,
		"b.md":         "# B\n\nSee [A](a.md#a) and ![a picture](img/p.png).\n",
		"more/c.md":    "# C\n\nText of C.\n",
		"img/p.png":    "picture",
		"more/d.md":    "# D\n\nText of D.\n",
		"more/i.png":   "another picture",
		"img/unused.x": "unused",
	}
}

// TestReimport checks that an unchanged source creates no revision, and that changes of the source and of users are
// merged, in one page and in several.
func TestReimport(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		first := f.reimport(nil)
		servertest.Equal(t, "created", []string{"A", "B", "C", "D", "i.png", "more", "p.png", "unused.x"}, titles(first.Created))
		servertest.Equal(t, "broken links", 0, len(first.BrokenLinks))
		second := f.reimport(nil)
		servertest.Equal(t, "revision of an unchanged source", first.Revision, second.Revision)
		servertest.Equal(t, "changes of an unchanged source", 0, len(second.Created)+len(second.Updated)+len(second.Conflicts)+
			len(second.Gone))
		servertest.Equal(t, "the source", first.Source, second.Source)

		a, b := f.page("A"), f.page("B")
		w.Clock.Advance(1)
		f.edit(servertest.Write(a.ID, strings.Replace(threeParts, "First part", "People's first part", 1)),
			api.ContentChange{
				Operation: api.UpdatePage, Page: b.ID, Title: api.Some("Bee"), Slug: api.Some("bee"), Into: api.Some(f.page("C").ID),
			})
		f.texts["a.md"] = strings.Replace(threeParts, "Third part", "The source's third part", 1)
		f.texts["b.md"] += "\nMore of B.\n"
		f.texts["img/p.png"] = "a better picture"
		f.texts["more/e.md"] = "# E\n\nNew.\n"
		dry := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true", f.input(nil).Body)
		servertest.Equal(t, "dry run", http.StatusCreated, dry.Status)
		third := f.reimport(nil)
		servertest.Equal(t, "created", []string{"E"}, titles(third.Created))
		servertest.Equal(t, "updated", []string{"A", "B", "p.png"}, titles(third.Updated))
		servertest.Equal(t, "text of A",
			"# A\n\nPeople's first part of the page.\n\nSecond part of the page.\n\nThe source's third part of the page.\n",
			w.PageText(f.space, a.ID))
		servertest.Equal(t, "text of B", f.texts["b.md"], w.PageText(f.space, b.ID))
		servertest.Equal(t, "outline", []string{"A", "more", "  C", "    Bee", "  D", "  E"}, f.outline())
		servertest.Equal(t, "conflicts", 0, len(third.Conflicts))
		fourth := f.reimport(nil)
		servertest.Equal(t, "revision of an unchanged source", third.Revision, fourth.Revision)

		sources := servertest.Do(w, "editor", api.ListSources, api.ListSourcesInput{Space: f.space}).Items
		servertest.Equal(t, "sources", 1, len(sources))
		from := sources[0]
		servertest.Equal(t, "source", []any{first.Source, "folder", api.SourceZip, "https://example.com/folder.zip", 6, 3},
			[]any{from.ID, from.Name, from.Kind, from.URL, from.Pages, from.Files})
		servertest.Equal(t, "address for readers", "",
			servertest.Do(w, "reader", api.ListSources, api.ListSourcesInput{Space: f.space}).Items[0].URL)
	})
}

// TestReimportConflict checks that a page with a conflict is reported and kept unchanged until the conflict is
// resolved, while everything else is imported.
func TestReimportConflict(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.reimport(nil)
		a := f.page("A")
		f.edit(servertest.Write(a.ID, strings.Replace(threeParts, "Second part", "People's part", 1)))
		f.texts["a.md"] = strings.Replace(strings.Replace(threeParts, "Second part", "Source's part", 1), "Third part of the page.",
			"Third part of the page, longer.", 1)
		f.texts["more/c.md"] = "# C\n\nChanged.\n"
		second := f.reimport(nil)
		servertest.Equal(t, "updated", []string{"C"}, titles(second.Updated))
		servertest.Equal(t, "conflicting", []string{"A"}, titles(second.Conflicting))
		servertest.Equal(t, "conflicts", 1, len(second.Conflicts))
		c := second.Conflicts[0]
		servertest.Equal(t, "the conflict", []string{
			"A", "paragraph 2", "The space and the source changed this paragraph differently.", "Second part of the page.",
			"People's part of the page.", "Source's part of the page.",
		}, []string{c.Title, c.Place, c.Summary, c.Base.Value, c.Ours.Value, c.Theirs.Value})
		servertest.Equal(t, "who made its sides", []string{w.Users["editor"].ID, "", w.Users["editor"].ID, "folder"}, []string{
			c.Ours.By.ID, sourceOf(c.Ours), c.Theirs.By.ID, sourceOf(c.Theirs),
		})
		servertest.Equal(t, "text", strings.Replace(threeParts, "Second part", "People's part", 1), w.PageText(f.space, a.ID))
		third := f.reimport(nil)
		servertest.Equal(t, "the conflict is there again", second.Conflicts, third.Conflicts)
		servertest.Equal(t, "revision", second.Revision, third.Revision)

		wrong := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import", f.input(func(i *api.Import) {
			i.Resolutions = []api.Resolution{{Conflict: "c_other", Take: api.TakeOurs}}
		}).Body)
		servertest.Equal(t, "an answer to another conflict", http.StatusUnprocessableEntity, wrong.Status)
		fourth := f.reimport(func(i *api.Import) {
			i.Resolutions = []api.Resolution{{Conflict: third.Conflicts[0].ID, Take: api.TakeOurs}}
		})
		servertest.Equal(t, "updated", []string{"A"}, titles(fourth.Updated))
		servertest.Equal(t, "text", "# A\n\nFirst part of the page.\n\nPeople's part of the page.\n\nThird part of the page, longer.\n",
			w.PageText(f.space, a.ID))
		fifth := f.reimport(nil)
		servertest.Equal(t, "conflicts after the decision", 0, len(fifth.Conflicts))
		servertest.Equal(t, "revision", fourth.Revision, fifth.Revision)
	})
}

// sourceOf returns the name of the source of a conflict side.
func sourceOf(side api.ConflictSide) string {
	if side.Source == nil {
		return ""
	}
	return side.Source.Name
}

// TestReimportRemovedPage checks that a page removed by users is not restored while its source is unchanged. A change
// in the source conflicts, and both resolutions work.
func TestReimportRemovedPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.reimport(nil)
		f.edit(servertest.DeletePage(f.page("C").ID), servertest.DeletePage(f.page("D").ID))
		servertest.Equal(t, "created", 0, len(f.reimport(nil).Created))
		f.texts["more/c.md"], f.texts["more/d.md"] = "# C\n\nChanged C.\n", "# D\n\nChanged D.\n"
		again := f.reimport(nil)
		servertest.Equal(t, "conflicting", []string{"C", "D"}, titles(again.Conflicting))
		servertest.Equal(t, "outline", []string{"A", "B", "more"}, f.outline())
		again = f.reimport(func(i *api.Import) {
			for n, c := range again.Conflicts {
				i.Resolutions = append(i.Resolutions, api.Resolution{
					Conflict: c.ID, Take: []api.ResolutionTake{api.TakeOurs, api.TakeTheirs}[n],
				})
			}
		})
		servertest.Equal(t, "conflicts", 0, len(again.Conflicts))
		servertest.Equal(t, "outline", 4, len(f.outline()))
		last := f.reimport(nil)
		servertest.Equal(t, "conflicts after the decision", 0, len(last.Conflicts))
		servertest.Equal(t, "revision", again.Revision, last.Revision)
	})
}

// TestReimportRenamedPage checks that a page with a new path is matched by its text, whether unchanged or edited, and
// keeps comments and edits.
func TestReimportRenamedPage(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.reimport(nil)
		a, c := f.page("A"), f.page("C")
		f.edit(servertest.Write(c.ID, "# C\n\nText of C.\n\nPeople's words.\n"))
		f.texts["start/first.md"] = strings.Replace(threeParts, "Third part", "Other part", 1)
		f.texts["other/see.md"] = f.texts["more/c.md"]
		f.texts["img/b.png"] = f.texts["img/p.png"]
		f.texts["b.md"] = "# B\n\nSee [A](start/first.md#a) and ![a picture](img/b.png).\n"
		for _, gone := range []string{"a.md", "more/c.md", "img/p.png"} {
			delete(f.texts, gone)
		}
		again := f.reimport(func(i *api.Import) { i.Delete = true })
		servertest.Equal(t, "created", []string{"other", "start"}, titles(again.Created))
		servertest.Equal(t, "gone", 0, len(again.Gone))
		servertest.Equal(t, "broken links", map[string]int{}, again.BrokenLinks)
		servertest.Equal(t, "A", [2]string{a.ID, "start/first.md"}, [2]string{f.page("A").ID, f.page("A").Git.Path})
		servertest.Equal(t, "C", [2]string{c.ID, "other/see.md"}, [2]string{f.page("C").ID, f.page("C").Git.Path})
		servertest.Equal(t, "text of C", "# C\n\nText of C.\n\nPeople's words.\n", w.PageText(f.space, c.ID))
		servertest.Equal(t, "outline", []string{"B", "more", "  D", "other", "  C", "start", "  A"}, f.outline())
	})
}

// TestReimportReportsMissingPages checks that pages missing in the source are reported and, with delete, removed unless
// users edited, discuss or use them.
func TestReimportReportsMissingPages(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		texts := smallFolder()
		for _, name := range []string{"e", "f", "g", "h", "i"} {
			texts["gone/"+name+".md"] = "# " + strings.ToUpper(name) + "\n\nPage " + name + " of the source.\n"
		}
		f := newFolder(w, texts)
		f.reimport(nil)
		f.edit(servertest.Write(f.page("E").ID, "# E\n\nEdited.\n"), servertest.NewPage("Ours", "[F](/pages/"+f.page("F").ID+")\n"),
			servertest.WithParent(servertest.NewPage("Below", "x\n"), f.page("G").ID))
		servertest.Do(w, "editor", api.CreateComment, api.CreateCommentInput{Space: f.space, Body: api.CommentCreate{
			Body: api.CommentBody{Markdown: api.Some("Wait.")}, Page: f.page("H").ID,
		}})
		for name := range texts {
			if strings.HasPrefix(name, "gone/") {
				delete(texts, name)
			}
		}
		result := f.reimport(nil)
		servertest.Equal(t, "gone", []string{"E", "F", "G", "H", "I", "gone"}, titles(result.Gone))
		servertest.Equal(t, "outline", true, slices.Contains(f.outline(), "  I"))
		done := f.reimport(func(i *api.Import) { i.Delete = true })
		servertest.Equal(t, "gone", []string{"I"}, titles(done.Gone))
		servertest.Equal(t, "kept", []string{
			"E It was edited here.", `F The page "Ours" uses it.`, "G Pages that stay lie below it.", "H It has open comments.",
			"gone Pages that stay lie below it.",
		}, titles(done.Kept))
		servertest.Equal(t, "outline", false, slices.Contains(f.outline(), "  I"))
		id := f.page("F").ID
		texts["gone/f.md"], texts["gone/i.md"] = "# F\n\nBack.\n", "# I\n\nBack.\n"
		back := f.reimport(nil)
		servertest.Equal(t, "created", []string{"I"}, titles(back.Created))
		servertest.Equal(t, "F", id, f.page("F").ID)
		servertest.Equal(t, "text of F", "# F\n\nBack.\n", w.PageText(f.space, id))
	})
}

// TestReimportRejectsOtherSource checks that an import is refused if it matches too little of the source.
func TestReimportRejectsOtherSource(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		first := f.reimport(nil)
		f.texts = map[string]string{"x.md": "# X\n", "a.md": threeParts, "more/y.md": "# Y\n"}
		refused := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import", f.input(nil).Body)
		servertest.Equal(t, "status", http.StatusConflict, refused.Status)
		if said := refused.Error().Message; !strings.Contains(said, "2 of the 8") {
			t.Errorf("it says %q", said)
		}
		servertest.Equal(t, "created", []string{"X", "Y"}, titles(f.reimport(func(i *api.Import) { i.Force = true }).Created))
		unnamed := f.reimport(func(i *api.Import) { i.Name = "" })
		if unnamed.Source == first.Source || len(unnamed.Updated)+len(unnamed.Gone) > 0 {
			t.Errorf("an import without a name touched something: %+v", unnamed)
		}
		servertest.Equal(t, "changes by id", 0, len(f.reimport(func(i *api.Import) { i.Name = unnamed.Source }).Created))
		servertest.Equal(t, "sources", 2, servertest.Do(w, "reader", api.ListSources, api.ListSourcesInput{Space: f.space}).Count)
	})
}

// TestReimportAfterRollback checks that an import restores everything after a rollback to a revision before the first import.
func TestReimportAfterRollback(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		before := servertest.Do(w, "editor", api.GetContent, api.GetContentInput{Space: f.space}).ID
		first := f.reimport(nil)
		f.texts["a.md"] = "# A\n\nOther.\n"
		f.reimport(nil)
		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: f.space, Revision: first.Revision})
		servertest.Equal(t, "updated after the first rollback", []string{"A"}, titles(f.reimport(nil).Updated))
		servertest.Equal(t, "text", "# A\n\nOther.\n", w.PageText(f.space, f.page("A").ID))
		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: f.space, Revision: before})
		servertest.Equal(t, "created after the second", 8, len(f.reimport(nil).Created))
	})
}

// TestImportAdoptsPages checks that pages imported without a source are adopted if their path and text are unchanged.
func TestImportAdoptsPages(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, map[string]string{"a.md": threeParts, "b.md": "# B\n\nText.\n", "c.md": "# C\n\nText.\n"})
		f.edit(servertest.NewPage("A", threeParts), servertest.NewPage("B", "# B\n\nOther text.\n"))
		a := f.page("A").ID
		got := f.reimport(func(i *api.Import) { i.Adopt = true })
		servertest.Equal(t, "created", []string{"B", "C"}, titles(got.Created))
		servertest.Equal(t, "outline", []string{"A", "B", "C", "B"}, f.outline())
		servertest.Equal(t, "A", [2]string{a, "a.md"}, [2]string{f.page("A").ID, f.page("A").Git.Path})
		f.texts["a.md"] = "# A\n\nNew text.\n"
		servertest.Equal(t, "updated", []string{"A"}, titles(f.reimport(nil).Updated))
		servertest.Equal(t, "text of A", "# A\n\nNew text.\n", w.PageText(f.space, a))
	})
}

// TestImportOneDocument checks that an import of one document does not affect the rest of its source.
func TestImportOneDocument(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, map[string]string{"a.md": "# A\n\nText.\n", "b.md": "# B\n\nText.\n"})
		f.reimport(nil)
		w.Web["https://example.com/a.md"] = "# A\n\nNew text.\n"
		one := servertest.Do(w, "editor", api.ImportContent, api.ImportInput{Space: f.space, Body: api.Import{
			URL: "https://example.com/a.md", Source: api.ImportMarkdown, Name: "folder", Delete: true,
		}})
		servertest.Equal(t, "updated", []string{"A"}, titles(one.Updated))
		servertest.Equal(t, "gone", 0, len(one.Gone))
		servertest.Equal(t, "outline", []string{"A", "B"}, f.outline())
	})
}
