package imports_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// importAs imports the folder in its present state as a user.
func (f *folder) importAs(user string, change func(*api.Import)) api.ImportResult {
	f.w.T.Helper()
	f.w.Clock.Advance(time.Second)
	return servertest.Do(f.w, user, api.ImportContent, f.input(change))
}

func (f *folder) head() string {
	f.w.T.Helper()
	return servertest.Do(f.w, "reader", api.GetContent, api.GetContentInput{Space: f.space}).ID
}

// basedOn returns the change of an import that names its base.
func basedOn(revision string) func(*api.Import) {
	return func(i *api.Import) { i.Revision = revision }
}

// TestImportsOfTwoClones plays two clones of one folder that are imported one after the other. Without a base, the pages that lose the
// sentences of the other are listed; with it, nothing is lost, and a clone that is up to date gets no conflict.
func TestImportsOfTwoClones(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		first := f.importAs("editor", nil)
		servertest.Equal(t, "undone by the first import", 0, len(first.Undone)+first.UndoneMore)
		base, page := f.head(), f.page("A").ID
		f.texts["a.md"] = strings.Replace(threeParts, "Second part", "Second part by A", 1)
		f.texts["more/c.md"] = "# C\n\nText of C, by A.\n"
		made := f.importAs("editor", nil)
		servertest.Equal(t, "undone by the same user", 0, len(made.Undone))
		byA := f.head()

		f.texts["a.md"] = strings.Replace(threeParts, "Third part", "Third part by B", 1)
		f.texts["more/c.md"] = "# C\n\nText of C.\n"
		dry := w.Send("reviewer", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true", f.input(nil).Body)
		undone := readImport(w, dry).Undone
		servertest.Equal(t, "undone", 2, len(undone))
		for _, p := range undone {
			servertest.Equal(t, "by", w.Users["editor"].ID, p.By)
			servertest.Equal(t, "at", true, !p.At.IsZero())
		}
		servertest.Equal(t, "first", api.UndonePage{Page: page, Title: "A", Path: "a.md", By: undone[0].By, At: undone[0].At}, undone[0])
		servertest.Equal(t, "head after a dry run", byA, f.head())

		based := f.importAs("reviewer", basedOn(base))
		servertest.Equal(t, "conflicts and undone", 0, len(based.Conflicts)+len(based.Undone))
		servertest.Equal(t, "updated", []string{"A"}, titles(based.Updated))
		both := strings.NewReplacer("Second part", "Second part by A", "Third part", "Third part by B").Replace(threeParts)
		servertest.Equal(t, "text", both, w.PageText(f.space, page))
		servertest.Equal(t, "text that only A changed", "# C\n\nText of C, by A.\n", w.PageText(f.space, f.page("C").ID))

		f.edit(servertest.Write(page, strings.Replace(both, "First part", "First part, edited here", 1)))
		now := f.head()
		f.texts["a.md"] = strings.Replace(both, "First part", "First part, edited here and in the folder", 1)
		f.texts["more/c.md"] = "# C\n\nText of C, by A.\n"
		clean := f.importAs("editor", basedOn(now))
		servertest.Equal(t, "conflicts of a folder that is up to date", 0, len(clean.Conflicts))
		servertest.Equal(t, "text", f.texts["a.md"], w.PageText(f.space, page))
	})
}

