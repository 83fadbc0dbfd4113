package apptest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares got with testdata/<name>.golden. With WSCTL_UPDATE=1 it updates the file instead.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	name = strings.ReplaceAll(name, " ", "-") + ".golden"
	if os.Getenv("WSCTL_UPDATE") != "" {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := fs.ReadFile(os.DirFS("testdata"), name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); WSCTL_UPDATE=1 go test ./cmd/wsctl/... updates it:\n%s", name, diff)
	}
}
