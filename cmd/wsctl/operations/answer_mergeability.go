package operations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// mergeability writes what a merge depends on. That it may not be merged is an error, so that a script can go by
// it.
func (w *Writer) mergeability(body []byte) error {
	var answer api.Mergeability
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := writeMergeability(w.printer, body, answer); err != nil {
		return err
	}
	failed := 0
	for _, g := range answer.Rules {
		if g.State == api.GateFailed {
			failed++
		}
	}
	if answer.Mergeable {
		w.app.Say("it can be merged")
		return nil
	}
	return &app.ConflictError{Message: "it cannot be merged: " + app.Count(failed, "rule") + " failed"}
}

func writeMergeability(printer *app.Printer, body []byte, answer api.Mergeability) error {
	if !printer.Rows() {
		return printer.Value(body)
	}
	if !printer.Aligned() || len(printer.Columns) > 0 {
		if len(printer.Columns) == 0 {
			printer.Columns = app.ParseColumns(api.ColumnsOf[api.MergeGate]())
		}
		return app.Items(printer, answer.Rules)
	}
	marks := map[api.GateState]string{api.GatePassed: "ok", api.GateFailed: "FAILED", api.GateAdvice: "note", api.GateBypassed: "bypassed"}
	var text strings.Builder
	for _, g := range answer.Rules {
		fmt.Fprintf(&text, "%-9s %s\n", cmp.Or(marks[g.State], string(g.State)), app.Line(g.Message))
		by := clearers(g.ClearedBy)
		if g.Rule != "" && g.State != api.GatePassed {
			fmt.Fprintf(&text, "          rule %s%s\n", g.Rule, by)
		}
	}
	return printer.Text(text.String())
}

// clearers says who can clear a check.
func clearers(by *api.GateClearers) string {
	if by == nil {
		return ""
	}
	var who []string
	for _, user := range by.Users {
		who = append(who, app.Line(user.DisplayName))
	}
	if by.Role != "" {
		who = append(who, "whoever has the role "+string(by.Role))
	}
	return "; can be cleared by " + strings.Join(who, ", ")
}
