package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store/storetest"
)

// TestPatchAppliesInPulledFolder checks that git applies the patch of a change request in a folder that was pulled before, and that
// the folder then has the files of the request, byte for byte.
func TestPatchAppliesInPulledFolder(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0")
	token, _ := h.createOrganization(t)
	n := h.mustServe(t)
	user := client{path: binary(t, "wsctl"), url: n.url, token: token, home: t.TempDir()}
	root := t.TempDir()
	writeFiles(t, filepath.Join(root, "docs"), map[string]string{
		"README.md": "# Home\n\nSee [setup](setup.md).\n", "setup.md": "# Setup\r\n\r\nOne.\r\n\r\nTwo.\r\n", "gone.md": "Gone.\n",
		"übersicht/a.md": "# A\n\nText of A.\n\nMore of A.\n", "übersicht/b.md": "No line end", "move.md": "# Move\n\nText.\n",
	})
	space := user.runWord(t.Context(), t, "spaces", "create", "--title", "Patch", "--from", filepath.Join(root, "docs"), "-o", "name")
	before, edited, after := filepath.Join(root, "before"), filepath.Join(root, "edited"), filepath.Join(root, "after")
	for _, dir := range []string{before, edited} {
		user.run(t.Context(), t, "", "pull", space, dir)
	}
	writeFiles(t, edited, map[string]string{
		"setup.md": "# Setup\r\n\r\nOne.\r\n\r\nTwo and more.\r\n", "new/page.md": "# New\n\nText.\n", "übersicht/b.md": "No line end yet",
	})
	if err := errors.Join(os.Remove(filepath.Join(edited, "gone.md")),
		os.Rename(filepath.Join(edited, "move.md"), filepath.Join(edited, "new", "moved.md")),
		os.Rename(filepath.Join(edited, "übersicht", "a.md"), filepath.Join(edited, "übersicht", "renamed page.md"))); err != nil {
		t.Fatal(err)
	}
	user.run(t.Context(), t, "", "push", edited, "--delete", "--yes")
	patch := user.run(t.Context(), t, "", "change-requests", "diff", "1", "--space", space, "--format", "unified")
	for _, line := range []string{
		"rename from move.md", "deleted file mode 100644", "new file mode 100644", `rename from "\303\274bersicht/a.md"`,
		"\\ No newline at end of file",
	} {
		if !strings.Contains(patch, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, patch)
		}
	}
	apply := exec.CommandContext(t.Context(), "git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
	apply.Dir, apply.Stdin = before, strings.NewReader(patch)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v %s\n%s", err, out, patch)
	}
	user.run(t.Context(), t, "", "pull", space+"#1", after)
	if diff := cmp.Diff(contentOf(t, after), contentOf(t, before)); diff != "" {
		t.Errorf("-pulled +patched:\n%s\n%s", diff, patch)
	}
}

// writeFiles writes files below dir.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// contentOf returns the files of a folder without those of wsctl.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "wsctl.yaml" || strings.Contains(at, ".wsctl") {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		data, err := os.ReadFile(at)
		files[filepath.ToSlash(name)] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}
