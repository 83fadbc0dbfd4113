package operations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// showMergeability writes the checks that a merge depends on. It returns an error if the merge is not allowed, so that
// scripts can test the exit code.
func (w *Writer) showMergeability(body []byte) error {
	var merge api.Mergeability
	if err := json.Unmarshal(body, &merge); err != nil {
		return err
	}
	if err := writeMergeability(w.printer, body, merge); err != nil {
		return err
	}
	failed := 0
	for _, g := range merge.Rules {
		if g.State == api.GateFailed {
			failed++
		}
	}
	if merge.Mergeable {
		w.app.Infof("it can be merged")
		return nil
	}
	return &app.ConflictError{Message: "it cannot be merged: " + app.Pluralize(failed, "rule") + " failed"}
}

func writeMergeability(printer *app.Printer, body []byte, answer api.Mergeability) error {
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
