package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// importHelp describes the argument of an import.
const importHelp = "PATH: a folder, of which all files are sent but hidden ones, node_modules and what .gitignore names; a .md or .html " +
	"file; or a .zip archive. A folder or an archive with SUMMARY.md has the order and the titles of it.\n" +
	"URL: an address that the server fetches.\n\n" +
	"With --name, a later import with the same name brings the pages up to date, and keeps what was edited since. A space that is " +
	"locked takes an import in a change request: --change-request."

// addFromFlag adds --from to the command that creates a space.
func (r *rowCommand) addFromFlag() {
	if r.row.Name != api.CreateSpace.Name {
		return
	}
	r.cmd.Flags().StringVar(&r.from, "from", "", "import this `PATH|URL` into it: a folder, a .md or .html file, a .zip archive or a website")
	r.cmd.MarkFlagsMutuallyExclusive("from", "titles")
	_ = r.cmd.MarkFlagFilename("from") // the flag exists
}

// createFrom creates a space and imports into it. The space is open for the import and locked afterwards, unless it is to be open.
func (r *rowCommand) createFrom(cmd *cobra.Command, args []string, writer *Writer) error {
	i, err := r.newFirstImport()
	if err != nil {
		return err
	}
	req, err := r.request(cmd, args)
	if err != nil {
		return err
	}
	isLocked := false
	if !r.dryRun {
		if isLocked, err = unlock(&req); err != nil {
			return err
		}
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	response, err := c.Do(cmd.Context(), req, r.callOptions()...)
	if err != nil {
		return r.locateFields(locateError(err, req))
	}
	if r.dryRun {
		r.app.Infof("dry run: %s would be imported into it", r.from)
		response.Body = api.WithoutProvisional(r.row, req.Path+string(req.Body), response.Body)
		return r.write(cmd.Context(), c, writer, response, args)
	}
	r.app.ForgetCompletions()
	var space api.Space
	if err := json.Unmarshal(response.Body, &space); err != nil {
		return fmt.Errorf("the space that was made: %w", err)
	}
	imported, err := i.run(cmd.Context(), c, space.ID)
	if err != nil {
		return &app.ContinueError{
			Done: fmt.Sprintf("the space %q is made (%s), but %s is not imported into it", space.Title, space.ID, r.from),
			Next: i.command(space.ID, isLocked), Cause: err,
		}
	}
	r.app.Infof("%s", importSummary(imported))
	for _, note := range imported.Notes {
		r.app.Infof("note: %s", note)
	}
	if isLocked {
		locked, err := lock(cmd.Context(), c, space.ID)
		if err != nil {
			return &app.ContinueError{
				Done: fmt.Sprintf("the space %q is made (%s), and %s is imported into it, but it is not locked", space.Title, space.ID,
					r.from),
				Next: lockCommand(space.ID), Cause: err,
			}
		}
		response.Body = locked.Body
	}
	if info, err := os.Stat(r.from); err == nil && info.IsDir() {
		r.app.Infof("what changes in it later is sent by: wsctl push %s --space %s", app.ShellWord(r.from), space.ID)
	}
	return r.write(cmd.Context(), c, writer, response, args)
}

// unlock sets the edit mode in the request for a space to live. It reports whether it was to be locked.
func unlock(req *client.Request) (isLocked bool, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(req.Body, &members); err != nil {
		return false, app.Usagef("--data must be an object to go with --from")
	}
	var mode api.EditMode
	if members["editMode"] != nil && json.Unmarshal(members["editMode"], &mode) != nil {
		return false, nil // the server refuses it
	}
	if mode != "" && mode != api.EditLocked {
		return false, nil
	}
	members["editMode"] = json.RawMessage(`"` + api.EditLive + `"`)
	req.Body, err = json.Marshal(members)
	return true, err
}

// lock locks a space.
func lock(ctx context.Context, c *client.Client, space string) (client.Response, error) {
	var response client.Response
	_, err := c.Spaces.Update(ctx, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{EditMode: api.Some(api.EditLocked)}},
		client.Capture(&response))
	return response, err //nolint:wrapcheck // described as it is
}

func lockCommand(space string) string { return "wsctl spaces update " + space + " --edit-mode locked" }

// firstImport is the import into a new space.
type firstImport struct {
	app    *app.App
	from   string
	name   string // of the source
	upload *upload
}

// newFirstImport opens what --from names.
func (r *rowCommand) newFirstImport() (firstImport, error) {
	i := firstImport{app: r.app, from: r.from}
	if !isPath(r.from) {
		u, err := url.Parse(r.from)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return i, app.Usagef("--from: an address must begin with https:// or http://, not %q", r.from)
		}
		i.name = u.Host
		return i, nil
	}
	whole, err := filepath.Abs(r.from)
	if err != nil {
		return i, app.Usagef("%v", err)
	}
	i.name = api.Shorten(api.CleanLine(filepath.Base(whole)), maxSourceName)
	i.upload, err = openUpload(r.app, r.from, "")
	return i, err
}

// maxSourceName is the length of the name of a source, without the sign that tells that it was shortened.
const maxSourceName = 99

// run imports into the space.
func (i firstImport) run(ctx context.Context, c *client.Client, space string) (result api.ImportResult, err error) {
	stop := showProgress(i.app, api.ImportContent.Row)
	defer stop()
	if i.upload == nil {
		return c.Content.Import(ctx, api.ImportInput{Space: space, Body: api.Import{ //nolint:wrapcheck // described as it is
			URL: i.from, Source: api.ImportWebsite, Name: i.name,
		}})
	}
	in := api.ImportUploadInput{Space: space, ImportUpload: api.Import{Name: i.name}.Upload(i.upload.filename)}
	return c.Content.ImportUpload(ctx, in, i.upload.content) //nolint:wrapcheck // described as it is
}

// command returns the command that goes on with the import, and that which locks the space afterwards.
func (i firstImport) command(space string, isLocked bool) string {
	line := "wsctl content import " + app.ShellWord(i.from) + " --space " + space + " --name " + app.ShellWord(i.name)
	if isLocked {
		line += " && " + lockCommand(space)
	}
	return line
}

// explainLock adds to the refusal of an import into a locked space the commands that import into a change request.
func (r *rowCommand) explainLock(err error) error {
	refused, ok := api.AsError(err)
	if !ok || refused.Reason != api.ReasonSpaceLocked || r.rowOptions.bodyArgument != "url" {
		return err
	}
	create := "wsctl change-requests create"
	if space := r.path["space"]; space != nil && space.IsSet() {
		create += " --space " + app.ShellWord(space.String())
	}
	create += " --subject Import --jq .number"
	words := []string{"wsctl"}
	for _, word := range r.app.Args {
		words = append(words, app.ShellWord(word))
	}
	refused.Hint = "import into a change request: " + create + " prints its number N, then: " + strings.Join(words, " ") +
		" --change-request N"
	return err
}

// suggestName says how to bring up to date what was imported without the name of a source; the same command would add it once more.
func (r *rowCommand) suggestName(answer []byte) {
	var result api.ImportResult
	if r.rowOptions.bodyArgument != "url" || r.dryRun || r.data != "" || json.Unmarshal(answer, &result) != nil {
		return
	}
	for _, b := range r.body {
		if b.name == "name" && b.parent == "" && !b.value.IsSet() && result.Source != "" {
			r.app.Infof("to bring it up to date later, import it with --name %s", result.Source)
		}
	}
}
