package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
