package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is an error of the command line, with a hint.
type usageError struct{ message, hint string }

// Error implements error.
func (e *usageError) Error() string { return e.message }

// noArgs returns an error if a command has arguments. If an argument looks like a misspelled command, the hint names that.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := &usageError{fmt.Sprintf("%s takes no argument %q", cmd.CommandPath(), args[0]), cmd.CommandPath() + " --help"}
	if cmd.HasAvailableSubCommands() {
		e.message = fmt.Sprintf("%s has no command %q", cmd.CommandPath(), args[0])
		var names []string
		for _, sub := range cmd.Commands() {
			names = append(names, sub.Name())
		}
		e.hint += suggestion(args[0], names)
	}
	return e
}

// exactArgs returns a check that a command has the arguments with the given names. Its errors name the missing or the extra one.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return &usageError{names[len(args)] + " is missing", "usage: " + cmd.UseLine()}
		case len(args) > len(names):
			return &usageError{fmt.Sprintf("%q is one argument too many", args[len(names)]), "usage: " + cmd.UseLine()}
		}
		return nil
	}
}

// flagError returns the error for a flag that does not exist or has an invalid value.
func flagError(cmd *cobra.Command, err error) error {
	e := &usageError{err.Error(), cmd.CommandPath() + " --help"}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		e.hint += suggestion("--"+unknown.GetSpecifiedName(), names)
	}
	return e
}

// checkRequiredFlags returns an error with a hint if a required flag is not set.
func checkRequiredFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateRequiredFlags(); err != nil {
		return &usageError{err.Error(), cmd.CommandPath() + " --help"}
	}
	return nil
}

// suggestion returns the end of a message that names the words most similar to a misspelled one, or "".
func suggestion(word string, words []string) string {
	const maxEdits = 3
	list := &cobra.Command{}
	for _, name := range words {
		list.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for list.SuggestionsMinimumDistance = 1; list.SuggestionsMinimumDistance <= maxEdits; list.SuggestionsMinimumDistance++ {
		if near := list.SuggestionsFor(word); len(near) > 0 {
			return "; did you mean " + strings.Join(near, ", ") + "?"
		}
	}
	return ""
}
