package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// globalFlags are the flags that every command has.
type globalFlags struct {
	output, jq, template, columns string
	profile, url, color           string
	noHeaders, csvRaw             bool
	quiet, debug                  bool
	noInput                       bool
	retries                       int
}

// Format is the format that was asked for with -o; Auto without it.
func (a *App) Format() Format { return Format(a.flags.output) }

// HasColumns reports whether --columns says what tables show.
func (a *App) HasColumns() bool { return a.flags.columns != "" }

// Silence ends all talk on standard error but errors: the screen calls it, over which nothing may write.
func (a *App) Silence() { a.flags.quiet, a.flags.debug = true, false }

// Hurry is Silence without second tries: completions call it, for which a shell waits in the middle of a line.
func (a *App) Hurry() {
	a.Silence()
	a.flags.retries = 0
}

// Root returns the command that all others go below, with the flags that they all have.
func (a *App) Root() *cobra.Command {
	root := &cobra.Command{
		Use: "wsctl", Version: Version(), SilenceErrors: true, SilenceUsage: true,
		RunE: Group, Args: cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
	}
	root.SetVersionTemplate("wsctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return Usagef("%v", err).WithHint("%s --help", cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	a.addFlags(root)
	return root
}

func (a *App) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.output, "output", "o", "", "`format` of the answer: "+strings.Join(Formats(), ", "))
	f.StringVar(&a.flags.jq, "jq", "", "apply a jq `expression` to the answer in JSON")
	f.StringVar(&a.flags.template, "template", "", "write the answer in JSON by a Go `template`; functions: json, join, timeago, upper, lower")
	f.StringVar(&a.flags.columns, "columns", "", "show these `fields`, as in id,title,createdBy.displayName")
	f.BoolVar(&a.flags.noHeaders, "no-headers", false, "leave the headings out")
	f.BoolVar(&a.flags.csvRaw, "csv-raw", false, "with -o csv, leave texts as they are that a spreadsheet would run as formulas")
	f.StringVar(&a.flags.profile, "profile", "", "`name` of the profile to use")
	f.StringVar(&a.flags.url, "url", "", "`address` of the server, without /v1")
	f.StringVar(&a.flags.color, "color", "auto", "auto, always or never")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "no talk on standard error but errors")
	f.BoolVar(&a.flags.debug, "debug", false, "log each request on standard error, without secrets")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask; fail instead")
	f.IntVar(&a.flags.retries, "max-retries", 3, "how `often` to try again when the server is away or busy")
	OneOf(root, "output", Formats())
	OneOf(root, "color", []string{"auto", "always", "never"})
}

// checkFlags holds the flags that take one of a few words, and those that exclude each other.
func (a *App) checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return Usagef("%v", err)
	}
	if o := a.flags.output; o != "" && !slices.Contains(Formats(), o) {
		a.flags.output = ""
		return Usagef("--output must be one of %s, not %q", strings.Join(Formats(), ", "), o)
	}
	if c := a.flags.color; c != "auto" && c != "always" && c != "never" {
		a.flags.color = "auto"
		return Usagef("--color must be auto, always or never, not %q", c)
	}
	return nil
}
