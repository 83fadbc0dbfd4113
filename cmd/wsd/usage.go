package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is an error of the command line, with a hint.
type usageError struct{ message, hint string }

// Error implements error.
func (e *usageError) Error() string { return e.message }

// newUsageError returns the error of a command with a wrong argument or flag. The hint begins with remark, if there is one.
func newUsageError(cmd *cobra.Command, remark, format string, args ...any) *usageError {
	message := fmt.Sprintf(format, args...)
	if cmd.HasParent() {
		message = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + ": " + message
	}
	return &usageError{message, strings.TrimLeft(remark+" "+cmd.CommandPath()+" --help lists its flags", " ")}
}

// usagef returns the error of a wrong flag, without a hint.
func usagef(format string, args ...any) *usageError {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// noArgs returns an error if a command has arguments. If an argument looks like a misspelled command, the hint names that.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return newUsageError(cmd, "", "%q is one argument too many", args[0])
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return &usageError{
		message: fmt.Sprintf("%s has no command %q", cmd.CommandPath(), args[0]),
		hint:    strings.TrimLeft(suggestion(args[0], names)+" "+cmd.CommandPath()+" --help lists its commands", " "),
	}
}

// exactArgs returns a check that a command has the arguments with the given names. Its errors name the missing or the extra one.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		usage := "usage: " + cmd.UseLine() + ";"
		switch {
		case len(args) < len(names):
			return newUsageError(cmd, usage, "%s is missing", names[len(args)])
		case len(args) > len(names):
			return newUsageError(cmd, usage, "%q is one argument too many", args[len(names)])
		}
		return nil
	}
}

// flagError returns the error for a flag that does not exist or has an invalid value.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if wrong.GetSpecifiedShortnames() != "" {
			return newUsageError(cmd, "", "there is no flag -%s", wrong.GetSpecifiedName())
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		flag := "--" + wrong.GetSpecifiedName()
		return newUsageError(cmd, suggestion(flag, names), "there is no flag %s", flag)
	}
	if wrong, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return newUsageError(cmd, "", "--%s needs a value", wrong.GetFlag().Name)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		switch name := wrong.GetFlag().Name; wrong.GetFlag().Value.Type() {
		case "bool":
			return newUsageError(cmd, "", "--%s must be true or false, not %q", name, wrong.GetValue())
		case "int", "int64":
			return newUsageError(cmd, "", "--%s must be a whole number, not %q", name, wrong.GetValue())
		default:
			return newUsageError(cmd, "", "--%s: %v", name, wrong.Unwrap())
		}
	}
	return newUsageError(cmd, "", "%v", err)
}

// excludingFlags matches the error of flags that exclude each other.
var excludingFlags = regexp.MustCompile(`; \[(.*)\] were all set$`)

// checkFlags returns an error if required flags are not set, or flags that exclude each other are.
func checkFlags(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if len(f.Annotations[cobra.BashCompOneRequiredFlag]) > 0 && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) > 0 {
		return newUsageError(cmd, "", "%s must be set", strings.Join(missing, " and "))
	}
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if found := excludingFlags.FindStringSubmatch(err.Error()); found != nil {
		return newUsageError(cmd, "", "--%s exclude each other", strings.Join(strings.Fields(found[1]), " and --"))
	}
	return newUsageError(cmd, "", "%v", err)
}

// suggestion returns a question that names the words most similar to a misspelled one, or "". At most half of the letters
// may be others.
func suggestion(word string, words []string) string {
	const maxEdits = 3
	edits := min(maxEdits, len(strings.TrimLeft(word, "-"))/2)
	list := &cobra.Command{}
	for _, name := range words {
		list.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for list.SuggestionsMinimumDistance = 1; list.SuggestionsMinimumDistance <= edits; list.SuggestionsMinimumDistance++ {
		if near := list.SuggestionsFor(word); len(near) > 0 {
			return "did you mean " + strings.Join(near, ", ") + "?"
		}
	}
	return ""
}
