package imports_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// upload sends content as the body of an import into the space of the folder.
func (f *folder) upload(media, query string, body []byte, headers ...string) servertest.Response {
	f.w.T.Helper()
	return f.w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/content/import?"+query, body,
		append([]string{"Content-Type", media}, headers...)...)
}

// uploadFolder sends the folder in its present state, which must be imported.
func (f *folder) uploadFolder(query string) api.ImportResult {
	f.w.T.Helper()
	return readImport(f.w, f.upload(api.MediaZip, query, zipTexts(f.w.T, f.texts)))
}

func readImport(w *servertest.World, a servertest.Response) (result api.ImportResult) {
	w.T.Helper()
	if a.Status != http.StatusCreated {
		w.T.Fatalf("%d %s", a.Status, a.Body)
	}
	if err := json.Unmarshal(a.Body, &result); err != nil {
		w.T.Fatal(err)
	}
	return result
}

// TestUploadIsImported checks that content in the body is imported like content at an address, by media type, and that its source has
// no address.
func TestUploadIsImported(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		made := f.uploadFolder("name=folder")
		servertest.Equal(t, "created", []string{"A", "B", "C", "D", "i.png", "more", "p.png", "unused.x"}, titles(made.Created))
		servertest.Equal(t, "broken links", 0, len(made.BrokenLinks))
		again := f.uploadFolder("name=folder")
		servertest.Equal(t, "revision of the same content", made.Revision, again.Revision)

		text := []byte("# Guide\n\nOne.\n")
		readImport(w, f.upload("text/markdown; charset=utf-8", "name=guide&filename=guide.md", text))
		readImport(w, f.upload(api.MediaMarkdown, "name=guide&filename=guide.md", []byte("# Guide\n\nTwo.\n")))
		servertest.Equal(t, "text", "# Guide\n\nTwo.\n", w.PageText(f.space, f.page("Guide").ID))
		servertest.Equal(t, "slug of a named document", "guide", f.page("Guide").Slug)
		readImport(w, f.upload(api.MediaMarkdown, "name=unnamed", []byte("# No name\n\nOne.\n")))
		readImport(w, f.upload(api.MediaMarkdown, "name=unnamed", []byte("# No name\n\nTwo.\n")))
		servertest.Equal(t, "text", "# No name\n\nTwo.\n", w.PageText(f.space, f.page("No name").ID))
		readImport(w, f.upload("text/html; charset=iso-8859-1", "name=page", []byte("<main><h1>Caf\xe9</h1><p>Text</p></main>")))
		servertest.Equal(t, "text", "# Café\n\nText\n", w.PageText(f.space, f.page("Café").ID))
		servertest.Equal(t, "slug", "cafe", f.page("Café").Slug)

		kinds := map[string]api.SourceKind{}
		for _, s := range servertest.Do(w, "editor", api.ListSources, api.ListSourcesInput{Space: f.space}).Items {
			kinds[s.Name] = s.Kind
			servertest.Equal(t, "address of "+s.Name, "", s.URL)
		}
		servertest.Equal(t, "kinds", map[string]api.SourceKind{
			"folder": api.SourceZip, "guide": api.SourceMarkdown, "unnamed": api.SourceMarkdown, "page": api.SourceHTML,
		}, kinds)

		ref := w.NewRequest("editor", f.space)
		a := w.Send("editor", http.MethodPost, "/v1/spaces/"+f.space+"/change-requests/"+ref.ChangeRequest+"/content/import",
			[]byte("# In a change request\n"), "Content-Type", api.MediaMarkdown)
		readImport(w, a)
		servertest.Equal(t, "page of the change request outside of it", "", f.page("In a change request").ID)
	})
}

// TestUploadIsRepeatedByKey checks that a dry run of an upload changes nothing, and that a repeat with the same Idempotency-Key gets
// the same answer, but not with other content, or the same as another media type.
func TestUploadIsRepeatedByKey(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, nil)
		text := []byte("# Guide\n\nOne.\n")
		dry := readImport(w, f.upload(api.MediaMarkdown, "dryRun=true", text))
		servertest.Equal(t, "created by a dry run", []string{"Guide"}, titles(dry.Created))
		servertest.Equal(t, "page after a dry run", "", f.page("Guide").ID)

		first := f.upload(api.MediaMarkdown, "", text, "Idempotency-Key", "key")
		again := f.upload(api.MediaMarkdown, "", text, "Idempotency-Key", "key")
		servertest.Equal(t, "answer to a repeat", string(first.Body), string(again.Body))
		servertest.Equal(t, "outline", []string{"Guide"}, f.outline())
		for name, other := range map[string]servertest.Response{
			"another text": f.upload(api.MediaMarkdown, "", []byte("# Other\n"), "Idempotency-Key", "key"),
			"another type": f.upload(api.MediaHTML, "", text, "Idempotency-Key", "key"),
		} {
			if e := other.Error(); e.Reason != api.ReasonKeyReused {
				t.Errorf("%s: %d %s", name, other.Status, other.Body)
			}
		}
	})
}

