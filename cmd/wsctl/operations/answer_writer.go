package operations

import (
	"encoding/json"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Writer writes the answer of one run of a row's command.
type Writer struct {
	app     *app.App
	row     api.Row
	schema  *api.Schema
	options Options
	printer *app.Printer
}

// Options are what the command line says about an answer, beside the flags that every command has.
type Options struct {
	Listing // of a list

	Subject string // the argument of the command, which hints repeat
	DryRun  bool
}

// NewWriter returns the writer for the answer of a row, which has the schema. It comes before anything is sent: it refuses
// flags for output that do not go with the answer.
func NewWriter(a *app.App, row api.Row, schema *api.Schema, options Options) (*Writer, error) {
	w := &Writer{app: a, row: row, schema: schema, options: options}
	var err error
	w.printer, err = w.newPrinter()
	return w, err
}

// Show writes an answer that is not a list. Its error may be what the answer says: a merge with conflicts, one that is not
// allowed.
func (w *Writer) Show(response client.Response) error {
	if w.options.DryRun {
		w.app.Say("dry run: nothing was changed; this is what would be")
	}
	switch w.row.View() {
	case api.ViewChanges, api.ViewDiff:
		return w.changes(response)
	case api.ViewMerge:
		return w.merge(response.Body)
	case api.ViewGates:
		return w.mergeability(response.Body)
	case api.ViewConflicts:
		return w.conflicts(response.Body)
	case api.ViewImport:
		return w.imports(response.Body)
	default:
		return w.record(response.Body)
	}
}

// record writes an answer whose members or rows say all but one sentence.
func (w *Writer) record(body []byte) error {
	if err := w.value(body); err != nil {
		return err
	}
	var result api.ContentResult
	if w.row.View() == api.ViewEdit && json.Unmarshal(body, &result) == nil && !w.options.DryRun {
		w.app.Say("change request %d is at revision %s", result.ChangeRequest.Number, result.ChangeRequest.Revision)
	}
	return nil
}
