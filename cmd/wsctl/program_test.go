package main

import (
	"os"
	"path/filepath"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

func TestBrokenConfigFailsOnlyCommandsThatReadIt(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	if err := os.WriteFile(filepath.Join(s.Dir, "config.yaml"), []byte("profiles: [what"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run("config list").Want(t, app.ExitUsage, "config.yaml")
	for _, line := range []string{"version", "--version", "commands", "config path", "spaces --help"} {
		s.Run(line).Want(t, app.ExitOK)
	}
}

func TestGroupCommands(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.Run("spaces").Want(t, app.ExitOK, "Usage:")
	s.Run("spaces lst").Want(t, app.ExitUsage, "did you mean get, list?")
	s.Run("spacs list").Want(t, app.ExitUsage, "did you mean spaces?")
	s.Run("spaces list extra").Want(t, app.ExitUsage, "one argument too many")
	s.Run("version -o json").Want(t, app.ExitOK, `"version"`)
}

func TestInvalidServerURLIsRejected(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	for _, address := range []string{"localhost:8080", "ftp://x", "http://", "x", "http://x?y=z"} {
		s.Run("spaces", "get", "s_x", "--url", address).Want(t, app.ExitUsage, "flag --url", "http://127.0.0.1:8080")
		s.Run("config", "set", "url", address).Want(t, app.ExitUsage)
		s.Input = "wsd_x"
		s.Run("auth", "login", "--with-token", "--url", address).Want(t, app.ExitUsage)
	}
}

func TestReadOnlyProfileSendsNoWrites(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, newRoot, map[string]string{"GET /v1/spaces/s_x": `200 {"id":"x"}`})
	s.Run("config set read_only true").Want(t, app.ExitOK)
	for _, line := range []string{
		"spaces delete s_x --yes", "spaces create --title t", "api POST /orgs", "spaces update s_x --title t --dry-run",
	} {
		s.Run(line).Want(t, app.ExitUsage, "read-only")
	}
	if len(s.Requests()) > 0 {
		t.Fatalf("sent %v", s.Requests())
	}
	s.Run("spaces get s_x").Want(t, app.ExitOK)
}
