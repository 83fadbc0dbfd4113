package answers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// merge writes the answer of a merge. Conflicts are rows where the output has rows, and they are an error: the merge was
// understood and nothing was applied.
func (w *Writer) merge(body []byte) error {
	var result struct {
		Result    api.MergeOutcome  `json:"result"`
		Conflicts []json.RawMessage `json:"conflicts"`
	}
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if result.Result != api.OutcomeConflicts {
		return w.printer.Value(body)
	}
	if err := writeConflicts(w.printer, body, result.Conflicts); err != nil {
		return err
	}
	return &exit.ConflictError{
		Message: output.Count(len(result.Conflicts), "conflict") + "; nothing was applied",
		Hint: fmt.Sprintf("-o json shows all of both sides; decide with: wsctl change-requests pull %s --resolve %s=theirs",
			w.options.Subject, firstID(result.Conflicts)),
	}
}

func firstID(conflicts []json.RawMessage) string {
	var conflict api.Conflict
	if len(conflicts) == 0 || json.Unmarshal(conflicts[0], &conflict) != nil {
		return "ID"
	}
	return conflict.ID
}

// writeConflicts writes conflicts as rows where the output has rows, and else the answer that has them.
func writeConflicts[T any](printer *output.Printer, body []byte, conflicts []T) error {
	if !printer.Rows() {
		return printer.Value(body)
	}
	if len(printer.Columns) == 0 {
		printer.Columns = output.ParseColumns(api.ColumnsOf[api.Conflict]())
	}
	return output.Items(printer, conflicts)
}

// conflicts writes the conflicts that a merge would meet: side by side in full for people, as rows for programs.
func (w *Writer) conflicts(body []byte) error {
	var answer api.ConflictList
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := w.writeConflictList(body, answer.Conflicts); err != nil {
		return err
	}
	if len(answer.Conflicts) == 0 {
		w.app.Say("there are no conflicts")
		return nil
	}
	w.app.Say("%s; decide each with: wsctl change-requests pull %s --resolve %s=theirs",
		output.Count(len(answer.Conflicts), "conflict"), w.options.Subject, answer.Conflicts[0].ID)
	return nil
}

func (w *Writer) writeConflictList(body []byte, conflicts []api.Conflict) error {
	if w.printer.Rows() && w.printer.Aligned() && len(w.printer.Columns) == 0 {
		return w.printer.Text(conflictsInFull(conflicts))
	}
	return writeConflicts(w.printer, body, conflicts)
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
