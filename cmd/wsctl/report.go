package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// report tells people, or with -o json programs, what went wrong, and returns the exit code.
func (a *app) report(err error) int {
	code := exit.Code(err)
	if code == exit.OK {
		return code
	}
	problem := exit.Describe(err)
	if a.flags.output == string(output.JSON) {
		encoder := json.NewEncoder(a.err)
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
	_, _ = fmt.Fprint(a.err, b.String())
	return code
}
