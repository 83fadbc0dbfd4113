package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

func testRoot(t *testing.T) *cobra.Command {
	t.Helper()
	return newRoot(app.New(newHarness(t).Environment(nil, nil)))
}

// TestFlagsAreConsistent checks that a flag has the same type and shorthand in all commands, and that no flag of a command
// shadows a global flag.
func TestFlagsAreConsistent(t *testing.T) {
	t.Parallel()
	root := testRoot(t)
	type shape struct{ kind, shorthand string }
	known := map[string]shape{}
	where := map[string]string{}
	for _, cmd := range leafCommands(root) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if root.PersistentFlags().Lookup(f.Name) != nil {
				t.Errorf("%s: --%s hides the global flag", cmd.CommandPath(), f.Name)
			}
			got := shape{f.Value.Type(), f.Shorthand}
			if (f.Name == "status" || f.Name == "type") && got.kind == "list" {
				got.kind = "string" // where several are possible, one is written as elsewhere
			}
			if want, ok := known[f.Name]; ok && want != got {
				t.Errorf("--%s is %v in %s and %v in %s", f.Name, got, cmd.CommandPath(), want, where[f.Name])
			}
			known[f.Name], where[f.Name] = got, cmd.CommandPath()
		})
	}
	for _, word := range []string{"token", "password", "secret"} {
		if where[word] != "" {
			t.Errorf("%s takes a secret as a flag", where[word])
		}
	}
}

// TestThingsHaveOneFlag checks that the flags of a thing have one name: no command has an earlier or another one for it.
func TestThingsHaveOneFlag(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		"organization": "org", "organization-id": "org", "order-by": "sort", "states": "status", "state": "status",
		"section": "site-section",
	}
	all := map[string]bool{}
	for _, cmd := range leafCommands(testRoot(t)) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); f.Name != "state" || value != "FILE" { // that of a program, not of a resource
				all[f.Name] = true
			}
		})
	}
	for name := range all {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, "s"), "-id")
		if others[name] != "" || strings.Contains(name, "_") || stem != strings.TrimSuffix(name, "s") && all[stem] {
			t.Errorf("--%s is another name of --%s", name, cmp.Or(others[name], stem))
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d flags were looked at", len(all))
	}
}

// TestHelpSaysMoreThanName checks that no flag's help only repeats its name.
func TestHelpSaysMoreThanName(t *testing.T) {
	t.Parallel()
	for _, cmd := range leafCommands(testRoot(t)) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			first, _, _ := strings.Cut(usage, ";")
			if strings.EqualFold(strings.ReplaceAll(strings.TrimSpace(first), "-", " "), app.FlagWords(f.Name)) {
				t.Errorf("%s: the help of --%s is %q", cmd.CommandPath(), f.Name, usage)
			}
		})
	}
}

// TestFlagErrors checks that errors of flags are in the words of wsctl, and name the flag by its present name.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"spaces list --limit many":                `--limit must be a whole number, not "many"`,
		"spaces list --all=perhaps":               `--all must be true or false, not "perhaps"`,
		"spaces list --all --limit 3":             "--all and --limit exclude each other",
		"spaces update s_s --title":               "--title needs a value",
		"spaces update s_s --no-such":             "there is no flag --no-such",
		"spaces update s_s -Z":                    "there is no flag -Z",
		"organizations update o --title T":        "--title must have 2 to 255 characters, not 1",
		"change-requests list-queue --states bad": `--status must be one of`,
		"spaces update s_s --emoji 📘 --no-emoji":  "--emoji and --no-emoji exclude each other",
	} {
		got := newHarness(t).Run(line)
		got.Want(t, app.ExitUsage, "wsctl: "+want)
	}
}

func TestExamplesParse(t *testing.T) {
	t.Parallel()
	root := testRoot(t)
	for _, cmd := range leafCommands(root) {
		if strings.HasPrefix(cmd.CommandPath(), "wsctl completion") || cmd.Name() == "help" {
			continue
		}
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example or no summary", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			checkExample(t, root, cmd, strings.TrimSpace(line))
		}
	}
}

// checkExample resolves the command of an example and parses its flags and arguments.
func checkExample(t *testing.T, root, cmd *cobra.Command, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, " < ")
	line, _, _ = strings.Cut(line, " && ")
	args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, "'", ""), "Well said.", "Good."))
	if args[0] != "wsctl" {
		return
	}
	found, rest, err := root.Find(args[1:])
	if err != nil || found.CommandPath() != cmd.CommandPath() {
		t.Errorf("%q is an example of %s, not of %s: %v", line, found.CommandPath(), cmd.CommandPath(), err)
		return
	}
	if err := found.ParseFlags(rest); err != nil && !strings.Contains(err.Error(), "$") {
		t.Errorf("%q: %v", line, err)
		return
	}
	if err := found.ValidateArgs(found.Flags().Args()); err != nil && !strings.Contains(line, "$") {
		t.Errorf("%q: %v", line, err)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "spaces", "spaces list", "spaces update", "content get-page", "content import", "comments create",
		"change-requests merge", "collections move", "tokens create", "api", "auth login",
	} {
		s := newHarness(t)
		got := s.Run(append(strings.Fields(command), "--help")...)
		got.Want(t, app.ExitOK)
		apptest.Golden(t, strings.TrimSpace("help "+command), got.Stdout)
		if got.Stderr != "" || len(s.Requests()) > 0 {
			t.Errorf("help talks: %q %v", got.Stderr, s.Requests())
		}
	}
}

func TestCommandsListsEveryCommand(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	got := s.Run("commands", "--jq", `.[] | select(.command == "wsctl spaces update") | .flags[].name`)
	got.Want(t, app.ExitOK)
	names := strings.Fields(got.Stdout)
	for _, name := range []string{"title", "no-emoji", "dry-run", "output", "data"} {
		if !slices.Contains(names, name) {
			t.Errorf("no flag %s in %v", name, names)
		}
	}
}
