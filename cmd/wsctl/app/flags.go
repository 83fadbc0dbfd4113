package app

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docspace.dev/wsd/client"
)

// globalFlags holds the values of the global flags.
type globalFlags struct {
	output, jq, template, columns string
	profile, url, color           string
	noHeaders, csvRaw             bool
	quiet, debug, verbose         bool
	noInput                       bool
	retries                       int
	timeout                       time.Duration
}

// Format returns the output format given by -o, or FormatAuto.
func (a *App) Format() Format { return Format(a.flags.output) }

// HasColumns reports whether --columns was given.
func (a *App) HasColumns() bool { return a.flags.columns != "" }

// IsVerbose reports whether -v was given.
func (a *App) IsVerbose() bool { return a.flags.verbose }

// Silence suppresses everything on standard error except errors. The full-screen interface calls it, because other
// output would corrupt the screen.
func (a *App) Silence() { a.flags.quiet, a.flags.debug, a.flags.verbose = true, false, false }

// SilenceForCompletion is like Silence and also disables retries. Shell completion calls it, because the shell blocks until it
// returns.
func (a *App) SilenceForCompletion() {
	a.Silence()
	a.flags.retries = 0
}

// Root returns the root command with the global flags.
func (a *App) Root() *cobra.Command {
	root := &cobra.Command{
		Use: "wsctl", Version: Version(), SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.flags.verbose && len(args) == 0 {
				_, err := fmt.Fprintf(a.Out, "wsctl %s\n", Version())
				return err
			}
			return RunGroup(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
	}
	root.SetUsageTemplate(root.UsageTemplate() + namesTemplate)
	root.SetVersionTemplate("wsctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 { // the flag is probably one of the missing command
			return unknownCommandError(cmd, args[0])
		}
		return Usagef("%s", flagMessage(err)).WithHint("%s --help", cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	a.addFlags(root)
	return root
}

func (a *App) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.output, "output", "o", "", "`format` of the answer: "+strings.Join(Formats(), ", "))
	f.StringVar(&a.flags.jq, "jq", "", "apply a jq `expression` to the answer in JSON")
	f.StringVar(&a.flags.template, "template", "",
		"write the answer in JSON by a Go `template`; functions: json, join, timeago, upper, lower")
	f.StringVar(&a.flags.columns, "columns", "", "show these `fields`, as in id,title,createdBy.displayName")
	f.BoolVar(&a.flags.noHeaders, "no-headers", false, "leave the headings out")
	f.BoolVar(&a.flags.csvRaw, "csv-raw", false, "with -o csv, leave texts as they are that a spreadsheet would run as formulas")
	f.StringVar(&a.flags.profile, "profile", "", "`name` of the profile to use")
	f.StringVar(&a.flags.url, "url", "", "`address` of the server, without /v1")
	f.StringVar(&a.flags.color, "color", "auto", "auto, always or never")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "only errors on standard error")
	f.BoolVarP(&a.flags.verbose, "verbose", "v", false, "say more, such as each request; alone, show the version")
	f.BoolVar(&a.flags.debug, "debug", false, "log each request on standard error, without secrets")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask; fail instead")
	f.IntVar(&a.flags.retries, "max-retries", 3, "how `often` to try again when the server is away or busy")
	f.DurationVar(&a.flags.timeout, "timeout", client.DefaultTimeout,
		"give up after this `time` without a byte sent or received, as in 90s; slow operations wait 10m for an answer")
	_ = root.RegisterFlagCompletionFunc("profile", a.completeProfiles) // the flag exists
	CompleteWords(root, "output", Formats())
	CompleteWords(root, "color", []string{"auto", "always", "never"})
}

// checkFlags validates the global flags that are enumerations or exclude each other.
func (a *App) checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return Usagef("%s", flagMessage(err))
	}
	if o := a.flags.output; o != "" && !slices.Contains(Formats(), o) {
		a.flags.output = ""
		return Usagef("--output must be one of %s, not %q", strings.Join(Formats(), ", "), o)
	}
	if a.flags.timeout <= 0 {
		return Usagef("--timeout must be more than 0, not %s", a.flags.timeout)
	}
	if c := a.flags.color; c != "auto" && c != "always" && c != "never" {
		a.flags.color = "auto"
		return Usagef("--color must be auto, always or never, not %q", c)
	}
	return nil
}

// excludingFlags matches the error of flags that exclude each other.
var excludingFlags = regexp.MustCompile(`; \[(.*)\] were all set$`)

// flagMessage describes an error of the flag parser in the words of wsctl.
func flagMessage(err error) string {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag, cause := "--"+wrong.GetFlag().Name, wrong.Unwrap().Error()
		switch kind := wrong.GetFlag().Value.Type(); {
		case strings.HasPrefix(cause, "must "):
			return flag + " " + cause
		case kind == "bool":
			return fmt.Sprintf("%s must be true or false, not %q", flag, wrong.GetValue())
		case kind == "int":
			return fmt.Sprintf("%s must be a whole number, not %q", flag, wrong.GetValue())
		default:
			return flag + ": " + cause
		}
	}
	if wrong, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return "--" + wrong.GetFlag().Name + " needs a value"
	}
	if wrong, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if letter := wrong.GetSpecifiedShortnames(); letter != "" {
			return "there is no flag -" + wrong.GetSpecifiedName()
		}
		return "there is no flag --" + wrong.GetSpecifiedName()
	}
	if found := excludingFlags.FindStringSubmatch(err.Error()); found != nil {
		return "--" + strings.Join(strings.Fields(found[1]), " and --") + " exclude each other"
	}
	return err.Error()
}
