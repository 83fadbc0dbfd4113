package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// RunGroup is the RunE of commands that only have subcommands: it shows the help, or fails if args name an unknown
// subcommand.
func RunGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommandError(cmd, args[0])
}

// synonyms are words that people use for the same kind of command, those of wsctl first.
var synonyms = [][]string{
	{"list", "ls", "find", "search", "all"},
	{"get", "show", "view", "read", "describe", "info"},
	{"create", "add", "new", "make", "invite", "insert"},
	{"update", "edit", "set", "change", "modify", "patch", "rename", "resolve", "reopen"},
	{"delete", "remove", "rm", "del", "destroy", "revoke", "purge"},
	{"restore", "undelete", "recover", "undo"},
	{"diff", "compare", "get-changes", "changes"},
}

// maxListedCommands limits how many commands the hint for an unknown one lists.
const maxListedCommands = 12

// unknownCommandError returns the error for a name that is no subcommand of cmd. Its hint has commands with a similar name or meaning,
// else those that there are.
func unknownCommandError(cmd *cobra.Command, name string) error {
	err := Usagef("%s has no command %q", cmd.CommandPath(), name).WithHint("%s --help", cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	near := cmd.SuggestionsFor(name)
	var all []string
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		all = append(all, sub.Name())
		if len(near) == 0 && haveSameMeaning(sub.Name(), name) {
			near = append(near, sub.Name())
		}
	}
	switch {
	case len(near) > 0:
		return err.WithHint("did you mean %s?", strings.Join(near, ", "))
	case len(all) <= maxListedCommands:
		return err.WithHint("it has %s", strings.Join(all, ", "))
	}
	return err
}

// haveSameMeaning reports whether a command is one of those that people call by a name.
func haveSameMeaning(command, name string) bool {
	return slices.ContainsFunc(synonyms, func(words []string) bool {
		return slices.Contains(words, command) && slices.Contains(words, name)
	})
}

// ExactArgs requires one argument per name. Its errors list the missing arguments by name.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return Usagef("%s is missing", names[len(args)]).WithHint("usage: %s", cmd.UseLine())
		case len(args) > len(names):
			return Usagef("%q is one argument too many", args[len(names)]).WithHint("usage: %s", cmd.UseLine())
		default:
			return nil
		}
	}
}

// OptionalArg accepts one argument or none.
func OptionalArg(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return ExactArgs("")(cmd, args)
}

// namesAnnotation marks commands that take names in the place of ids.
const namesAnnotation = "names"

// namesTemplate ends the help of commands that take names.
const namesTemplate = `{{if index .Annotations "` + namesAnnotation + `"}}
Forms of names: wsctl help names
{{end}}`

// AcceptNames says at the end of the help of a command where the forms of names are described.
func AcceptNames(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[namesAnnotation] = "true"
}

// requiredAnnotation marks flags that a command needs.
const requiredAnnotation = "required"

// MarkRequired marks a flag that a command needs, unless --data, the environment or the profile has its value. The command checks it.
func MarkRequired(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, requiredAnnotation, []string{"true"}) // the flag exists
}

// IsRequired reports whether a flag was marked by MarkRequired.
func IsRequired(f *pflag.Flag) bool { return f.Annotations[requiredAnnotation] != nil }

// CompleteWords registers shell completion of a flag with a fixed set of words.
func CompleteWords(cmd *cobra.Command, flag string, words []string) {
	// Registration fails only if the flag does not exist or is already completed; tests build every command.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
}
