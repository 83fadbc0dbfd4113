package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// warnings maps the rows that delete nothing, but end what others rely on, to what ends. At a terminal they ask first.
var warnings = map[string]string{
	api.TransferSpace.Name:      "Grants and requested reviews that the other organization does not know are dropped.",
	api.TransferCollection.Name: "Grants and requested reviews that the other organization does not know are dropped.",
	api.RegenerateSiteAuth.Name: "All tokens of the site's visitors become invalid at once.",
}

// warns reports whether a row asks first at a terminal.
func warns(row api.Row) bool { return warnings[row.Name] != "" }

// confirmWarning shows what a row with a warning would end and asks for confirmation, unless nobody can be asked. It returns
// a usage error unless the answer is y or yes.
func (r *rowCommand) confirmWarning(cmd *cobra.Command, req client.Request, args []string) error {
	if !warns(r.row) || r.yes || r.dryRun || !r.app.CanPrompt() {
		return nil
	}
	response, err := r.doDryRun(cmd, req)
	if err != nil {
		return err
	}
	question := r.row.Summary + "\n" + warnings[r.row.Name] + "\n"
	if dropped := droppedText(response.Body); dropped != "" {
		question += dropped + "\n"
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
