package operations

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// isAcknowledged reports whether a line on standard error takes the place of the answer: at a terminal, for a change of one thing
// whose answer is the whole thing, unless an output flag asks for it.
func (r *rowCommand) isAcknowledged(p *app.Printer) bool {
	isChange := slices.Contains([]string{"update", "restore", "move", "reattach"}, r.row.Verb())
	return isChange && !r.dryRun && !r.row.Secret && r.row.View() == api.ViewRecord && p.Terminal && r.app.ErrTerminal &&
		p.Format == app.FormatAuto && p.WritesRows() && len(p.Columns) == 0
}

// acknowledgment says what a change did, with the title of the thing, such as Updated Handbook.
func (r *rowCommand) acknowledgment(answer []byte, args []string) string {
	var thing struct {
		Number int `json:"number"`
		User   struct {
			DisplayName string `json:"displayName"`
		} `json:"user"`

		Title       string `json:"title"`
		Subject     string `json:"subject"`
		DisplayName string `json:"displayName"`
		Label       string `json:"label"`
		Name        string `json:"name"`
	}
	_ = json.Unmarshal(answer, &thing) // without a title, the argument names the thing
	title := cmp.Or(thing.Title, thing.Subject, thing.DisplayName, thing.Label, thing.User.DisplayName, thing.Name)
	if title == "" {
		return r.doneMessage(args)
	}
	if thing.Subject != "" && thing.Number > 0 {
		title = "#" + strconv.Itoa(thing.Number) + " " + title
	}
	return upperFirst(pastTense(verbWord(r.row))) + " " + strings.TrimSpace(title)
}
