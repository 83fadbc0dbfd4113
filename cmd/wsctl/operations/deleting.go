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
)

// asks reports whether somebody is to be asked before the row is performed, or refuses where nobody can be.
func (r *rowCommand) asks() (bool, error) {
	if r.row.Method != http.MethodDelete || r.yes || r.dryRun {
		return false, nil
	}
	if !r.app.CanAsk() {
		return false, app.Usagef("deleting needs --yes where nobody can be asked")
	}
	return true, nil
}

// askTitle asks for the title without which an organization is not deleted.
func (r *rowCommand) askTitle(ctx context.Context) error {
	title := r.query["title"]
	if r.row.Name != api.DeleteOrganization.Name || title == nil || title.Given() {
		return nil
	}
	if asks, err := r.asks(); err != nil || !asks {
		return err
	}
	_, _ = fmt.Fprint(r.app.Err, "The exact title of the organization, so that none is deleted by a slip: ")
	answer, err := r.answerLine(ctx)
	if err != nil {
		return err
	}
	return title.Set(answer)
}

// confirm says what would go, and asks whether it shall.
func (r *rowCommand) confirm(cmd *cobra.Command, req client.Request, args []string) error {
	if asks, err := r.asks(); err != nil || !asks {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	response, err := c.Do(cmd.Context(), req, append(r.callOptions(), client.DryRun())...)
	if err != nil {
		return located(err, req)
	}
	if err := r.notThere(response, args); err != nil {
		return err
	}
	question := r.row.Summary + "\n"
	var removal api.Removal
	if json.Unmarshal(response.Body, &removal) == nil {
		question += RemovalText(removal)
	}
	question += fmt.Sprintf("%s %s? [y/N] ", upperFirst(verbWord(r.row)), r.subject(args))
	_, _ = fmt.Fprint(r.app.Err, app.Sanitize(question))
	answer, err := r.answerLine(cmd.Context())
	if err != nil {
		return err
	}
	if word := strings.ToLower(answer); word != "y" && word != "yes" {
		return app.Usagef("nothing was deleted")
	}
	return nil
}

// notThere is the error of a delete that found nothing to delete: scripts see the exit code of what is not found.
func (r *rowCommand) notThere(response client.Response, args []string) error {
	if response.Header.Get(api.AbsentHeader) == "" {
		return nil
	}
	return api.Errorf(http.StatusNotFound, api.ReasonNotFound, "%s is not there; nothing was deleted.", upperFirst(r.subject(args)))
}

// answerLine reads one answer. An interrupt while it is waited for is the end.
func (r *rowCommand) answerLine(ctx context.Context) (string, error) {
	answer, err := r.app.Answer(ctx)
	if ctx.Err() != nil {
		_, _ = fmt.Fprintln(r.app.Err)
		return "", err
	}
	if err != nil && answer == "" {
		return "", app.Usagef("no answer; nothing was deleted")
	}
	return strings.TrimSpace(answer), nil
}

// deleted says what a delete has done, or would do.
func (r *rowCommand) deleted(writer *Writer, response client.Response, args []string) error {
	if err := r.notThere(response, args); err != nil {
		return err
	}
	text := r.done(args)
	if with := WentWith(response.Header.Get(api.RemovedHeader)); with != "" && !r.dryRun {
		text += "; with it went " + with
	}
	r.app.Say("%s", text)
	if r.dryRun && len(response.Body) > 0 {
		return writer.Removal(response.Body)
	}
	return nil
}

// trash makes the command that restores whatever is in the trash.
func (b builder) trash() *cobra.Command {
	cmd := b.command(api.RestoreSpace.Row, extra{choose: restoring})
	cmd.Use = "restore ID"
	cmd.Short = "Restore a space, a collection or an organization from the trash"
	cmd.Long = cmd.Short + ".\n\nWhat it is, its id says: this is spaces restore, collections restore or organizations restore."
	cmd.ValidArgsFunction = Argument(b.app, "trashed")
	cmd.Example = examplesOf(api.ListTrash.Resource(), "restore $SPACE\nrestore $COLLECTION --dry-run")
	return cmd
}

// restoring is the row that restores what has an id.
func restoring(id string) api.Row {
	switch {
	case strings.HasPrefix(id, "l_"):
		return api.RestoreCollection.Row
	case strings.HasPrefix(id, "o_"):
		return api.RestoreOrganization.Row
	}
	return api.RestoreSpace.Row
}

// chosen is the command for the row that the argument asks for.
func (r *rowCommand) chosen(args []string) *rowCommand {
	if r.extra.choose == nil {
		return r
	}
	other := *r
	other.row = r.extra.choose(args[0])
	other.input, other.answer, other.argument = r.compiler.Input(other.row), r.compiler.Compile(other.row.Out), app.Argument(other.row)
	return &other
}
