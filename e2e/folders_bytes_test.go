package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestFoldersKeepBytesCampaign makes random edits in a folder and pushes each of them; a second folder that pulls it has the same
// bytes. Half of the edits are made in a checkout of git with core.autocrlf, whose lines end with CRLF on disk and with LF elsewhere.
func TestFoldersKeepBytesCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	edits, seed := storetest.LongCampaign(t, "folder-bytes", 10, 300)
	user := newFolderUser(t)
	for _, autoCRLF := range []bool{false, true} {
		t.Run(fmt.Sprintf("autocrlf=%t", autoCRLF), func(t *testing.T) {
			t.Parallel()
			f := newFolderHistory(t, user, seed)
			f.space = user.runWord(t.Context(), t, "spaces", "create", "--title", fmt.Sprintf("Bytes %t", autoCRLF), "-o", "name")
			f.clone(f.space)
			f.clone(f.space)
			f.git(f.dirs[0], "init", "-q")
			f.git(f.dirs[0], "config", "core.autocrlf", fmt.Sprint(autoCRLF))
			e := byteEditor{f.random, autoCRLF}
			for i := range edits / 2 {
				what := e.edit(t, f.dirs[0])
				f.wsctl(0, "push", "--merge", "--yes")
				f.wsctl(1, "pull")
				e.compare(t, f.files(0), f.files(1))
				if t.Failed() {
					t.Fatalf("edit %d: %s\n%s", i, what, strings.Join(f.log, "\n"))
				}
			}
		})
	}
}

// byteEditor edits the texts of a folder in ways in which bytes get lost.
type byteEditor struct {
	random   *rand.Rand
	autoCRLF bool
}

