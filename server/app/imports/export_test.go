package imports_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// export returns the files and the manifest of the exported folder at a path of the interface.
func export(w *servertest.World, as, path string) (files map[string]string, m api.ExportManifest) {
	w.T.Helper()
	a := w.Call(as, http.MethodGet, path, nil, http.StatusOK)
	r, err := zip.NewReader(bytes.NewReader(a.Body), int64(len(a.Body)))
	if err != nil {
		w.T.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			w.T.Fatal(err)
		}
		data, err := io.ReadAll(rc)
		if err != nil {
			w.T.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	if err := json.Unmarshal([]byte(files[api.ManifestName]), &m); err != nil {
		w.T.Fatal(err)
	}
	delete(files, api.ManifestName)
	return files, m
}

// TestExportOfImportIsTheFolder checks that an imported archive is exported byte for byte, SUMMARY.md included, and that edits
// change their files only.
func TestExportOfImportIsTheFolder(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Web["https://example.com/docs.zip"] = string(newArchive(t))
		ref := w.NewRequest("editor", w.NewSpace().ID)
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref, Body: api.Import{URL: "https://example.com/docs.zip", Source: api.ImportZip},
		})
		spaceExport := "/v1/spaces/" + ref.Space + "/content/export"
		want, m := export(w, "commenter", "/v1/spaces/"+ref.Space+"/change-requests/"+ref.ChangeRequest+"/content/export")
		for at, text := range archiveTexts {
			if want[at] != text {
				t.Errorf("%s: %q, want %q", at, want[at], text)
			}
		}
		servertest.Equal(t, "SUMMARY.md", summary, want["SUMMARY.md"])
		servertest.Equal(t, "files", len(archiveTexts)+2, len(want)) // with SUMMARY.md and the logo
		servertest.Equal(t, "entries", len(want), len(m.Entries))
		empty, _ := export(w, "reader", spaceExport)
		servertest.Equal(t, "files of the space before the merge", 0, len(empty))
		w.MustMerge(ref)
		got, m := export(w, "reader", spaceExport)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		old := m.Revision

		page := m.Entries[0]
		for _, e := range m.Entries {
			if e.Path == "README.md" {
				page = e
			}
		}
		second := w.NewRequest("editor", ref.Space)
		made := w.Change(second, servertest.NewPage("Added here", "[Home](/pages/"+page.IDs[0]+"#x) and [other](start/install.md)\n"))
		w.Change(second, api.ContentChange{
			Operation: api.UpdatePage, Page: page.IDs[0], Document: &api.Document{Markdown: api.Some("# Home now\n")},
		})
		w.MustMerge(second)
		got, m = export(w, "reader", spaceExport)
		want["README.md"] = "# Home now\n"
		want["added-here.md"] = "[Home](README.md#x) and [other](start/install.md)\n"
		want["SUMMARY.md"] = got["SUMMARY.md"]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(got["SUMMARY.md"], "](added-here.md)") || !strings.HasPrefix(got["SUMMARY.md"], "# Table of contents\n") {
			t.Errorf("SUMMARY.md: %s", got["SUMMARY.md"])
		}
		if made.Changes[0].Page.ID == "" || m.Number < 2 || m.Title == "" {
			t.Errorf("manifest: %+v", m)
		}
		before, _ := export(w, "editor", "/v1/spaces/"+ref.Space+"/revisions/"+old+"/export")
		servertest.Equal(t, "earlier revision", archiveTexts["README.md"], before["README.md"])
		tag := w.Call("reader", http.MethodGet, spaceExport, nil, http.StatusOK).Header.Get("ETag")
		w.Call("reader", http.MethodGet, spaceExport, nil, http.StatusNotModified, "If-None-Match", tag)
		w.Call("stranger", http.MethodGet, spaceExport, nil, http.StatusNotFound)
	})
}
