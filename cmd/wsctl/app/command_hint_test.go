package app

import (
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// TestUnknownCommandHint checks that the hint for an unknown command has those with a similar name or meaning, else all.
func TestUnknownCommandHint(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"lsit": "did you mean list?", "ls": "did you mean list?", "edit": "did you mean update?", "rm": "did you mean delete?",
		"frobnicate": "it has delete, list, update",
	} {
		root := (&App{}).Root()
		group := &cobra.Command{Use: "invites", RunE: RunGroup, Args: cobra.ArbitraryArgs}
		for _, use := range []string{"list", "update", "delete"} {
			group.AddCommand(&cobra.Command{Use: use, RunE: func(*cobra.Command, []string) error { return nil }})
		}
		root.AddCommand(group)
		root.SetArgs([]string{"invites", name})
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		failure, ok := errors.AsType[*UsageError](root.Execute())
		if !ok || failure.hint != want {
			t.Errorf("%s: %+v, want the hint %q", name, failure, want)
		}
	}
}