// edit makes a random edit below a directory and returns what it was.
func (e byteEditor) edit(t *testing.T, dir string) (what string) {
	t.Helper()
	name := fmt.Sprintf("page-%d.md", e.random.IntN(6))
	if e.random.IntN(3) == 0 {
		name = filepath.Join("part", name)
	}
	at := filepath.Join(dir, name)
	data, err := os.ReadFile(at)
	isCRLF := e.autoCRLF
	if err != nil {
		data = fmt.Appendf(nil, "# %s\n\nA page.\n", name)
	} else if isCRLF {
		isCRLF = bytes.Count(data, []byte("\r\n")) == bytes.Count(data, []byte("\n"))
	}
	text := string(data)
	if isCRLF {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	lines := strings.SplitAfter(text, "\n")
	where := e.random.IntN(len(lines)) + 1
	before, after := strings.Join(lines[:where], ""), strings.Join(lines[where:], "")
	n := e.random.IntN(1000)
	kinds := []struct{ what, text string }{
		{"paragraph", before + fmt.Sprintf("\nParagraph %d, *marked* and `code`.\n\n", n) + after},
		{"trailing blanks", before + fmt.Sprintf("\nLine %d with blanks   \t \nand more.  \n", n) + after},
		{"no newline at the end", strings.TrimRight(text, "\n")},
		{"newlines at the end", text + "\n\n\n"},
		{"front matter", fmt.Sprintf("---\ntitle: Page %d\n# a comment\nother: [ 1,2 ]\n---\n\n", n) + text},
		{"byte order mark", "\ufeff" + strings.TrimPrefix(text, "\ufeff")},
		{"fence with tabs", before + fmt.Sprintf("\n```go\n\tx :=\t%d\n```\n\n", n) + after},
		{"table", before + fmt.Sprintf("\n|a  | b|\n|--|:-:|\n| %d |  |\n\n", n) + after},
		{"lists", before + fmt.Sprintf("\n*  one\n   + two %d\n\n1) three\n2) four\n\n", n) + after},
		{"HTML", before + fmt.Sprintf("\n<div\n  id=x%d >\n&nbsp;</div>\n\n", n) + after},
		{"characters", before + fmt.Sprintf("\nÄ e\u0301 🧪 \u200b\u00a0 %d\\\nend\n\n", n) + after},
		{"setext title and references", before + fmt.Sprintf("\nPart %d\n=====\n\n[a][b%d]\n\n[b%d]:  <x y.md>  'z'\n", n, n, n) + after},
		{"a line less", strings.Join(lines[:where-1], "") + after},
		{"picture", before + fmt.Sprintf("\n![p](img/%d.png \"t\")\n", n) + after},
	}
	if !e.autoCRLF {
		kinds = append(kinds, struct{ what, text string }{"a line that ends with CRLF", before + fmt.Sprintf("\r\nLine %d\r\n", n) + after})
	}
	edit := kinds[e.random.IntN(len(kinds))]
	text = edit.text
	if isCRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return name + ": " + edit.what
}

// compare compares the files of two folders, whose lines in the first end with CRLF if it is a checkout with core.autocrlf.
func (e byteEditor) compare(t *testing.T, files, others map[string]string) {
	t.Helper()
	for name, text := range files {
		if e.autoCRLF {
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		if others[name] != text {
			t.Errorf("%s is %q in one folder and %q in the other", name, text, others[name])
		}
	}
	if len(files) != len(others) {
		t.Errorf("%d files in one folder, %d in the other", len(files), len(others))
	}
}

// TestPulledMkDocsFolderBuilds edits a folder of MkDocs in the space and pulls it. It builds as before, without a new warning.
func TestPulledMkDocsFolderBuilds(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	mkdocs := requireProgram(t, "mkdocs")
	f := newFolderHistory(t, newFolderUser(t), 1)
	f.dirs = []string{t.TempDir()}
	for name, text := range mkdocsFolder() {
		at := filepath.Join(f.dirs[0], name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	before := f.buildSite(mkdocs)
	f.space = f.user.runWord(t.Context(), t, "spaces", "create", "--title", "Pumps", "-o", "name")
	f.wsctl(0, "push", "--space", "Pumps", "--merge", "--yes")
	f.editPumps()
	f.wsctl(0, "pull")
	if after := f.buildSite(mkdocs); after != before {
		t.Errorf("mkdocs said\n%s\nand says\n%s\n%s", before, after, strings.Join(f.log, "\n"))
	}
	for name, want := range map[string]string{
		"docs/index.md":            "See the [installation](guide/setup.md) and [valves](guide/parts.md#valves).",
		"docs/guide/new/README.md": "Back to the [start](../../index.md).",
	} {
		if data, err := os.ReadFile(filepath.Join(f.dirs[0], name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s is %q (%v)", name, data, err)
		}
	}
}

// mkdocsFolder returns a folder of MkDocs.
func mkdocsFolder() map[string]string {
	return map[string]string{
		"mkdocs.yml": "site_name: Pumps\nnav:\n  - Home: index.md\n  - Guide:\n      - Overview: guide/index.md\n" +
			"      - Setup: guide/setup.md\n      - Parts: guide/parts.md\n  - About: about.md\n",
		"docs/index.md":       "# Pumps\n\nSee the [setup](guide/setup.md) and [parts](guide/parts.md#valves).\n\n![Pump](img/pump.svg)\n",
		"docs/guide/index.md": "# Overview\n\nThe [home](../index.md) page.\n",
		"docs/guide/setup.md": "# Setup\n\n!!! note\n    Keep dry.\n\nThen see [parts](parts.md).\n",
		"docs/guide/parts.md": "# Parts\n\n## Valves\n\nTwo valves.\n",
		"docs/about.md":       "# About\n\nWritten by [us](index.md).\n",
		"docs/img/pump.svg":   "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
	}
}

// buildSite builds the site of the first folder and returns the warnings.
func (f *folderHistory) buildSite(mkdocs string) (warnings string) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), mkdocs, "build", "--site-dir", f.t.TempDir())
	cmd.Dir = f.dirs[0]
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("mkdocs: %v\n%s", err, out)
	}
	var kept []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "WARNING") || strings.Contains(line, "ERROR") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// editPumps makes ten edits of the space of a folder of MkDocs, as the screen does.
func (f *folderHistory) editPumps() {
	f.t.Helper()
	spaces := "/v1/spaces/" + f.space
	pages := map[string]any{}
	notePages(f.direct.do(f.t, http.MethodGet, spaces+"/content/pages", nil), pages)
	request := f.direct.do(f.t, http.MethodPost, spaces+"/change-requests", map[string]any{"subject": "Ten edits"})
	at := fmt.Sprintf("%s/change-requests/%v", spaces, request["number"])
	f.direct.do(f.t, http.MethodPost, at+"/content", map[string]any{"changes": []map[string]any{
		{"operation": "update_page", "page": pages["Setup"], "title": "Installation", "slug": "installation"},
		{"operation": "update_page", "page": pages["Parts"], "at": 0},
		{"operation": "update_page", "page": pages["Parts"], "document": markdown("# Parts\n\n## Valves\n\nThree valves.\n")},
		{"operation": "update_page", "page": pages["About"], "into": pages["Overview"]},
		{"operation": "insert_page", "ref": "new", "into": pages["Overview"], "title": "New", "slug": "new", "document": markdown(
			fmt.Sprintf("# New\n\nBack to the [start](/pages/%s).\n", pages["Pumps"]))},
		{"operation": "update_page", "page": pages["Pumps"], "document": markdown(fmt.Sprintf("# Pumps\n\nSee the "+
			"[installation](/pages/%s) and [valves](/pages/%s#valves).\n\n![Pump](img/pump.svg)\n\n[New](/pages/new)\n",
			pages["Setup"], pages["Parts"]))},
		{"operation": "insert_page", "ref": "below", "into": "new", "title": "Below", "document": markdown("# Below\n\nText.\n")},
		{"operation": "insert_page", "ref": "gone", "title": "Gone", "document": markdown("# Gone\n\nText.\n")},
		{"operation": "update_page", "page": pages["Overview"], "emoji": "🧪", "description": "What there is."},
		{"operation": "delete_page", "page": "gone"},
	}})
	f.direct.do(f.t, http.MethodPost, at+"/merge", nil)
}

// notePages notes the ids of the pages of a tree by title.
func notePages(tree, ids map[string]any) {
	children, _ := tree["pages"].([]any)
	for _, item := range children {
		page, _ := item.(map[string]any)
		title, _ := page["title"].(string)
		ids[title] = page["id"]
		notePages(page, ids)
	}
}
