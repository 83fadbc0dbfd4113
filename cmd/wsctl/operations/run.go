package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// run prompts for confirmation if it is needed, sends the request and writes the response.
func (r *rowCommand) run(cmd *cobra.Command, args []string) error {
	args, err := r.findSelected(cmd, args)
	if err != nil {
		return err
	}
	r = r.selectCommand(args)
	if r.usesLines(args) {
		return r.runLines(cmd, args)
	}
	args, err = r.completeArguments(cmd, args)
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
	if err := r.setUpload(args); err != nil {
		return err
	}
	if r.from != "" {
		return r.createFrom(cmd, args, writer)
	}
	if r.titles != "" {
		return r.createAll(cmd, args, writer)
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
	response, err := r.do(cmd.Context(), c, req, r.callOptions()...)
	stop()
	if err != nil {
		return r.explainLock(r.locateFields(locateError(err, req)))
	}
	if dropped := droppedText(response.Body); warns(r.row) && dropped != "" && !r.dryRun {
		r.app.Infof("%s", dropped)
	}
	if r.row.Writes() && !r.dryRun {
		r.app.ForgetCompletions()
	}
	if r.dryRun {
		response.Body = api.WithoutProvisional(r.row, req.Path+string(req.Body), response.Body)
	}
	return r.write(cmd.Context(), c, writer, response, args)
}

// write writes the response, or says what was done.
func (r *rowCommand) write(ctx context.Context, c *client.Client, writer *Writer, response client.Response, args []string) error {
	switch {
	case r.row.Method == http.MethodDelete:
		return r.reportDelete(writer, response, args)
	case r.row.Out == reflect.TypeFor[api.Archive]():
		return writer.archive(response.Body)
	case r.rawOutput, r.wantsText(writer.printer, response.Body):
		return writer.Raw(ctx, c, response.Body)
	case len(response.Body) == 0 && !r.row.Writes():
		r.app.Infof("nothing differs") // the answer is text, such as a patch
		return nil
	case len(response.Body) == 0:
		r.app.Donef(r.dryRun, "%s", r.doneMessage(args))
		return nil
	case r.isAcknowledged(writer.printer):
		r.app.Donef(false, "%s", r.acknowledgment(response.Body, args))
		if r.openWeb {
			return writer.Open(response.Body)
		}
		return nil
	}
	r.keepRotated(ctx, response.Body)
	r.reportExistingInvites(response.Body)
	err := r.unprinted(response, r.subject(args), writer.Show(response))
	if err == nil {
		r.reportInviteSteps(c.URL(), writer.printer.Format, response.Body)
	}
	r.suggestName(response.Body)
	if err != nil || !r.openWeb {
		return err
	}
	return writer.Open(response.Body)
}

// unprinted is the function unprinted for the answer of the command. The answer of a read or a dry run is not a write.
func (r *rowCommand) unprinted(response client.Response, subject string, err error) error {
	if r.dryRun || !r.row.Writes() {
		return err
	}
	return unprinted(r.app, r.row, response, subject, err)
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

// wantsText reports whether the text of an answer is written alone: --format markdown asks for it, and no output flag for the rest.
func (r *rowCommand) wantsText(p *app.Printer, answer []byte) bool {
	format := r.query["format"]
	if format == nil || format.String() != string(api.FormatMarkdown) || !hasMember(r.answer, "markdown") ||
		p.Format != app.FormatAuto || !p.WritesRows() || len(p.Columns) > 0 {
		return false
	}
	var page struct {
		Markdown *string `json:"markdown"`
	}
	return json.Unmarshal(answer, &page) == nil && page.Markdown != nil
}

func (r *rowCommand) options(args []string) Options {
	options := Options{ListOptions: r.listOptions, DryRun: r.dryRun, Several: r.titles != "" || r.usesLines(args)}
	options.Empty = emptyText(r.row, r.query)
	if r.argument != "" {
		options.Subject = r.hintSubject(args[0])
	}
	return options
}

// hintSubject returns the argument as words of a command in a hint. A change request is named with the space of --space, so that the
// command needs no other flag.
func (r *rowCommand) hintSubject(argument string) string {
	space := r.path["space"]
	if r.argument == "changeRequest" && space != nil && space.IsSet() && strings.Trim(argument, "0123456789") == "" {
		argument = space.String() + "#" + argument
	}
	return app.ShellWord(argument)
}

// locateError adds to a not-found error what was asked for, because parts of it may come from the environment or a profile.
func locateError(err error, req client.Request) error {
	if refused, ok := api.AsError(err); ok && refused.Code == http.StatusNotFound && refused.Hint == "" {
		if words := pathWords(req); words != "" {
			refused.Hint = "there is no " + words + ", or you may not see it"
		}
	}
	return err
}

// pathWords names the resource in the path of a request and those that it is in: page p_1 in space s_1.
func pathWords(req client.Request) string {
	row, ok := rowOfPath(req.Method, req.Path)
	if !ok {
		return ""
	}
	var words []string
	segments := strings.Split(req.MaskedPath(), "/")
	for i, part := range strings.Split(row.Path, "/") {
		for _, p := range row.PathParams() {
			if part != "{"+p.Name+"}" && part != "{"+p.Name+"...}" {
				continue
			}
			value := strings.Join(segments[i:], "/")
			if !strings.HasSuffix(part, "...}") {
				value = segments[i]
			}
			if text, err := url.PathUnescape(value); err == nil {
				value = text
			}
			words = append(words, app.FlagWords(app.Kebab(p.Subject))+" "+value)
		}
	}
	slices.Reverse(words)
	return strings.Join(words, " in ")
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