// TestBaseProtectsWhatIsNewer checks that an import with a base neither takes out nor overwrites what came in since, and that it does
// not bring back what was taken out.
func TestBaseProtectsWhatIsNewer(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.importAs("editor", nil)
		base, old := f.head(), smallFolder()
		delete(f.texts, "more/d.md")
		f.texts["new.md"] = "# New\n\nBy A.\n"
		f.texts["img/p.png"] = "a better picture"
		f.texts["renamed.md"] = f.texts["more/c.md"]
		delete(f.texts, "more/c.md")
		f.importAs("editor", func(i *api.Import) { i.Delete = true })
		want := strings.Join(f.outline(), "\n")

		f.texts = old
		f.texts["b.md"] += "\nBy B.\n"
		made := f.importAs("reviewer", func(i *api.Import) { i.Delete, i.Revision = true, base })
		servertest.Equal(t, "gone", 0, len(made.Gone))
		servertest.Equal(t, "conflicts", 0, len(made.Conflicts))
		servertest.Equal(t, "updated", []string{"B"}, titles(made.Updated))
		servertest.Equal(t, "outline", want, strings.Join(f.outline(), "\n"))
		servertest.Equal(t, "path in the source", "renamed.md", f.page("C").Git.Path)
		for _, file := range servertest.Do(w, "editor", api.ListContentFiles, api.ListFilesInput{Space: f.space}).Items {
			if file.Name == "p.png" {
				servertest.Equal(t, "picture", len("a better picture"), int(file.Size))
			}
		}

		f.texts["img/p.png"] = "another picture of B"
		f.texts["new.md"] = "# New\n\nBy B.\n"
		made = f.importAs("reviewer", basedOn(base))
		servertest.Equal(t, "conflicting", []string{"New", "p.png"}, titles(made.Conflicting))
		taken := f.importAs("reviewer", func(i *api.Import) {
			i.Revision = base
			for _, c := range made.Conflicts {
				i.Resolutions = append(i.Resolutions, api.Resolution{Conflict: c.ID, Take: api.TakeTheirs})
			}
		})
		servertest.Equal(t, "conflicts after the decision", 0, len(taken.Conflicts))
		servertest.Equal(t, "text", "# New\n\nBy B.\n", w.PageText(f.space, f.page("New").ID))
	})
}

// TestImportRefusesBase checks that a base must be a revision in the history of the target, with the name of a source.
func TestImportRefusesBase(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.importAs("editor", nil)
		other := newFolder(w, map[string]string{"a.md": "# Other\n"})
		other.importAs("editor", nil)
		draft := w.NewRequest("editor", f.space)
		w.Change(draft, servertest.NewPage("Draft", "Draft.\n"))
		for _, test := range []struct{ revision, want string }{
			{"r_unknown", "revision: is not a revision of the space"},
			{other.head(), "revision: is not a revision of the space"},
			{w.ReadRequest(draft).Revision, "revision: is not in the history of the space"},
		} {
			in := f.input(basedOn(test.revision))
			a := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import", in.Body)
			if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Error().Message, test.want) {
				t.Errorf("%s: %d %s", test.want, a.Status, a.Body)
			}
		}
		in := f.input(basedOn(f.head()))
		in.Body.Name = ""
		a := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import", in.Body)
		if a.Status != http.StatusUnprocessableEntity || !strings.Contains(a.Error().Message, "revision: goes with the name of a source") {
			t.Errorf("no name: %d %s", a.Status, a.Body)
		}
		request := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/change-requests/"+draft.ChangeRequest+"/content/import",
			f.input(basedOn(f.head())).Body)
		servertest.Equal(t, "conflicts in a change request", 0, len(readImport(w, request).Conflicts))
	})
}

// TestImportWithLostBaseText imports with a base whose text was lost: what is here stays.
func TestImportWithLostBaseText(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	f := newFolder(w, map[string]string{"a.md": threeParts, "b.md": "# B\n\nAnother page.\n"})
	f.importAs("editor", nil)
	base, page := f.head(), f.page("A").ID
	text := textOf(t, w, f.space, page)
	f.texts["a.md"] = strings.Replace(threeParts, "Second part", "Second part by A", 1)
	f.importAs("editor", nil)
	f.texts["a.md"] = strings.Replace(threeParts, "Third part", "Third part by B", 1)
	if n := len(readImport(w, w.Send("reviewer", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true",
		f.input(nil).Body)).Undone); n != 1 {
		t.Errorf("%d pages are undone", n)
	}
	removeObject(f.space, text)
	w.Must(w.Store.ReplaceLost(t.Context(), f.space, map[string]objects.Placeholder{text: {}}))
	w.Serve()
	dry := readImport(w, w.Send("reviewer", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?dryRun=true", f.input(nil).Body))
	if len(dry.Undone) != 0 {
		t.Errorf("undone without the text before: %v", dry.Undone)
	}
	f.importAs("reviewer", basedOn(base))
	if got := w.PageText(f.space, page); !strings.Contains(got, "Second part by A") {
		t.Errorf("text %q", got)
	}
}

// textOf returns the hash of the text of a page.
func textOf(t *testing.T, w *servertest.World, space, page string) string {
	t.Helper()
	heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
	w.Must(err)
	tree, err := revision.New(w.Store, 1<<20).Tree(t.Context(), w.Store.Content(space), heads[space].Pages)
	w.Must(err)
	return tree.Page(page).Text
}
