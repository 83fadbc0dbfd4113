package review_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// exportFolder returns the files of a space, or of the path of a change request or revision in it, as wsctl pull writes them.
func exportFolder(w *servertest.World, path string) map[string]string {
	w.T.Helper()
	a := w.Call("commenter", http.MethodGet, "/v1/spaces/"+path+"/export", nil, http.StatusOK)
	r, err := zip.NewReader(bytes.NewReader(a.Body), int64(len(a.Body)))
	w.Must(err)
	files := map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		w.Must(err)
		data, err := io.ReadAll(content)
		w.Must(err)
		files[f.Name] = string(data)
	}
	delete(files, api.ManifestName)
	return files
}

// applyPatch applies a patch with git to a folder and returns the files afterwards.
func applyPatch(w *servertest.World, folder map[string]string, patch string) map[string]string {
	w.T.Helper()
	dir := w.T.TempDir()
	for name, text := range folder {
		at := filepath.Join(dir, name)
		w.Must(os.MkdirAll(filepath.Dir(at), 0o755))
		w.Must(os.WriteFile(at, []byte(text), 0o600))
	}
	command := exec.CommandContext(w.T.Context(), "git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
	command.Dir, command.Stdin = dir, strings.NewReader(patch)
	if out, err := command.CombinedOutput(); err != nil && patch != "" {
		w.T.Fatalf("git apply: %v %s\n%s", err, out, patch)
	}
	files := map[string]string{}
	w.Must(filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		name, _ := filepath.Rel(dir, at)
		files[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return files
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// patchOf returns the patch of a change request. query is that of the request.
func patchOf(w *servertest.World, ref api.ChangeRequestRef, query string) string {
	w.T.Helper()
	path := "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest + "/diff?format=unified&" + query
	a := w.Send("commenter", http.MethodGet, path, nil)
	servertest.Equal(w.T, "status", http.StatusOK, a.Status)
	return string(a.Body)
}

// checkPatch checks that a patch turns the folder before into after. Files that are no texts are not compared.
func checkPatch(w *servertest.World, before, after map[string]string, patch string) {
	w.T.Helper()
	got := applyPatch(w, before, patch)
	for _, files := range []map[string]string{got, after} {
		for name := range files {
			if got[name] != after[name] && strings.HasSuffix(name, ".md") {
				w.T.Errorf("%s: %q, want %q\n%s", name, got[name], after[name], patch)
			}
		}
	}
}

// handbook is a space with pages of a source, pages of its own that link to each other by id, files and a reusable content.
type handbook struct {
	space, one, two, own, child string
}

func newHandbook(w *servertest.World) (h handbook) {
	w.T.Helper()
	ref := w.NewRequest("editor", w.NewSpace().ID)
	h.space = ref.Space
	made := w.Change(ref,
		inBook("one.md", api.ContentChange{
			Operation: api.InsertPage, Title: api.Some("One"), Ref: "one",
			Document: &api.Document{Markdown: api.Some("# One\r\n\r\nSee [own](/pages/own#part) and ![logo](/files/logo).\r\n")},
		}),
		inBook("übersicht/two.md", servertest.NewPage("Two", "# Two\n\na\n\nb\n\nc")),
		api.ContentChange{
			Operation: api.InsertPage, Title: api.Some("Own"), Ref: "own",
			Document: &api.Document{Markdown: api.Some("# Own\n\n## Part\n\nSee [one](/pages/one).\n")},
		},
		servertest.WithParent(servertest.NewPage("Child", "# Child\n\nText.\n"), "own"),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
			{Name: "logo.png", ContentType: "image/png", Base64: "aGk=", Ref: "logo"},
			{Name: "old.png", ContentType: "image/png", Base64: "aGo="},
		}},
		servertest.InsertReusable("Shared", "Shared text with [one](/pages/one).\n"),
	)
	w.MustMerge(ref)
	h.one, h.two, h.own, h.child = made.Changes[0].Page.ID, made.Changes[1].Page.ID, made.Changes[2].Page.ID, made.Changes[3].Page.ID
	return h
}

func inBook(path string, change api.ContentChange) api.ContentChange {
	change.SourceName, change.Path = "book", path
	return change
}

// TestPatchAppliesInFolder checks that git takes the patch of a change request in the folder of its space, which is then the one of
// the request: edits, renames, moves, additions and deletions, links by id to what has moved, and SUMMARY.md.
func TestPatchAppliesInFolder(t *testing.T) {
	t.Parallel()
	needGit(t)
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		h := newHandbook(w)
		before := exportFolder(w, h.space+"/content")
		for _, test := range []struct {
			name    string
			changes []api.ContentChange
			want    []string // lines of the patch
		}{
			{"edit", []api.ContentChange{servertest.Write(h.two, "# Two\n\na\n\nb anew\n\nc")}, []string{
				`diff --git "a/\303\274bersicht/two.md" "b/\303\274bersicht/two.md"`, "-b", "+b anew", "\\ No newline at end of file",
			}},
			{"rename of a page that others link to", []api.ContentChange{
				{Operation: api.UpdatePage, Page: h.own, Title: api.Some("Renamed"), Slug: api.Some("renamed")},
			}, []string{"rename from own/README.md", "rename to renamed/README.md", "diff --git a/one.md b/one.md"}},
			{"move", []api.ContentChange{servertest.MovePage(h.child, h.two, 0)}, []string{"rename from own/child.md"}},
			{"path", []api.ContentChange{inBook("part/one.md", api.ContentChange{Operation: api.UpdatePage, Page: h.one})}, []string{
				"rename from one.md", "rename to part/one.md",
			}},
			{"addition", []api.ContentChange{servertest.WithParent(servertest.NewPage("New", "New.\n"), h.own)}, []string{
				"new file mode 100644", "+++ b/own/new.md",
			}},
			{"deletion", []api.ContentChange{servertest.DeletePage(h.child)}, []string{"deleted file mode 100644", "--- a/own/child.md"}},
			{"exchange of paths", []api.ContentChange{
				inBook("swap.md", api.ContentChange{Operation: api.UpdatePage, Page: h.one}),
				inBook("one.md", api.ContentChange{Operation: api.UpdatePage, Page: h.two}),
				inBook("übersicht/two.md", api.ContentChange{Operation: api.UpdatePage, Page: h.one}),
			}, []string{"rename from one.md", "rename to one.md"}},
			{"place of a deleted page", []api.ContentChange{
				servertest.DeletePage(h.one), inBook("one.md", api.ContentChange{Operation: api.UpdatePage, Page: h.two}),
			}, []string{"deleted file mode 100644", "rename to one.md"}},
			{"replaced page", []api.ContentChange{
				servertest.DeletePage(h.one), inBook("one.md", servertest.NewPage("One anew", "# One\n")),
			}, []string{"diff --git a/one.md b/one.md", "--- a/one.md", "+++ b/one.md"}},
			{"empty page", []api.ContentChange{
				{Operation: api.InsertPage, Title: api.Some("Empty")},
			}, []string{"new file mode 100644"}},
		} {
			ref := w.NewRequest("editor", h.space)
			w.Change(ref, test.changes...)
			patch := patchOf(w, ref, "limit=100")
			checkPatch(w, before, exportFolder(w, h.space+"/change-requests/"+ref.ChangeRequest+"/content"), patch)
			for _, line := range test.want {
				if !strings.Contains("\n"+strings.ReplaceAll(patch, "\r\n", "\n"), "\n"+line+"\n") {
					t.Errorf("%s: no line %q in\n%s", test.name, line, patch)
				}
			}
		}
	})
}

