package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
)

// Run executes root with the arguments of the Environment, reports any error, and returns the exit code.
func (a *App) Run(ctx context.Context, root *cobra.Command) int {
	root.SetArgs(a.Args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	if err := checkHelpRequest(root, a.Args); err != nil {
		return a.report(err)
	}
	return a.report(root.ExecuteContext(ctx))
}

// checkHelpRequest returns a usage error if args ask for the help of a command that does not exist, as in wsctl spaces lst --help and
// wsctl help spaces lst. cobra would show the help of the nearest group, with the exit code 0.
func checkHelpRequest(root *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] == "help" {
		args = args[1:]
	} else if !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return nil
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() {
		return nil //nolint:nilerr // Execute reports it
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return nil //nolint:nilerr // Execute reports it
	}
	if unknown := cmd.Flags().Args(); len(unknown) > 0 {
		return unknownCommandError(cmd, unknown[0])
	}
	return nil
}

// report writes err to standard error, as JSON if that is the output format, and returns the exit code.
func (a *App) report(err error) int {
	code := ExitCode(err)
	if code == ExitOK || code == ExitDifferent {
		return code
	}
	problem := describeError(err)
	a.explainToken(&problem)
	if problem.Code == http.StatusNotFound && problem.RequestID != "" && a.settings != nil {
		a.settings.forgetOrganization()
	}
	if a.Format().isJSON() {
		data, _ := encodeJSON(errorBody{reported{problem.Code, problem, candidates(err)}}) // errors always encode
		_, _ = a.Err.Write(append(data, '\n'))                                             // standard error is the only place to report to
		return code
	}
	problem = sanitizeError(problem)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.colorize("wsctl:"), strings.TrimSpace(problem.Message))
	if ambiguous, ok := errors.AsType[*AmbiguousNameError](err); ok {
		b.WriteString(ambiguous.lines())
	}
	for _, f := range problem.Fields {
		fmt.Fprintf(&b, "  %s: %s\n", f.Path, f.Message)
	}
	if problem.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", problem.Hint)
	}
	if problem.RequestID != "" {
		fmt.Fprintf(&b, "request: %s\n", problem.RequestID)
	}
	_, _ = fmt.Fprint(a.Err, b.String()) // standard error is the only place to report to
	return code
}

// DescribeError is the function DescribeError, with where the token is from that the server does not accept.
func (a *App) DescribeError(err error) api.Error {
	problem := describeError(err)
	a.explainToken(&problem)
	return sanitizeError(problem)
}

// UseTypedToken says where a token is from that was given to this run, for the error if the server does not accept it.
func (a *App) UseTypedToken(source string) { a.typedToken = source }

// tokenNeeded begins the message of the server for a request without a valid token.
const tokenNeeded = "A valid token is needed"

// explainToken says in an error that the server accepts no token which token was sent, and why none was sent. Other errors, and the
// words of the server for other reasons, stay.
func (a *App) explainToken(problem *api.Error) {
	if problem.Code != http.StatusUnauthorized || a.settings == nil {
		return
	}
	if withheld := a.settings.WithheldReason(); withheld != "" && a.typedToken == "" {
		problem.Message, problem.Hint = "no token was sent", withheld
		return
	}
	if !strings.HasPrefix(problem.Message, tokenNeeded) {
		return
	}
	source := a.typedToken
	if source == "" {
		credential, err := a.settings.Credential()
		if err != nil || credential.Token == "" {
			problem.Message = "no token was sent: there is none in WSCTL_TOKEN or the profile " + a.settings.Profile.Value
			return
		}
		if credential.Login != nil {
			problem.Message = "the server at " + origin(a.settings.URL.Value) + " does not accept the login of " + credential.Origin
			problem.Hint = a.settings.loginHint()
			return
		}
		source = credential.Origin
	}
	problem.Message = "the server at " + origin(a.settings.URL.Value) + " does not accept the token from " + source +
		": it is wrong, expired or revoked"
	problem.Hint = "wsctl status checks the address and the token; wsctl login replaces the token"
	if a.typedToken == "" && a.settings.envToken != "" {
		problem.Hint = "set WSCTL_TOKEN to another, or unset it and sign in with: wsctl login"
	}
}

// errorBody is the JSON of an error: that of the API, with the candidates of a name that several resources have.
type errorBody struct {
	Error reported `json:"error"`
}

type reported struct {
	Code int `json:"code,omitempty"` // none if the error is not an answer of the server
	api.Error
	Candidates []Candidate `json:"candidates,omitempty"`
}

// candidates returns the candidates of an AmbiguousNameError, or nil.
func candidates(err error) []Candidate {
	if ambiguous, ok := errors.AsType[*AmbiguousNameError](err); ok {
		return ambiguous.Candidates
	}
	return nil
}
