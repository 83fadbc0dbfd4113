package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// confirmTitle prompts for the title of an organization, which is required to delete it.
func (r *rowCommand) confirmTitle(ctx context.Context) error {
	title := r.query["title"]
	if r.row.Name != api.DeleteOrganization.Name || title == nil || title.IsSet() {
		return nil
	}
	if asks, err := r.needsConfirmation(); err != nil || !asks {
		return err
	}
	const prompt = "The exact title of the organization, so that none is deleted by a slip: "
	_, _ = fmt.Fprint(r.app.Err, prompt) // the input is read even if the prompt cannot be written
	answer, err := r.readLine(ctx)
	if err != nil {
		return err
	}
	return title.Set(answer)
}

// confirm shows what would be deleted and prompts for confirmation, if it is needed. It returns a usage error unless the answer
// is y or yes.
func (r *rowCommand) confirm(cmd *cobra.Command, req client.Request, args []string) error {
	if r.row.Method != http.MethodDelete {
		return nil
	}
	if asks, err := r.needsConfirmation(); err != nil || !asks {
		return err
	}
	response, err := r.doDryRun(cmd, req)
	if err != nil {
		return err
	}
	if err := r.checkDeleted(response, args); err != nil {
		return err
	}
	question := r.row.Summary + "\n"
	var removal api.Removal
	if json.Unmarshal(response.Body, &removal) == nil {
		question += RemovalText(removal)
		r.title = removal.Title
	}
	verb, object := r.action(args)
	question += fmt.Sprintf("%s %s? [y/N] ", upperFirst(verb), object)
	return r.ask(cmd.Context(), question, "nothing was deleted")
}

// checkDeleted returns an error if a delete found nothing to delete, so that the exit code is the one for not found.
func (r *rowCommand) checkDeleted(response client.Response, args []string) error {
	if response.Header.Get(api.AbsentHeader) == "" {
		return nil
	}
	return api.Errorf(http.StatusNotFound, api.ReasonNotFound, "%s is not there; nothing was deleted.", upperFirst(r.subject(args)))
}

// readLine reads one answer without surrounding space. It returns an error if the command is interrupted or there is no input.
func (r *rowCommand) readLine(ctx context.Context) (string, error) {
	answer, err := r.app.ReadLine(ctx)
	if ctx.Err() != nil {
		_, _ = fmt.Fprintln(r.app.Err) // ends the line of the prompt; an error does not matter
		return "", err
	}
	if err != nil && answer == "" {
		return "", app.Usagef("no answer; nothing was done")
	}
	return strings.TrimSpace(answer), nil
}

// reportDelete reports what a delete did, or would do in a dry run.
func (r *rowCommand) reportDelete(writer *Writer, response client.Response, args []string) error {
	if err := r.checkDeleted(response, args); err != nil {
		return err
	}
	text := r.doneMessage(args)
	if with := FormatDeletedWith(response.Header.Get(api.RemovedHeader)); with != "" && !r.dryRun {
		text += "; with it went " + with
	}
	r.app.Donef(r.dryRun, "%s", text)
	if r.dryRun && len(response.Body) > 0 {
		return writer.Removal(response.Body)
	}
	return nil
}

// restoreCommand returns the command that restores a resource from the trash.
func (b builder) restoreCommand() *cobra.Command {
	cmd := b.command(api.RestoreSpace.Row, rowOptions{selectRow: restoreRow})
	cmd.Use = "restore NAME"
	cmd.Short = "Restore a space, a collection or an organization from the trash"
	cmd.Long = cmd.Short + ".\n\nNAME: title or id of a space or a collection, or id of an organization"
	cmd.ValidArgsFunction = CompleteArgument(b.app, resolve.Trashed)
	cmd.Example = resourceExamples(api.ListTrash.Resource(), "restore release-notes\nrestore suppliers --dry-run")
	return cmd
}

// restoreRow returns the row that restores the resource with the given id.
func restoreRow(id string) api.Row {
	switch {
	case strings.HasPrefix(id, "l_"):
		return api.RestoreCollection.Row
	case strings.HasPrefix(id, "o_"):
		return api.RestoreOrganization.Row
	}
	return api.RestoreSpace.Row
}

// findSelected returns the arguments, with the id of what is in the trash in the place of its name if the argument selects the row.
func (r *rowCommand) findSelected(cmd *cobra.Command, args []string) ([]string, error) {
	if r.rowOptions.selectRow == nil {
		return args, nil
	}
	if args[0] == inputArgument {
		return nil, app.Usagef("NAME is one name here: - is not for this command")
	}
	id, err := resolve.New(r.app, cmd).Find(resolve.Trashed, args[0])
	return []string{id}, err
}

// selectCommand returns a copy of r for the row that the argument selects, or r itself if the argument selects no row.
func (r *rowCommand) selectCommand(args []string) *rowCommand {
	if r.rowOptions.selectRow == nil {
		return r
	}
	other := *r
	other.row = r.rowOptions.selectRow(args[0])
	other.input, other.answer, other.argument = r.compiler.Input(other.row), r.compiler.Compile(other.row.Out), app.ArgumentName(other.row)
	return &other
}
