package operations

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// run prompts for confirmation if it is needed, sends the request and writes the response.
func (r *rowCommand) run(cmd *cobra.Command, args []string) error {
	r = r.selectCommand(args)
	args, err := r.completeArguments(cmd, args)
	if err != nil {
		return err
	}
	writer, err := NewWriter(r.app, r.row, r.answer, r.options(args))
	if err != nil {
		return err
	}
	if err := r.confirmTitle(cmd.Context()); err != nil {
		return err
	}
	req, err := r.request(cmd, args)
	if err != nil {
		return err
	}
	if err := r.confirm(cmd, req, args); err != nil {
		return err
	}
	if err := r.confirmWarning(cmd, req, args); err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	if r.isList {
		return writer.List(cmd.Context(), c, req)
	}
	if err := r.resolveNumbers(cmd.Context(), c, &req); err != nil {
		return locateError(err, req)
	}
	stop := showProgress(r.app, r.row)
	response, err := c.Do(cmd.Context(), req, r.callOptions()...)
	stop()
	if err != nil {
		return r.locateFields(locateError(err, req))
	}
	if dropped := droppedText(response.Body); warns(r.row) && dropped != "" && !r.dryRun {
		r.app.Infof("%s", dropped)
	}
	switch {
	case r.row.Method == http.MethodDelete:
		return r.reportDelete(writer, response, args)
	case r.rawOutput:
		return writer.Raw(cmd.Context(), c, response.Body)
	case len(response.Body) == 0 && !r.row.Writes():
		r.app.Infof("nothing differs") // the answer is text, such as a patch
		return nil
	case len(response.Body) == 0:
		r.app.Infof("%s", r.doneMessage(args))
		return nil
	}
	err = writer.Show(response)
	if r.row.Writes() && !r.dryRun {
		err = unprinted(r.app, r.row, response, r.subject(args), err)
	}
	if err != nil || !r.openWeb {
		return err
	}
	return writer.Open(response.Body)
}

// unprinted returns the error of printing the answer of a write as an app.UnprintedError. It keeps a secret that the answer
// shows once. Errors that are the outcome of the write stay as they are, and so does that of a closed pipe, unless a secret
// is lost with it.
func unprinted(a *app.App, row api.Row, response client.Response, subject string, err error) error {
	_, isOutcome := errors.AsType[*app.ConflictError](err)
	if err == nil || isOutcome || errors.Is(err, syscall.EPIPE) && !row.Secret {
		return err
	}
	failed := &app.UnprintedError{Done: "done", Name: strings.Join(app.NamesOf(response.Body), ", "), Cause: err}
	if response.Status == http.StatusCreated || row.Verb() == api.CreateInvite.Verb() {
		failed.Done = "made"
	}
	failed.Name = cmp.Or(failed.Name, subject)
	if row.Secret {
		failed.Secret = a.KeepAnswer(response.Body)
	}
	return failed
}

func (r *rowCommand) options(args []string) Options {
	options := Options{ListOptions: r.listOptions, DryRun: r.dryRun}
	if r.argument != "" {
		options.Subject = args[0]
	}
	return options
}

// locateError adds the path to a not-found error, because parts of it may come from the environment or a profile.
func locateError(err error, req client.Request) error {
	if refused, ok := api.AsError(err); ok && refused.Code == http.StatusNotFound && refused.Hint == "" {
		refused.Hint = "there is no " + strings.TrimPrefix(req.Path, "/v1") + ", or you may not see it"
	}
	return err
}

func verbWord(row api.Row) string {
	word, _, _ := strings.Cut(row.Verb(), "-")
	return word
}

func upperFirst(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// doneMessage returns the message for a completed write without an answer.
func (r *rowCommand) doneMessage(args []string) string {
	verb, object := r.action(args)
	if r.dryRun {
		return fmt.Sprintf("dry run: would %s %s", verb, object)
	}
	return upperFirst(pastTense(verb)) + " " + object
}

// pastTense returns the past tense of a regular verb.
func pastTense(verb string) string {
	if strings.HasSuffix(verb, "e") {
		return verb + "d"
	}
	return verb + "ed"
}

// action returns what a write without an answer does and to what: it acts on the subject of the command, but of a user or
// team in the path only on the membership or the permission.
func (r *rowCommand) action(args []string) (verb, object string) {
	verb, object = verbWord(r.row), r.subject(args)
	switch {
	case r.row.Name == api.DeleteMember.Name:
		return "end", "the membership of " + object
	case strings.HasSuffix(r.row.Verb(), "-user"), strings.HasSuffix(r.row.Verb(), "-team"):
		return verb, "the permission of " + object
	case r.row.Name == api.UpdateTeamMembers.Name:
		return verb, "the members of " + object
	case r.argument == "":
		return verb, "a " + strings.TrimSuffix(app.FlagWords(r.row.Resource()), "s")
	}
	return verb, object
}
