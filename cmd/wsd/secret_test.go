package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestGeneratedSecretIsAdoptedOnlyAfterReplacement checks that a replacement of the secret without confirmation keeps the
// secret of the data directory, and that after a confirmed one the new secret there fits the data.
func TestGeneratedSecretIsAdoptedOnlyAfterReplacement(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	directory := t.TempDir()
	environ := newLocalDeployment(t, directory).environ
	readSecret := func() string {
		t.Helper()
		secret, err := os.ReadFile(filepath.Join(directory, "secret"))
		if err != nil {
			t.Fatal(err)
		}
		return string(secret)
	}
	wantRun := func(code int, text string, args ...string) {
		t.Helper()
		got := runWSD(t, environ, args...)
		if got.code != code || !strings.Contains(got.stdout+got.stderr, text) {
			t.Errorf("wsd %s: %d, want %d with %q:\n%s%s", strings.Join(args, " "), got.code, code, text, got.stdout, got.stderr)
		}
	}
	initialize := []string{"init", "--user", "ada@example.com", "--org", "Docs"}
	wantRun(exitOK, "ada@example.com", initialize...)
	old := readSecret()
	wantRun(exitError, "nothing was changed", "secret", "replace", "--generate")
	if readSecret() != old {
		t.Error("a refused replacement changes the secret")
	}
	const opened = "has an organization already" // error of init if the secret fits the data
	wantRun(exitError, opened, initialize...)
	wantRun(exitOK, "Replaced.", "secret", "replace", "--generate", "--yes")
	if readSecret() == old {
		t.Error("a confirmed replacement keeps the secret")
	}
	wantRun(exitError, opened, initialize...)
}
