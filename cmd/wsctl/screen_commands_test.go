package main

import (
	"strings"
	"testing"

	"docspace.dev/wsd/tui"
)

// What the screen says is a command of wsctl is one, with its flags.
func TestTheCommandsThatTheScreenNames(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, line := range tui.Commands() {
		words := strings.Fields(strings.ReplaceAll(line, "'", ""))
		s.Run(append(words[1:], "--help")...).Want(t, 0, "Usage:")
	}
}
