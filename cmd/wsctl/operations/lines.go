package operations

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// inputArgument is the argument that stands for the lines of standard input: the command is run for each of them.
const inputArgument = "-"

// lineRequest is the request for a line of standard input.
type lineRequest struct {
	*rowCommand

	args  []string // of the command line, with the line in the place of inputArgument
	build func() (client.Request, error)
}

// usesLines reports whether the argument of the command is inputArgument.
func (r *rowCommand) usesLines(args []string) bool {
	return len(args) > 0 && args[0] == inputArgument && r.rowOptions.selectRow == nil && r.namedArgument() != ""
}

// namedArgument returns the subject that the first argument of the command names, or "".
func (r *rowCommand) namedArgument() string {
	if r.argument == "" && resolve.HasNames(r.rowOptions.bodyArgument) {
		return r.rowOptions.bodyArgument
	}
	return r.argument
}

// takesLines reports whether the command can be run for several lines: whether its argument is a name and it answers a resource.
func (r *rowCommand) takesLines() bool {
	if r.namedArgument() == "" || r.isArgumentOptional() || r.row.Secret || r.rowOptions.selectRow != nil {
		return false
	}
	switch r.row.View() {
	case api.ViewRecord, api.ViewTable, api.ViewEdit, api.ViewMerge:
		return true
	default:
		return false
	}
}

// checkLines returns a usage error if the command cannot be run for several lines.
func (r *rowCommand) checkLines() error {
	switch {
	case !r.takesLines():
		return app.Usagef("%s is one name here: - is for commands that answer a resource without a secret", placeholder(r.namedArgument()))
	case r.key != "":
		return app.Usagef("--idempotency-key is for one request; it does not go with the argument -")
	case r.openWeb:
		return app.Usagef("--web opens one page; it does not go with the argument -")
	case r.rawOutput:
		return app.Usagef("--raw writes one text; it does not go with the argument -")
	case r.ifMatch != "":
		return app.Usagef("--if-match is for one resource; it does not go with the argument -")
	case hasYes(r.row) && !asksAtTerminal(r.row) && !r.yes && !r.dryRun:
		return app.Usagef("the argument - needs --yes here: standard input has the names, so that nobody can be asked")
	}
	return nil
}

// readLines returns the lines of standard input without surrounding white space. Empty lines are skipped.
func readLines(a *app.App) (lines []string, err error) {
	text, err := readText(a, inputArgument)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, app.Usagef("standard input has no names")
	}
	return lines, nil
}

// runLines runs the command for each line of standard input and writes the answers as a list. All names are found first, together, so
// that nothing is sent if one of them has none. A request that the server refuses does not stop the others: the error is an
// *app.SeveralError then. Other failures stop the command with an *app.PartialError.
func (r *rowCommand) runLines(cmd *cobra.Command, args []string) error {
	if err := r.checkLines(); err != nil {
		return err
	}
	writer, err := NewWriter(r.app, r.row, r.answer, r.options(args))
	if err != nil {
		return err
	}
	lines, err := readLines(r.app)
	if err != nil {
		return err
	}
	requests, err := r.lineRequests(cmd, args, lines)
	if err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	if r.row.Writes() && !r.dryRun {
		defer r.app.ForgetCompletions()
	}
	failed := &app.SeveralError{Total: len(requests)}
	list, isWritten := writer.printer.NewList(), writer.announceDryRun()
	for n, l := range requests {
		response, err := l.send(cmd.Context(), c)
		if err == nil {
			err = l.write(writer, list, isWritten, response)
		}
		_, isConflict := errors.AsType[*app.ConflictError](err)
		_, isRefused := api.AsError(err)
		switch {
		case err == nil:
		case isConflict, isRefused:
			failed.Add(lines[n], err)
		default:
			return &app.PartialError{Done: n - len(failed.Errors), Cause: err}
		}
	}
	if err := list.Close(); err != nil {
		return err
	}
	return failed.Reason()
}

// lineRequests returns the request for each line. It finds all names that are in the lines and in the flags.
func (r *rowCommand) lineRequests(cmd *cobra.Command, args, lines []string) ([]*lineRequest, error) {
	if err := r.checkWritable(cmd); err != nil {
		return nil, err
	}
	names := resolve.New(r.app, cmd)
	if err := r.splitFlags(names); err != nil {
		return nil, err
	}
	requests := make([]*lineRequest, len(lines))
	for i, line := range lines {
		own := *r
		own.path = map[string]*app.FlagValue{}
		for subject, v := range r.path { // a line may name what the resource is in
			value := *v
			own.path[subject] = &value
		}
		l := &lineRequest{rowCommand: &own, args: append([]string{line}, args[1:]...)}
		var err error
		if l.build, err = own.prepare(cmd, names, l.args); err != nil {
			return nil, err
		}
		requests[i] = l
	}
	return requests, names.Resolve()
}

// send sends the request of a line.
func (l *lineRequest) send(ctx context.Context, c *client.Client) (client.Response, error) {
	req, err := l.build()
	if err != nil {
		return client.Response{}, err
	}
	if err := l.resolveNumbers(ctx, c, &req); err != nil {
		return client.Response{}, locateError(err, req)
	}
	response, err := c.Do(ctx, req, l.callOptions()...)
	if err != nil {
		return response, l.locateFields(locateError(err, req))
	}
	if l.dryRun {
		response.Body = api.WithoutProvisional(l.row, req.Path+string(req.Body), response.Body)
	}
	return response, nil
}

// write adds the answer for a line to the list.
func (l *lineRequest) write(writer *Writer, list app.ListWriter, isWritten bool, response client.Response) error {
	switch {
	case l.row.Method == http.MethodDelete:
		return l.reportDelete(writer, response, l.args)
	case len(response.Body) == 0:
		l.app.Donef(l.dryRun, "%s", l.doneMessage(l.args))
		return nil
	case !isWritten:
		return nil
	}
	if conflict := writer.mergeConflict(response.Body); conflict != nil {
		conflict.Hint = conflictsCommand(l.hintSubject(l.args[0]))
		return conflict
	}
	return l.unprinted(response, l.subject(l.args), writer.add(list, response.Body))
}

// mergeConflict returns the error of a merge with conflicts, or nil if a body is another answer.
func (w *Writer) mergeConflict(body []byte) *app.ConflictError {
	var result api.MergeResult
	if w.row.View() != api.ViewMerge || json.Unmarshal(body, &result) != nil || result.Result != api.OutcomeConflicts {
		return nil
	}
	return conflictError(result.Conflicts)
}

// add adds an answer to a list: its rows in formats with rows, if it is a table.
func (w *Writer) add(list app.ListWriter, body []byte) error {
	if !w.isTable() || !w.printer.WritesRows() {
		return list.Add(body)
	}
	_, err := w.addRows(list, body)
	return err
}