// TestUploadRefusals checks that requests with content are refused with the field that is wrong.
func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		archive, text := zipTexts(t, f.texts), []byte("# Guide\n")
		body, err := json.Marshal(api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown})
		if err != nil {
			t.Fatal(err)
		}
		const jsonMedia = "application/json"
		for _, tc := range []struct {
			name, media, query string
			body               []byte
			status             int
			want               string // in the body of the error
		}{
			{"another media type", "application/x-tar", "", archive, 415, "application/zip, text/markdown or text/html"},
			{"no media type", "", "", text, 415, "text/markdown"},
			{"a form", "application/x-www-form-urlencoded", "name=a", text, 415, "text/markdown"},
			{"a parameter with JSON", jsonMedia, "name=folder", body, 400, "name: is a parameter of the query with application/zip"},
			{"an unknown parameter", api.MediaZip, "url=https://example.com", archive, 400, "url: is not a query parameter"},
			{"a name for an archive", api.MediaZip, "filename=a.zip", archive, 400, "filename: is the name of a single document"},
			{"a path as a name", api.MediaMarkdown, "filename=a%2Fb.md", text, 400, "filename: must be the name of a file"},
			{"delete without a source", api.MediaZip, "delete=true", archive, 400, "delete: goes with the name of a source"},
			{"a direction in a name", api.MediaZip, "name=" + url.QueryEscape("a\u202eb"), archive, 400, "name"},
			{"a resolution without a side", api.MediaZip, "name=a&resolutions=c_1", archive, 400, "resolutions[0]: must be CONFLICT:SIDE"},
			{"a resolution by another side", api.MediaZip, "name=a&resolutions=c_1:mine", archive, 400, "resolutions[0]: must take ours"},
			{"a side with a text", api.MediaZip, "name=a&resolutions=c_1:ours:x", archive, 400, "resolutions[0]: has a text"},
			{"a text without one", api.MediaZip, "name=a&resolutions=c_1:text", archive, 400, "resolutions[0]: must have the text"},
			{"an unknown conflict", api.MediaZip, "name=a&resolutions=c_1:ours", archive, 422, "resolutions[0].conflict"},
			{"nothing", api.MediaMarkdown, "", []byte{}, 400, "The body is empty"},
			{"no archive", api.MediaZip, "", text, 422, "body: it is not a zip archive"},
			{"an archive of nothing", api.MediaZip, "", zipTexts(t, nil), 422, "body: it has neither pages nor files"},
			{"binary as Markdown", api.MediaMarkdown, "filename=a.md", []byte("a\x00b"), 422, "body: a.md: it has a NUL character"},
		} {
			a := f.upload(tc.media, tc.query, tc.body)
			e := a.Error()
			if a.Status != tc.status || !strings.Contains(e.Message, tc.want) {
				t.Errorf("%s: %d %s, want %d with %q", tc.name, a.Status, a.Body, tc.status, tc.want)
			}
		}
		servertest.Equal(t, "outline", 0, len(f.outline()))
		e := servertest.Refusal(w, w.Send("reader", http.MethodPost, "/v1/spaces/"+f.space+"/content/import", archive,
			"Content-Type", api.MediaZip), http.StatusForbidden, api.ReasonForbidden)
		servertest.Equal(t, "fields of a refusal", 0, len(e.Fields))
	})
}

// TestUploadConflictIsDecidedInQuery checks that the parameter resolutions decides conflicts, by side and by text.
func TestUploadConflictIsDecidedInQuery(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, smallFolder())
		f.uploadFolder("name=folder")
		a, c := f.page("A"), f.page("C")
		f.edit(servertest.Write(a.ID, strings.Replace(threeParts, "Second part", "People's part", 1)),
			servertest.Write(c.ID, "# C\n\nPeople's text of C.\n"))
		f.texts["a.md"] = strings.Replace(threeParts, "Second part", "Source's part", 1)
		f.texts["more/c.md"] = "# C\n\nSource's text of C.\n"
		second := f.uploadFolder("name=folder")
		servertest.Equal(t, "conflicting", []string{"A", "C"}, titles(second.Conflicting))
		query := url.Values{"name": {"folder"}}
		for _, conflict := range second.Conflicts {
			side := "theirs"
			if conflict.Title == "C" {
				side = "text:Both: this."
			}
			query.Add("resolutions", conflict.ID+":"+side)
		}
		third := f.uploadFolder(query.Encode())
		servertest.Equal(t, "conflicts after the decision", 0, len(third.Conflicts))
		servertest.Equal(t, "text of A", f.texts["a.md"], w.PageText(f.space, a.ID))
		servertest.Equal(t, "text of C", "# C\n\nBoth: this.\n", w.PageText(f.space, c.ID))
	})
}

