package app

import (
	"context"
	"fmt"
	"net/http"
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
	return a.report(root.ExecuteContext(ctx))
}

// report writes err to standard error, as JSON if -o json is set, and returns the exit code.
func (a *App) report(err error) int {
	code := ExitCode(err)
	if code == ExitOK {
		return code
	}
	problem := describeError(err)
	if problem.Code == http.StatusUnauthorized && a.settings != nil && a.settings.WithheldReason() != "" {
		problem.Hint = a.settings.WithheldReason()
	}
	if a.Format() == FormatJSON {
		data, _ := encodeJSON(api.ErrorBody{Error: problem}) // errors always encode
		_, _ = a.Err.Write(append(data, '\n'))               // standard error is the only place to report to
		return code
	}
	problem = sanitizeError(problem)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.colorize("wsctl:"), strings.TrimSpace(problem.Message))
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
