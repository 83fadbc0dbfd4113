package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// pageCommand is a content operation on one page as a command of its own, so that nobody has to write Markdown
// into JSON. It sends one change with change-request-content.edit.
type pageCommand struct {
	operation api.ContentOperation
	short     string
	argument  string   // the member that is an argument
	members   []string // those that have flags
	example   string
}

// pageCommands are the operations that people do one by one. More at once, or others: change-request-content edit.
func pageCommands() []pageCommand {
	settings := []string{
		"title", "slug", "emoji", "icon", "description", "hidden", "noIndex", "noRobotsIndex", "document", "into", "at",
	}
	where := " --space $SPACE --change-request 1"
	return []pageCommand{
		{
			operation: api.InsertPage, short: "Add a page to a change request", members: append([]string{"type"}, settings...),
			example: "insert-page" + where + " --document-file page.md\n" +
				"insert-page" + where + " --type group --title Guides",
		},
		{
			operation: api.UpdatePage, short: "Change the text, the settings or the place of a page in a change request",
			argument: "page", members: settings,
			example: "update-page $PAGE" + where + " --document-file page.md\n" +
				"update-page $PAGE" + where + " --into $OTHER --at 0",
		},
		{
			operation: api.DeletePage, short: "Delete a page in a change request", argument: "page",
			example: "delete-page $PAGE" + where,
		},
		{
			operation: api.RevertPage, short: "Take a page back to what it was", argument: "page", members: []string{"revision", "block"},
			example: "revert-page $PAGE" + where,
		},
	}
}

// pages makes the commands beside change-request-content edit.
func (b builder) pages() []*cobra.Command {
	var all []*cobra.Command
	for _, p := range pageCommands() {
		verb := strings.ReplaceAll(string(p.operation), "_", "-")
		cmd := b.command(api.EditChangeRequestContent.Row, extra{
			verb: verb, operation: p.operation, bodyArgument: p.argument, members: p.members,
		})
		cmd.Short, cmd.Long = p.short, p.short+".\n\nOne content operation, "+string(p.operation)+", as a revision of its own."
		cmd.Example = examplesOf(api.EditChangeRequestContent.Resource(), p.example)
		all = append(all, cmd)
	}
	return all
}

// narrow leaves of a content operation the members that the command has.
func (e extra) narrow(change *api.Schema) *api.Schema {
	only := *change
	only.Fields = nil
	for _, f := range change.Fields {
		if f.Name == e.bodyArgument || slices.Contains(e.members, f.Name) {
			only.Fields = append(only.Fields, f)
		}
	}
	return &only
}

// wrap makes the body of change-request-content.edit out of one operation.
func (e extra) wrap(change []byte) ([]byte, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(change, &members); err != nil {
		return nil, app.Usagef("--data must be a JSON object: %v", err)
	}
	var err error
	if members["operation"], err = json.Marshal(e.operation); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"changes": []any{members}})
}