// TestUploadedHTMLFetchesNothing checks that no reference of an HTML document in the body is fetched, and that the notes tell which
// lead nowhere. Images in the document itself are imported.
func TestUploadedHTMLFetchesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		f := newFolder(w, nil)
		for _, address := range []string{
			"https://example.com/far.png", "http://127.0.0.1/admin.png", "file:///etc/passwd", "https://example.com/docs/near.png",
		} {
			w.Web[address] = "a picture"
		}
		const document = `<main><h1>Guide</h1>
			<p><img src="near.png" alt="near"> <img src="https://example.com/far.png" alt="far">
			<img src="http://127.0.0.1/admin.png" alt="local"> <img src="file:///etc/passwd" alt="file"> <img src="data:image/png;base64,` + servertest.OnePixel + `" alt="inside"></p>
			<p><a href="next.html">next</a> <a href="https://example.com/">far</a> <a href="#top">top</a></p></main>`
		made := readImport(w, f.upload(api.MediaHTML, "filename=guide.html", []byte(document)))
		files := servertest.Do(w, "editor", api.ListContentFiles, api.ListFilesInput{Space: f.space}).Items
		servertest.Equal(t, "files", 1, len(files))
		servertest.Equal(t, "notes", []string{
			"near.png: this image was not imported, because the document came without an address",
			"https://example.com/far.png: this image was not fetched; the page shows it from there",
			"http://127.0.0.1/admin.png: this image was not fetched; the page shows it from there",
			"next.html: this link leads nowhere, because the document came without an address",
		}, made.Notes)
		text := w.PageText(f.space, f.page("Guide").ID)
		for _, kept := range []string{
			"![near](near.png)", "![far](https://example.com/far.png)", "[next](next.html)", "](/files/" + files[0].ID,
		} {
			if !strings.Contains(text, kept) {
				t.Errorf("the text has no %s:\n%s", kept, text)
			}
		}

		based := strings.Replace(document, "<main>", `<base href="https://example.com/docs/"><main>`, 1)
		made = readImport(w, f.upload(api.MediaHTML, "filename=based.html", []byte(based)))
		servertest.Equal(t, "imported", []string{files[0].Name, "Guide"}, titles(made.Created))
		servertest.Equal(t, "first note", "https://example.com/docs/near.png: this image was not fetched; the page shows it from there",
			made.Notes[0])
	})
}

// doneBy describes what the answer to an import says was done, without random ids.
func doneBy(w *servertest.World, a servertest.Response) string {
	w.T.Helper()
	var result api.ImportResult
	if err := json.Unmarshal(a.Body, &result); err != nil {
		w.T.Fatal(err)
	}
	paths := make([]string, len(result.Created))
	for i, r := range result.Created {
		paths[i] = r.Path
	}
	return fmt.Sprint(a.Status, paths, titles(result.Updated), titles(result.Gone), titles(result.Kept), len(result.Conflicts))
}

// TestUploadParametersHaveEffect checks that every parameter of the query makes a difference.
func TestUploadParametersHaveEffect(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	f := newFolder(w, smallFolder())
	f.uploadFolder("name=folder")
	f.edit(servertest.NewPage("Alone", "# Alone\n"), servertest.Write(f.page("A").ID, strings.Replace(threeParts, "Second", "Another", 1)))
	f.texts["a.md"] = strings.Replace(threeParts, "Second", "One more", 1)
	conflicts := f.uploadFolder("name=folder&dryRun=true").Conflicts
	if len(conflicts) != 1 {
		t.Fatalf("%d conflicts", len(conflicts))
	}
	archive, document := zipTexts(t, f.texts), []byte("# Alone\n")
	delete(f.texts, "more/d.md")
	without := zipTexts(t, f.texts)
	half := zipTexts(t, map[string]string{"a.md": threeParts})
	requests := map[string]struct {
		media, with, without string
		body                 []byte
	}{
		"name":        {api.MediaZip, "name=folder", "", archive},
		"revision":    {api.MediaZip, "name=folder&revision=" + f.head(), "name=folder", archive},
		"force":       {api.MediaZip, "name=folder&force=true", "name=folder", half},
		"adopt":       {api.MediaMarkdown, "adopt=true&filename=alone.md", "filename=alone.md", document},
		"filename":    {api.MediaMarkdown, "filename=a.md", "", document},
		"resolutions": {api.MediaZip, "name=folder&resolutions=" + conflicts[0].ID + ":ours", "name=folder", archive},
	}
	for _, p := range api.NewCompiler().Input(api.ImportContent.Row).Upload.Params {
		r, ok := requests[p.Name]
		if p.In == api.InPath || p.Name == "delete" {
			continue
		}
		with, without := f.upload(r.media, r.with+"&dryRun=true", r.body), f.upload(r.media, r.without+"&dryRun=true", r.body)
		if !ok || doneBy(w, with) == doneBy(w, without) {
			t.Errorf("%s makes no difference: %s", p.Name, doneBy(w, with))
		}
	}
	for _, query := range []string{"name=folder", "name=folder&delete=true"} {
		readImport(w, f.upload(api.MediaZip, query, without))
		if gone := f.page("D").ID == ""; gone != strings.Contains(query, "delete") {
			t.Errorf("%s: the page is gone: %v", query, gone)
		}
	}
}