// TestPatchNamesWhatItLeavesOut checks that changed bytes of files are named, and that a patch that is limited has no change that git
// would refuse without the others.
func TestPatchNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	needGit(t)
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		h := newHandbook(w)
		before := exportFolder(w, h.space+"/content")
		ref := w.NewRequest("editor", h.space)
		w.Change(ref,
			inBook("swap.md", api.ContentChange{Operation: api.UpdatePage, Page: h.one}),
			inBook("one.md", api.ContentChange{Operation: api.UpdatePage, Page: h.two}),
			servertest.Write(h.child, "# Child\n\nText anew.\n"),
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
				{Name: "new.png", ContentType: "image/png", Base64: "aGk="},
			}})
		patch := patchOf(w, ref, "page="+h.two)
		servertest.Equal(t, "page whose path is taken", "# one.md is left out: another file is at its path\n",
			strings.SplitAfter(patch, "\n")[0])
		patch = patchOf(w, ref, "page="+h.child)
		servertest.Equal(t, "files of one page", 1, strings.Count(patch, "diff --git"))
		applyPatch(w, before, patch)
		whole := patchOf(w, ref, "limit=100")
		if !strings.Contains(whole, "\n# .gitbook/assets/new.png is no text and was added\n") {
			t.Error(whole)
		}
		for limit := 1; limit <= 4; limit++ {
			applyPatch(w, before, patchOf(w, ref, fmt.Sprintf("limit=%d", limit)))
		}
	})
}

