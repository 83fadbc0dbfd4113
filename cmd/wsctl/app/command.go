package app

import (
	"strings"

	"github.com/spf13/cobra"
)

// Group is what a command does that only holds others, as its RunE: show what there is, or say that this is not there.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	err := Usagef("%s has no command %q", cmd.CommandPath(), args[0]).WithHint("%s --help", cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return err.WithHint("did you mean %s?", strings.Join(near, ", "))
	}
	return err
}

// Exactly takes arguments with these names and refuses too few and too many, naming them.
func Exactly(names ...string) cobra.PositionalArgs {
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

// OneOf completes a flag that takes one of a few words.
func OneOf(cmd *cobra.Command, flag string, words []string) {
	// It fails only for a flag that does not exist or already completes; the tests build every command.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
