package operations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/tui/render"
)

// showMergeability writes the checks that a merge depends on. It returns an error if the merge is not allowed, so that
// scripts can test the exit code.
func (w *Writer) showMergeability(body []byte) error {
	var merge api.Mergeability
	if err := json.Unmarshal(body, &merge); err != nil {
		return err
	}
	if err := w.writeMergeability(body, merge); err != nil {
		return err
	}
	failed := 0
	var commands []string
	for _, g := range merge.Rules {
		if g.State != api.GateFailed {
			continue
		}
		failed++
		if command := w.clearCommand(g); command != "" && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	if merge.Mergeable {
		w.app.Infof("it can be merged")
		return nil
	}
	return &app.ConflictError{
		Message: "it cannot be merged: " + app.Pluralize(failed, "rule") + " failed", Hint: strings.Join(commands, "; "),
	}
}

// clearCommand returns the command that looks at the cause of a check that is not passed, or does something about it. It returns ""
// if no command does.
func (w *Writer) clearCommand(g api.MergeGate) string {
	request := w.options.Subject
	switch g.Cause {
	case api.CauseTrash:
		return "wsctl trash list"
	case api.CauseArchived:
		return "wsctl change-requests update " + request + " --status open"
	case api.CausePushing:
		return "wsctl change-requests update " + request + " --pushing=false"
	case api.CauseConflicts:
		return conflictsCommand(request)
	case api.CauseOutdated:
		return "wsctl change-requests pull " + request
	case api.CauseNotReviewed, api.CauseNotApproved, api.CauseNoneApproved, api.CauseOwnVerdict, api.CauseChangesRequested, api.CauseStale:
		return "wsctl change-requests request-review " + request + " --users " + reviewerOf(g)
	case api.CauseComments, api.CauseBlockingComments:
		return "wsctl change-request-comments list --change-request " + request
	case api.CauseNoSubject:
		return "wsctl change-requests update " + request + " --subject TEXT"
	default:
		return ""
	}
}

// reviewerOf returns the name of somebody whose review clears a check, or MEMBER if the answer names nobody.
func reviewerOf(g api.MergeGate) string {
	users := slices.Concat(g.Stale, g.Users)
	if g.ClearedBy != nil {
		users = append(users, g.ClearedBy.Users...)
	}
	if g.Cause == api.CauseOwnVerdict { // Users has the author
		users = users[len(g.Stale)+len(g.Users):]
	}
	for _, user := range users {
		return cmp.Or(user.Email, user.ID)
	}
	return resolve.Placeholder("user")
}

func (w *Writer) writeMergeability(body []byte, answer api.Mergeability) error {
	printer := w.printer
	if !printer.WritesRows() {
		return printer.Value(body)
	}
	if !printer.IsAligned() || len(printer.Columns) > 0 {
		if len(printer.Columns) == 0 {
			printer.Columns = app.ParseColumns(api.ColumnsOf[api.MergeGate]())
		}
		return app.PrintItems(printer, answer.Rules)
	}
	marks := map[api.GateState]string{api.GatePassed: "ok", api.GateFailed: "FAILED", api.GateAdvice: "note", api.GateBypassed: "bypassed"}
	var text strings.Builder
	stops, advice := render.MergeBlockers(answer)
	passed := slices.DeleteFunc(slices.Clone(answer.Rules), func(g api.MergeGate) bool { return g.State != api.GatePassed })
	for _, g := range slices.Concat(stops, advice, passed) {
		fmt.Fprintf(&text, "%-9s %s\n", cmp.Or(marks[g.State], string(g.State)), app.SanitizeLine(render.GateTitle(g, "")))
		if g.State == api.GatePassed {
			continue
		}
		if g.Rule != "" {
			fmt.Fprintf(&text, "          rule %s%s\n", g.Rule, clearerNames(g.ClearedBy))
		}
		for _, line := range render.GateDetails(g) {
			fmt.Fprintf(&text, "          %s\n", app.SanitizeLine(line))
		}
		if command := w.clearCommand(g); command != "" {
			fmt.Fprintf(&text, "          %s\n", app.SanitizeLine(command))
		}
	}
	return printer.Text(text.String())
}

// clearerNames names the users and teams who can clear a check.
func clearerNames(by *api.GateClearers) string {
	if by == nil {
		return ""
	}
	var names []string
	for _, user := range by.Users {
		names = append(names, app.SanitizeLine(user.DisplayName))
	}
	if by.Role != "" {
		names = append(names, "whoever has the role "+string(by.Role))
	}
	return "; can be cleared by " + strings.Join(names, ", ")
}
