package pages_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// exportSpace returns the files and the manifest of the export of a space.
func exportSpace(w *servertest.World, space string) (files map[string]string, m api.ExportManifest) {
	w.T.Helper()
	a := w.Call("reader", http.MethodGet, "/v1/spaces/"+space+"/content/export", nil, http.StatusOK)
	r, err := zip.NewReader(bytes.NewReader(a.Body), int64(len(a.Body)))
	w.Must(err)
	files = map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		w.Must(err)
		data, err := io.ReadAll(content)
		w.Must(err)
		files[f.Name] = string(data)
	}
	w.Must(json.Unmarshal([]byte(files[api.ManifestName]), &m))
	delete(files, api.ManifestName)
	return files, m
}

// TestExportNamesLostContent loses a text, a file, a reusable content and a SUMMARY.md. The export has the rest, and names what
// it does not have.
func TestExportNamesLostContent(t *testing.T) {
	t.Parallel()
	d := newDamagedHistory(t)
	ref := d.NewRequest("editor", d.space)
	d.Change(ref,
		pushChange("book", "lost.md", servertest.NewPage("Lost", "Lost text.\n")),
		api.ContentChange{Operation: api.InsertFiles, SourceName: "book", Files: []api.FileInsert{
			{Name: "a.png", ContentType: "image/png", Base64: "aGk=", Path: "a.png"},
		}},
		api.ContentChange{Operation: api.InsertReusableContent, Title: api.Some("Shared"), Document: &api.Document{
			Markdown: api.Some("Shared text.\n"),
		}},
		pushChange("book", "SUMMARY.md", api.ContentChange{Operation: api.SetSummary, Document: &api.Document{
			Markdown: api.Some("# Book\n\n* [Lost](lost.md)\n"),
		}}))
	d.MustMerge(ref)
	files, m := exportSpace(d.World, d.space)
	servertest.Equal(t, "entries", 5, len(m.Entries))
	servertest.Equal(t, "files", 5, len(files))
	servertest.Equal(t, "text", "Lost text.\n", files["lost.md"])
	servertest.Equal(t, "notes", 0, len(m.Notes))

	head := d.read(d.head())
	content := d.Store.Content(d.space)
	revisions := revision.New(d.Store, 1<<20)
	tree, err := revisions.Tree(t.Context(), content, head.Pages)
	d.Must(err)
	list, err := revisions.Files(t.Context(), content, head.Files)
	d.Must(err)
	reusables, err := revision.ReadReusables(t.Context(), content, head.Reusables)
	d.Must(err)
	sources, err := revision.ReadSources(t.Context(), content, head.Sources)
	d.Must(err)
	lost := []string{list[0].Manifest, sources.Summary().Text}
	for _, id := range tree.ReadingOrder("") {
		if p := tree.Page(id); p.Origin != nil {
			lost = append(lost, p.Text)
		}
	}
	for _, p := range reusables {
		lost = append(lost, p.Text)
	}
	for _, hash := range lost {
		d.replaceObject(hash, objects.Placeholder{})
	}
	files, m = exportSpace(d.World, d.space)
	for _, name := range []string{"lost.md", "a.png", ".gitbook/includes/shared.md"} {
		i := slices.IndexFunc(m.Entries, func(e api.ExportEntry) bool { return e.Path == name })
		if i < 0 || m.Entries[i].SHA256 != "" {
			t.Errorf("%s: %+v", name, m.Entries)
		}
		if _, ok := files[name]; ok {
			t.Errorf("%s is in the archive", name)
		}
	}
	servertest.Equal(t, "notes about what is lost", 3, len(m.Notes))
	servertest.Equal(t, "entries", 5, len(m.Entries))
	servertest.Equal(t, "files", 2, len(files)) // the other page, and a new SUMMARY.md
}

// TestMergeOfSummariesKeepsBothSides merges two pushes that changed different sentences of a SUMMARY.md.
func TestMergeOfSummariesKeepsBothSides(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		summary := func(text string) api.ContentChange {
			return pushChange("book", "SUMMARY.md", api.ContentChange{Operation: api.SetSummary, Document: &api.Document{
				Markdown: api.Some(text),
			}})
		}
		push := func(text string, more ...api.ContentChange) api.ChangeRequestRef {
			ref := w.NewRequest("editor", space)
			w.Change(ref, append(more, summary(text))...)
			return ref
		}
		first := push("One here.\n\nTwo here.\n\n* [A](a.md)\n", pushChange("book", "a.md", servertest.NewPage("A", "A.\n")))
		w.MustMerge(first)
		one, two := push("One changed.\n\nTwo here.\n\n* [A](a.md)\n"), push("One here.\n\nTwo changed.\n\n* [A](a.md)\n")
		w.MustMerge(two)
		w.MustMerge(one)
		files, _ := exportSpace(w, space)
		servertest.Equal(t, "SUMMARY.md", "One changed.\n\nTwo changed.\n\n* [A](a.md)\n", files["SUMMARY.md"])
	})
}

// TestMergeAfterLostSummary merges two pushes of a SUMMARY.md whose earlier text is lost: the newer one stays, and
// the older one changes nothing.
func TestMergeAfterLostSummary(t *testing.T) {
	t.Parallel()
	d := newDamagedHistory(t)
	push := func(text string) api.ChangeRequestRef {
		ref := d.NewRequest("editor", d.space)
		d.Change(ref, pushChange("book", "SUMMARY.md", api.ContentChange{Operation: api.SetSummary, Document: &api.Document{
			Markdown: api.Some(text),
		}}))
		return ref
	}
	d.MustMerge(push("One.\n\nTwo.\n"))
	sources, err := revision.ReadSources(t.Context(), d.Store.Content(d.space), d.read(d.head()).Sources)
	d.Must(err)
	one, two := push("One changed.\n\nTwo.\n"), push("One.\n\nTwo changed.\n")
	d.replaceObject(sources.Summary().Text, objects.Placeholder{})
	d.MustMerge(two)
	servertest.Refused(d.World, "reviewer", api.MergeChangeRequest, servertest.MergeInput(one), http.StatusConflict, api.ReasonState)
	sources, err = revision.ReadSources(t.Context(), d.Store.Content(d.space), d.read(d.head()).Sources)
	d.Must(err)
	text, err := d.Store.Content(d.space).Object(t.Context(), sources.Summary().Text)
	d.Must(err)
	servertest.Equal(t, "SUMMARY.md", "One.\n\nTwo changed.\n", string(text))
}
