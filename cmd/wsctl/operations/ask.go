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

// warnings maps the rows that delete nothing, but end what others rely on or take content away, to what they do. They ask
// first, and need --yes where nobody can be asked.
var warnings = map[string]string{
	api.TransferSpace.Name:      "Grants and requested reviews that the other organization does not know are dropped.",
	api.TransferCollection.Name: "Grants and requested reviews that the other organization does not know are dropped.",
	api.AgreeTransfer.Name:      "It leaves this organization.",
	api.RegenerateSiteAuth.Name: "All tokens of the site's visitors become invalid at once.",
	api.UnpublishSite.Name:      "Its addresses stop working at once.",
	api.RotateToken.Name:        "Programs that use the old secret fail; --old-valid-for keeps it valid for a time.",
	api.RollbackRevision.Name:   "Later changes stay in the history, but readers do not see them any more.",
}

// warns reports whether a row asks first, and needs --yes where nobody can be asked.
func warns(row api.Row) bool { return warnings[row.Name] != "" }

// asksAtTerminal reports whether a row asks first at a terminal, and needs no --yes elsewhere.
func asksAtTerminal(row api.Row) bool { return row.Name == api.MergeChangeRequest.Name }

// hasYes reports whether the command of a row has --yes.
func hasYes(row api.Row) bool {
	return row.Method == http.MethodDelete || warns(row) || asksAtTerminal(row)
}

// needsConfirmation reports whether to prompt for confirmation before the request. It returns a usage error if confirmation is
// needed but the user cannot be prompted.
func (r *rowCommand) needsConfirmation() (bool, error) {
	switch {
	case !hasYes(r.row) || r.yes || r.dryRun || asksAtTerminal(r.row) && !r.app.CanPrompt():
		return false, nil
	case r.app.CanPrompt():
		return true, nil
	case r.row.Method == http.MethodDelete:
		return false, app.Usagef("deleting needs --yes where nobody can be asked")
	}
	return false, app.Usagef("%s needs --yes where nobody can be asked", strings.TrimPrefix(r.cmd.CommandPath(), r.cmd.Root().Name()+" "))
}

// confirmWarning shows what a row with a warning would end, and asks for confirmation. It returns a usage error unless the answer
// is y or yes.
func (r *rowCommand) confirmWarning(cmd *cobra.Command, req client.Request, args []string) error {
	if !warns(r.row) && !asksAtTerminal(r.row) {
		return nil
	}
	if asks, err := r.needsConfirmation(); err != nil || !asks {
		return err
	}
	question := r.row.Summary + "\n"
	if warns(r.row) {
		response, err := r.doDryRun(cmd, req)
		if err != nil {
			return err
		}
		question += warnings[r.row.Name] + "\n"
		if dropped := droppedText(response.Body); dropped != "" {
			question += dropped + "\n"
		}
	}
	question += fmt.Sprintf("%s %s? [y/N] ", upperFirst(verbWord(r.row)), r.subject(args))
	return r.ask(cmd.Context(), question, "nothing was changed")
}

// doDryRun sends a request as a dry run.
func (r *rowCommand) doDryRun(cmd *cobra.Command, req client.Request) (client.Response, error) {
	c, err := r.app.Client(cmd)
	if err != nil {
		return client.Response{}, err
	}
	response, err := c.Do(cmd.Context(), req, append(r.callOptions(), client.DryRun())...)
	if err != nil {
		return response, locateError(err, req)
	}
	return response, nil
}

// ask writes a question and reads the answer. It returns a usage error with the text refused unless the answer is y or yes.
func (r *rowCommand) ask(ctx context.Context, question, refused string) error {
	_, _ = fmt.Fprint(r.app.Err, app.Sanitize(question)) // the input is read even if the prompt cannot be written
	answer, err := r.readLine(ctx)
	if err != nil {
		return err
	}
	if word := strings.ToLower(answer); word != "y" && word != "yes" {
		return app.Usagef("%s", refused)
	}
	return nil
}

// droppedText describes what a transfer drops, or "".
func droppedText(body []byte) string {
	var moved struct {
		Dropped api.TransferLoss `json:"dropped"`
	}
	if json.Unmarshal(body, &moved) != nil {
		return ""
	}
	var counts []string
	for _, kind := range []struct {
		name string
		of   []string
	}{
		{"grants to members", moved.Dropped.Members},
		{"grants to teams", moved.Dropped.Teams},
		{"requested reviews", moved.Dropped.Reviewers},
	} {
		if len(kind.of) > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", len(kind.of), kind.name))
		}
	}
	if counts == nil {
		return ""
	}
	return "dropped: " + strings.Join(counts, ", ")
}
