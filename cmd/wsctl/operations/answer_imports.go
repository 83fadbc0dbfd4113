package operations

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// importedColumns are what a row says of a page or file that an import was about.
const importedColumns = "change,title,path,reason"

// imported is a page or file with what became of it.
type imported struct {
	Change string `json:"change"`
	api.ImportedResource
}

// imports writes what an import did, a row for each page and file that it was about, and says it in a sentence. Conflicts
// are an error, although all other pages came in: somebody has to decide them.
func (w *Writer) imports(body []byte) error {
	var result api.ImportResult
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if err := w.writeImported(body, result); err != nil {
		return err
	}
	if len(result.Conflicts) > 0 && forPeople(w.printer, false) && len(w.printer.Columns) == 0 {
		if err := w.drawn(append([]render.Line{{}}, w.conflictLines(result.Conflicts, "source")...)); err != nil {
			return err
		}
	}
	w.app.Say("%s", importedInWords(result))
	for _, note := range result.Notes {
		w.app.Say("note: %s", note)
	}
	if len(result.Conflicts) == 0 {
		return nil
	}
	return &app.ConflictError{
		Message: app.Count(len(result.Conflicts), "conflict") + "; what is in conflict stays as it was, all else came in",
		Hint:    "import again and decide: --resolve 1=" + answersOf(result.Conflicts[0], "source"),
	}
}

func (w *Writer) writeImported(body []byte, result api.ImportResult) error {
	if !w.printer.Rows() || len(w.printer.Columns) > 0 {
		return w.printer.Value(body)
	}
	var rows []imported
	for _, part := range []struct {
		change string
		list   []api.ImportedResource
	}{{"new", result.Created}, {"changed", result.Updated}, {"conflict", result.Conflicting}, {"gone", result.Gone}, {"kept", result.Kept}} {
		for _, r := range part.list {
			rows = append(rows, imported{part.change, r})
		}
	}
	w.printer.Columns = app.ParseColumns(importedColumns)
	return app.Items(w.printer, rows)
}

// importedInWords says in a sentence how an import went.
func importedInWords(r api.ImportResult) string {
	said := fmt.Sprintf("imported %d of %d resources from source %s:", r.ImportedResources, r.TotalResources, r.Source)
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{len(r.Created), "new"}, {len(r.Updated), "changed"}, {len(r.Conflicting), "in conflict"}, {len(r.Gone), "gone there"}, {len(r.Kept), "gone there and kept"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing has changed"}
	}
	for _, problem := range slices.Sorted(maps.Keys(r.BrokenLinks)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", app.Count(r.BrokenLinks[problem], "broken link"), problem))
	}
	return said + " " + strings.Join(parts, ", ")
}
