package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// TestCommandsShownByScreenExist checks that the command lines that the screen shows exist, with their flags. The tests of the
// screen keep the lists of these command lines up to date.
func TestCommandsShownByScreenExist(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	for _, directory := range []string{"tui", "tui/browse", "tui/screens"} {
		commands, err := os.ReadFile(filepath.Join("../..", directory, "testdata/commands.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(commands)) {
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			s.Run(append(words[1:], "--help")...).Want(t, 0, "Usage:")
		}
	}
}

// TestScreenBeginsAtNames checks that the screen finds what it begins with by name, and refuses names of different spaces.
func TestScreenBeginsAtNames(t *testing.T) {
	t.Parallel()
	const ask = `POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"handbook"}]}`
	for line, wants := range map[string]bool{
		"tui --linear --space handbook": true, "tui --linear --change-request handbook#2": true,
		"tui --linear --change-request handbook#2 --space s_1": false, "tui --linear --change-request 2": false,
	} {
		s := apptest.New(t, newRoot, map[string]string{
			"POST /v1/orgs/o_1/names": `200 {"items":[{"kind":"space","name":"handbook","count":0,"found":[]}]}`,
		})
		s.Env["WSCTL_ORG"] = "o_1"
		want := app.ExitUsage
		if wants {
			want = app.ExitNotFound
		}
		got := s.Run(line)
		if slices.Contains(s.Requests(), ask) != wants || got.Code != want {
			t.Errorf("%s: exit code %d, want %d; sent %q", line, got.Code, want, s.Requests())
		}
	}
}
