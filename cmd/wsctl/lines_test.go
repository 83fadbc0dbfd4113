package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// recordedLines is a file with a line for each command that wsctl had when it was recorded: its path, a sample of each
// argument, and each of its own flags with a value.
const recordedLines = "command-lines.txt"

// TestRecordedCommandLinesParse checks that every recorded command, argument and flag is still accepted, so that
// scripts stay valid. WSCTL_RECORD=1 adds the commands and flags that are not recorded, and removes none.
func TestRecordedCommandLinesParse(t *testing.T) {
	t.Parallel()
	data, err := fs.ReadFile(os.DirFS("testdata"), recordedLines)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if os.Getenv("WSCTL_RECORD") != "" {
		lines = recordLines(t, lines)
		if err := os.WriteFile(filepath.Join("testdata", recordedLines), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root := testRoot(t)
	for _, line := range lines {
		checkLine(t, root, line)
	}
}

// checkLine resolves the command of a line and parses its flags, each by itself because some exclude each other.
func checkLine(t *testing.T, root *cobra.Command, line string) {
	t.Helper()
	command, flags := splitLine(line)
	for _, flag := range append([]string{""}, flags...) {
		words := strings.Fields(command)
		if flag != "" {
			words = append(words, flag)
		}
		cmd, rest, err := root.Find(words)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("wsctl %s %s: %v", command, flag, err)
		}
	}
}

// splitLine splits a recorded line into the command with its arguments, and the flags.
func splitLine(line string) (command string, flags []string) {
	words := strings.Fields(line)
	first := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "--") })
	if first < 0 {
		return line, nil
	}
	return strings.Join(words[:first], " "), words[first:]
}

// recordLines returns lines with the commands and flags that they lack.
func recordLines(t *testing.T, lines []string) []string {
	t.Helper()
	recorded := map[string][]string{}
	var commands []string
	add := func(command string, flags []string) {
		if _, known := recorded[command]; !known {
			commands = append(commands, command)
		}
		for _, flag := range flags {
			name, _, _ := strings.Cut(flag, "=")
			if !slices.ContainsFunc(recorded[command], func(f string) bool { return f == name || strings.HasPrefix(f, name+"=") }) {
				recorded[command] = append(recorded[command], flag)
			}
		}
	}
	for _, line := range lines {
		add(splitLine(line))
	}
	for _, cmd := range leafCommands(testRoot(t)) {
		for _, command := range commandPaths(cmd) {
			var flags []string
			cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
				if f.Name != "help" && !f.Hidden {
					flags = append(flags, sampleOf(t, f))
				}
			})
			if cmd.CommandPath() != "wsctl "+strings.Join(strings.Fields(command)[:strings.Count(cmd.CommandPath(), " ")], " ") {
				flags = nil // the flags are those of the line with the name
			}
			add(command, flags)
		}
	}
	slices.Sort(commands)
	for i, command := range commands {
		commands[i] = strings.TrimSpace(command + " " + strings.Join(recorded[command], " "))
	}
	return commands
}

// commandPaths returns the path of a command, and its paths by aliases, each with samples of its arguments.
func commandPaths(cmd *cobra.Command) []string {
	names := append([]string{cmd.Name()}, cmd.Aliases...)
	groups := []string{""}
	if parent := cmd.Parent(); parent.HasParent() {
		groups = append([]string{parent.Name()}, parent.Aliases...)
	}
	arguments := strings.ToLower(strings.TrimPrefix(cmd.Use, cmd.Name()))
	var paths []string
	for _, group := range groups {
		for _, name := range names {
			paths = append(paths, strings.TrimSpace(strings.TrimSpace(group+" "+name)+arguments))
		}
	}
	return paths
}

// sampleOf returns a flag with a value that it accepts.
func sampleOf(t *testing.T, f *pflag.Flag) string {
	t.Helper()
	if f.NoOptDefVal != "" {
		return "--" + f.Name
	}
	if f.Value.Type() == "stringArray" {
		return "--" + f.Name + "=a=b"
	}
	candidates := []string{
		"1", "x", "true", "https://docs.example.com", "2026-01-01T00:00:00Z", "a@example.com", "📘", "docs.example.com",
		"docs.example.com/site", "#ffffff", "u_1", "abc", "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567",
	}
	if value, ok := f.Value.(interface{ Choices() []string }); ok {
		candidates = append(value.Choices(), candidates...)
	}
	for _, text := range candidates {
		if f.Value.Set(text) == nil {
			return "--" + f.Name + "=" + text
		}
	}
	t.Fatalf("no value for --%s", f.Name)
	return ""
}
