package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// pageCommand is a content operation on a page with a command of its own, so that users need not write Markdown in
// JSON. It sends a single change with change-request-content.edit.
type pageCommand struct {
	operation api.ContentOperation
	summary   string
	argument  string   // member given as argument
	members   []string // members that have flags
	example   string
}

// listPageCommands lists the content operations with their own commands. Others, and several at once, are sent by
// change-request-content edit.
func listPageCommands() []pageCommand {
	settings := []string{
		"title", "slug", "emoji", "icon", "description", "hidden", "noIndex", "noRobotsIndex", "document", "into", "at",
	}
	in, page := " --change-request skylark-handbook#2", " skylark-handbook#2:station/power"
	return []pageCommand{
		{
			operation: api.InsertPage, summary: "Add a page to a change request", members: append([]string{"type"}, settings...),
			example: "insert-page" + in + " --document-file page.md\n" +
				"insert-page" + in + " --type group --title Guides",
		},
		{
			operation: api.UpdatePage, summary: "Change the text, the settings or the place of a page in a change request",
			argument: "page", members: settings,
			example: "update-page" + page + " --document-file page.md\n" +
				"update-page" + page + " --into gateway --at 0",
		},
		{
			operation: api.DeletePage, summary: "Delete a page in a change request", argument: "page",
			example: "delete-page" + page,
		},
		{
			operation: api.RevertPage, summary: "Take a page back to what it was", argument: "page", members: []string{"revision", "block"},
			example: "revert-page" + page,
		},
	}
}

// pageCommands returns the page commands of the change-request-content group.
func (b builder) pageCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, p := range listPageCommands() {
		verb := strings.ReplaceAll(string(p.operation), "_", "-")
		cmd := b.command(api.EditChangeRequestContent.Row, rowOptions{
			verb: verb, operation: p.operation, bodyArgument: p.argument, members: p.members,
		})
		_, rest, _ := strings.Cut(cmd.Long, "\n\n") // the forms of the argument, and the request
		forms, _, _ := strings.Cut(rest, api.EditChangeRequestContent.Method+" ")
		cmd.Short = p.summary
		cmd.Long = p.summary + ".\n\n" + forms + "One content operation, " + string(p.operation) + ", as a revision of its own."
		cmd.Example = resourceExamples(api.EditChangeRequestContent.Resource(), p.example)
		commands = append(commands, cmd)
	}
	return commands
}

// narrowSchema returns the schema of a content operation with only the members that the command has.
func (o rowOptions) narrowSchema(change *api.Schema) *api.Schema {
	only := *change
	only.Fields = nil
	for _, f := range change.Fields {
		if f.Name == o.bodyArgument || slices.Contains(o.members, f.Name) {
			only.Fields = append(only.Fields, f)
		}
	}
	return &only
}

// wrapChange returns the body of change-request-content.edit for a single operation.
func (o rowOptions) wrapChange(change []byte) ([]byte, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(change, &members); err != nil {
		return nil, app.Usagef("--data must be an object, not a list")
	}
	var err error
	if members["operation"], err = json.Marshal(o.operation); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"changes": []any{members}})
}
