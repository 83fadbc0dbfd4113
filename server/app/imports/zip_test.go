package imports_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

const summary = `# Table of contents

* [Welcome](README.md)
* [Getting started](start/README.md)
  * [Install](start/install.md)
    * [On Linux](start/linux.md)
  * [First steps](start/first.md)

## Reference

* [Commands](reference/commands.md)
* [Exit codes](reference/exit-codes.md)
`

// archiveTexts maps the paths of an archive to texts that careless processing would change.
var archiveTexts = map[string]string{
	"README.md": "---\ndescription: The beginning\n---\n\n# Something else\n\n" +
		"See [install](start/install.md) and ![logo](img/logo.png).\n",
	"start/README.md":         "\ufeff# With a mark\r\n\r\nLines end\r\nas on Windows.\r\n",
	"start/install.md":        "# Install\n\nno final newline",
	"start/linux.md":          "\n\n# Leading blank lines\n\n\n\ttabs\tand trailing  \nspaces\n\n\n",
	"start/first.md":          "* stars\n* stay\n\n1) one\n2) two\n\n<script>alert(1)</script>\n",
	"reference/commands.md":   "Setext\n===\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n",
	"reference/exit-codes.md": "",
}

// TestImportZip checks that an archive with SUMMARY.md keeps its titles, order, nesting, and texts byte for byte.
func TestImportZip(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Web["https://example.com/docs.zip"] = string(newArchive(t))
		ref := w.NewRequest("editor", w.NewSpace().ID)
		result := servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref, Body: api.Import{URL: "https://example.com/docs.zip", Source: api.ImportZip},
		})
		servertest.Equal(t, "resources", [2]int{
			len(archiveTexts) + 1, len(archiveTexts) + 1,
		}, [2]int{result.ImportedResources, result.TotalResources})
		w.MustMerge(ref)
		pages := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space}).Pages
		servertest.Equal(t, "outline", []string{
			"Welcome", "Getting started", "  Install", "    On Linux", "  First steps", "Reference", "  Commands", "  Exit codes",
		}, servertest.Outline(pages))
		texts := map[string]string{}
		for _, text := range archiveTexts {
			texts[text] = ""
		}
		got := map[string]string{}
		servertest.EachPage(pages, func(p api.RevisionPage) {
			if p.Type == api.PageDocument {
				got[w.PageText(ref.Space, p.ID)] = ""
			}
		})
		servertest.Equal(t, "texts", texts, got)
		servertest.Equal(t, "type of the heading", api.PageGroup, pages[2].Type)
		files := servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: ref.Space})
		if files.Count != 1 || files.Items[0].Name != "logo.png" {
			t.Errorf("files: %+v", files.Items)
		}
	})
}

func newArchive(t *testing.T) []byte {
	t.Helper()
	texts := maps.Clone(archiveTexts)
	texts["SUMMARY.md"] = summary
	texts["img/logo.png"] = "\x89PNG\r\n\x1a\nnot really a picture"
	return zipTexts(t, texts)
}

// TestImportKeepsEditsMadeDuringFetch checks that edits during a slow fetch are kept: the import is merged into the new
// head.
func TestImportKeepsEditsMadeDuringFetch(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		slow := &hookedWeb{
			Web: servertest.Web{"https://example.com/a.md": "# Imported\n"}, hook: func() {
				w.Change(ref, servertest.NewPage("Meanwhile", "x\n"))
			},
		}
		setFetcher(w, slow)
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref, Body: api.Import{URL: "https://example.com/a.md", Source: api.ImportMarkdown},
		})
		if diff := cmp.Diff([]string{"Meanwhile", "Imported"}, servertest.Outline(w.Pages(ref))); diff != "" {
			t.Error(diff)
		}
	})
}