// TestPatchOfRevision checks the patch of a revision against its parent, and that of the changes since a revision of a change
// request, which leaves out what an update brought in.
func TestPatchOfRevision(t *testing.T) {
	t.Parallel()
	needGit(t)
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		h := newHandbook(w)
		before := exportFolder(w, h.space+"/content")
		ref := w.NewRequest("editor", h.space)
		w.Change(ref, servertest.Write(h.child, "# Child\n\nOf the request.\n"))
		since := w.ReadRequest(ref).Revision
		path := h.space + "/change-requests/" + ref.ChangeRequest + "/content"
		at := exportFolder(w, path)

		other := w.NewRequest("editor", h.space)
		w.Change(other, inBook("moved.md", servertest.Write(h.two, "# Two\n\na\n\nb\n\nc, of the space")))
		w.MustMerge(other)
		head := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: h.space}).ID
		a := w.Call("commenter", http.MethodGet, "/v1/spaces/"+h.space+"/revisions/"+head+"/diff?format=unified", nil, http.StatusOK)
		checkPatch(w, before, exportFolder(w, h.space+"/content"), string(a.Body))

		w.Pull(ref)
		w.Change(ref, servertest.Write(h.child, "# Child\n\nOf the request, later.\n"))
		patch := patchOf(w, ref, "since="+since)
		if strings.Contains(patch, "c, of the space") || !strings.Contains(patch, "+Of the request, later.") {
			t.Error(patch)
		}
		applyPatch(w, at, patch)
	})
}

// TestPatchesOfRandomChangesApply makes random change requests of one space, one after another, and applies their patches.
func TestPatchesOfRandomChangesApply(t *testing.T) {
	t.Parallel()
	needGit(t)
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		h := newHandbook(w)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 25 {
			before := exportFolder(w, h.space+"/content")
			ref := w.NewRequest("editor", h.space)
			for range 1 + random.IntN(5) {
				randomChange(w, random, ref, i)
			}
			checkPatch(w, before, exportFolder(w, h.space+"/change-requests/"+ref.ChangeRequest+"/content"), patchOf(w, ref, "limit=100"))
			w.Send("reviewer", http.MethodPost, "/v1/spaces/"+h.space+"/change-requests/"+ref.ChangeRequest+"/merge", nil)
		}
	})
}

// randomChange makes a random change that may be refused.
func randomChange(w *servertest.World, random *rand.Rand, ref api.ChangeRequestRef, n int) {
	w.T.Helper()
	pages := slices.DeleteFunc(w.Pages(ref), func(p api.RevisionPage) bool { return p.Type != api.PageDocument })
	page := func() string { return pages[random.IntN(len(pages))].ID }
	name := fmt.Sprintf("%d", random.IntN(6))
	var change api.ContentChange
	switch kind := random.IntN(7); {
	case kind == 0 || len(pages) < 3:
		change = servertest.NewPage("Page "+name, fmt.Sprintf("# Page\n\nText %d with [a link](/pages/%s).\n", n, page()))
	case kind == 1:
		change = inBook("dir/"+name+".md", servertest.NewPage("Page "+name, fmt.Sprintf("Text %d.\r\n", n)))
	case kind == 2:
		change = servertest.DeletePage(page())
	case kind == 3:
		change = servertest.MovePage(page(), page(), 0)
	case kind == 4:
		change = inBook([]string{"", "dir/"}[random.IntN(2)]+name+".md", api.ContentChange{Operation: api.UpdatePage, Page: page()})
	case kind == 5:
		change = api.ContentChange{Operation: api.UpdatePage, Page: page(), Title: api.Some("T " + name), Slug: api.Some("t-" + name)}
	default:
		change = servertest.Write(page(), fmt.Sprintf("# Page\n\nText %d with [a link](/pages/%s).\n\nNo line end", n, page()))
	}
	body, err := json.Marshal(api.ContentEdit{Changes: []api.ContentChange{change}})
	w.Must(err)
	w.Send("editor", http.MethodPost, "/v1/spaces/"+ref.Space+"/change-requests/"+ref.ChangeRequest+"/content", body,
		"Content-Type", "application/json")
}
