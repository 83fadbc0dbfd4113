package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
)

// Run runs the command line of the world below root, reports what went wrong, and returns the exit code.
func (a *App) Run(ctx context.Context, root *cobra.Command) int {
	root.SetArgs(a.Args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	return a.report(root.ExecuteContext(ctx))
}

// report tells people, or with -o json programs, what went wrong, and returns the exit code.
func (a *App) report(err error) int {
	code := Code(err)
	if code == OK {
		return code
	}
	problem := Describe(err)
	if problem.Code == http.StatusUnauthorized && a.loaded != nil && a.loaded.Withheld() != "" {
		problem.Hint = a.loaded.Withheld()
	}
	if a.Format() == JSON {
		encoder := json.NewEncoder(a.Err)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(api.ErrorBody{Error: problem}) // there is nobody left to tell
		return code
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.paint("wsctl:"), strings.TrimSpace(problem.Message))
	for _, f := range problem.Fields {
		fmt.Fprintf(&b, "  %s: %s\n", f.Path, f.Message)
	}
	if problem.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", problem.Hint)
	}
	if problem.RequestID != "" {
		fmt.Fprintf(&b, "request: %s\n", problem.RequestID)
	}
	_, _ = fmt.Fprint(a.Err, b.String())
	return code
}
