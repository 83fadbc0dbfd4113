package operations

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// importedColumns are the columns of the pages and files of an import.
const importedColumns = "change,title,path,reason"

// importedRow is a page or file with the result of its import.
type importedRow struct {
	Change string `json:"change"`
	api.ImportedResource
}

// writeImport writes the result of an import: a row per page and file, and a summary for people. Conflicts are returned as an
// error even though all other pages were imported, because a user has to resolve them.
func (w *Writer) writeImport(body []byte) error {
	var result api.ImportResult
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if err := w.writeImported(body, result); err != nil {
		return err
	}
	if len(result.Conflicts) > 0 && isRendered(w.printer, false) && len(w.printer.Columns) == 0 {
		if err := w.writeLines(append([]render.Line{{}}, w.conflictLines(result.Conflicts, "source")...)); err != nil {
			return err
		}
	}
	w.app.Infof("%s", importSummary(result))
	for _, note := range result.Notes {
		w.app.Infof("note: %s", note)
	}
	for _, p := range result.Undone {
		w.app.Infof("warning: %s loses sentences that %s imported on %s; --revision names what the content is based on", p.Path, p.By,
			p.At.Format(time.DateTime))
	}
	if result.UndoneMore > 0 {
		w.app.Infof("warning: so did %s", app.Pluralize(result.UndoneMore, "other page"))
	}
	if len(result.Conflicts) == 0 {
		return nil
	}
	return &app.ConflictError{
		Message: app.Pluralize(len(result.Conflicts), "conflict") + "; what is in conflict stays as it was, all else came in",
		Hint:    "import again and decide: --resolve 1=" + resolutionNames(result.Conflicts[0], "source"),
	}
}

func (w *Writer) writeImported(body []byte, result api.ImportResult) error {
	if !w.printer.WritesRows() || len(w.printer.Columns) > 0 {
		return w.printer.Value(body)
	}
	var rows []importedRow
	for _, part := range []struct {
		change string
		list   []api.ImportedResource
	}{
		{"new", result.Created}, {"changed", result.Updated}, {
			"conflict", result.Conflicting,
		}, {"gone", result.Gone}, {"kept", result.Kept},
	} {
		for _, r := range part.list {
			rows = append(rows, importedRow{part.change, r})
		}
	}
	w.printer.Columns = app.ParseColumns(importedColumns)
	return app.PrintItems(w.printer, rows)
}

// importSummary summarizes the result of an import in a sentence.
func importSummary(r api.ImportResult) string {
	summary := fmt.Sprintf("imported %d of %d resources:", r.ImportedResources, r.TotalResources)
	if r.Source != "" { // a dry run has no id for a new one
		summary = fmt.Sprintf("imported %d of %d resources from source %s:", r.ImportedResources, r.TotalResources, r.Source)
	}
	var parts []string
	for _, part := range []struct {
		n     int
		label string
	}{
		{len(r.Created), "new"}, {len(r.Updated), "changed"}, {
			len(r.Conflicting), "in conflict",
		}, {len(r.Gone), "gone there"}, {len(r.Kept), "gone there and kept"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.label))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing has changed"}
	}
	for _, problem := range slices.Sorted(maps.Keys(r.BrokenLinks)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", app.Pluralize(r.BrokenLinks[problem], "broken link"), problem))
	}
	return summary + " " + strings.Join(parts, ", ")
}
