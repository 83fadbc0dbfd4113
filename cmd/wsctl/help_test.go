package main

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestHelpOfUnknownCommands checks that the help of a command that does not exist is a usage error with the nearest command.
func TestHelpOfUnknownCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"spaces lst --help":            "hint: did you mean get, list?",
		"-o table spaces lst --help":   `wsctl: wsctl spaces has no command "lst"`,
		"help spaces lst":              "hint: did you mean get, list?",
		"spces --help":                 "hint: did you mean sites, spaces?",
		"help spces":                   "hint: did you mean sites, spaces?",
		"spaces nosuch --help -o json": `"reason":"usage"`,
	} {
		newHarness(t).Run(line).Want(t, app.ExitUsage, want)
	}
	for _, line := range []string{
		"help", "--help", "help spaces", "help spaces list", "spaces list --help x", "help help", "completion --help",
		"help completion bash",
	} {
		newHarness(t).Run(line).Want(t, app.ExitOK, "Usage:")
	}
}
