package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// reviewing makes the commands of change requests that reviewers use, under short names: they are rows of the contract
// like the others.
func (b builder) reviewing() []*cobra.Command {
	var all []*cobra.Command
	for _, c := range []struct {
		row     api.Row
		verb    string
		example string
	}{
		{api.GetChangeRequestConflicts.Row, "conflicts", "conflicts 1 --space $SPACE\nconflicts 1 --space $SPACE -o json"},
		{api.GetChangeRequestMergeability.Row, "mergeable", "mergeable 1 --space $SPACE\nmergeable 1 --space $SPACE && wsctl change-requests merge 1 --space $SPACE"},
		{api.CreateChangeRequestReview.Row, "review", "review 1 --space $SPACE --status approved\n" +
			"review 1 --space $SPACE --status changes-requested --comment-file why.md\nreview 1 --space $SPACE --data review-with-comments.json"},
	} {
		cmd := b.command(c.row, extra{verb: c.verb, argument: "changeRequest"})
		lines := strings.Split(c.example, "\n")
		for i := range lines {
			lines[i] = "  wsctl change-requests " + lines[i]
		}
		cmd.Example = strings.Join(lines, "\n")
		all = append(all, cmd)
	}
	return all
}

// showMergeability writes what a merge depends on. That it may not be merged is an error, so that a script can go by
// it.
func (r *rowCommand) showMergeability(body []byte, printer *output.Printer) error {
	var answer api.Mergeability
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := writeMergeability(body, answer, printer); err != nil {
		return err
	}
	failed := 0
	for _, g := range answer.Rules {
		if g.State == api.GateFailed {
			failed++
		}
	}
	if answer.Mergeable {
		r.app.Say("it can be merged")
		return nil
	}
	return &exit.ConflictError{Message: "it cannot be merged: " + output.Count(failed, "rule") + " failed"}
}

func writeMergeability(body []byte, answer api.Mergeability, printer *output.Printer) error {
	if !printer.Rows() {
		return printer.Value(body)
	}
	if !printer.Aligned() || len(printer.Columns) > 0 {
		if len(printer.Columns) == 0 {
			printer.Columns = output.ParseColumns(api.ColumnsOf[api.MergeGate]())
		}
		return writeItems(printer, answer.Rules)
	}
	marks := map[api.GateState]string{api.GatePassed: "ok", api.GateFailed: "FAILED", api.GateAdvice: "note", api.GateBypassed: "bypassed"}
	var text strings.Builder
	for _, g := range answer.Rules {
		fmt.Fprintf(&text, "%-9s %s\n", cmp.Or(marks[g.State], string(g.State)), output.Line(g.Message))
		by := clearers(g.ClearedBy)
		if g.Rule != "" && g.State != api.GatePassed {
			fmt.Fprintf(&text, "          rule %s%s\n", g.Rule, by)
		}
	}
	return printer.Text(text.String())
}

// clearers says who can clear a gate.
func clearers(by *api.GateClearers) string {
	if by == nil {
		return ""
	}
	var who []string
	for _, user := range by.Users {
		who = append(who, output.Line(user.DisplayName))
	}
	if by.Role != "" {
		who = append(who, "whoever has the role "+string(by.Role))
	}
	return "; can be cleared by " + strings.Join(who, ", ")
}

// writeItems writes things as a list.
func writeItems[T any](printer *output.Printer, items []T) error {
	list := printer.List()
	for _, item := range items {
		if err := list.Add(mustJSON(item)); err != nil {
			return err
		}
	}
	return list.Close()
}

// showConflicts writes the conflicts that a merge would meet: side by side in full for people, as rows for programs.
func (r *rowCommand) showConflicts(body []byte, printer *output.Printer, args []string) error {
	var answer api.ConflictList
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	switch {
	case !printer.Rows():
		if err := printer.Value(body); err != nil {
			return err
		}
	case printer.Aligned() && len(printer.Columns) == 0:
		if err := printer.Text(conflictsInFull(answer.Conflicts)); err != nil {
			return err
		}
	default:
		raw := make([]json.RawMessage, len(answer.Conflicts))
		for i, c := range answer.Conflicts {
			raw[i] = mustJSON(c)
		}
		if err := writeConflicts(body, raw, printer); err != nil {
			return err
		}
	}
	if len(answer.Conflicts) == 0 {
		r.app.Say("there are no conflicts")
		return nil
	}
	r.app.Say("%s; decide each with: wsctl change-requests pull %s --resolve %s=theirs", output.Count(len(answer.Conflicts), "conflict"), args[0], answer.Conflicts[0].ID)
	return nil
}

func conflictsInFull(conflicts []api.Conflict) string {
	var text strings.Builder
	for i, c := range conflicts {
		about := c.Kind
		if detail := cmp.Or(c.Attribute, c.Key); detail != "" {
			about += " " + detail
		}
		fmt.Fprintf(&text, "%d of %d  %s  %s", i+1, len(conflicts), c.ID, output.Line(about))
		if c.Title != "" {
			fmt.Fprintf(&text, " in %s", output.Line(c.Title))
		}
		text.WriteByte('\n')
		for _, side := range []struct {
			name string
			text *string
		}{{"before", c.Base}, {"space", c.Ours}, {"request", c.Theirs}, {"proposed", c.Proposed}} {
			text.WriteString(sideText(side.name, side.text))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// sideText is one side of a conflict, its further lines indented.
func sideText(name string, side *string) string {
	if side == nil {
		return fmt.Sprintf("  %-9s (not there)\n", name)
	}
	lines := strings.Split(strings.TrimRight(*side, "\n"), "\n")
	return fmt.Sprintf("  %-9s %s\n", name, strings.Join(lines, "\n            "))
}
