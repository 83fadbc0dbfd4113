package main

import (
	"strings"
	"testing"

	"docspace.dev/wsd/tui"
)

// The command lines that the screen shows exist, with their flags.
func TestCommandsShownByScreenExist(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	for _, line := range tui.ExampleCommands() {
		words := strings.Fields(strings.ReplaceAll(line, "'", ""))
		s.Run(append(words[1:], "--help")...).Want(t, 0, "Usage:")
	}
}
