package operations

import (
	"encoding/json"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Writer writes the response of an operation.
type Writer struct {
	app     *app.App
	row     api.Row
	schema  *api.Schema
	options Options
	printer *app.Printer
}

// Options are the output options of an operation, in addition to the global flags.
type Options struct {
	ListOptions // for lists only

	Subject string // argument of the command, repeated in hints
	DryRun  bool
	Several bool   // a list of answers is written
	Columns string // default columns of tables, if not those of the row
}

// NewWriter returns a Writer for responses of row with the given schema. It is called before the request is sent, and
// returns a usage error if the output flags do not fit the response.
func NewWriter(a *app.App, row api.Row, schema *api.Schema, options Options) (*Writer, error) {
	w := &Writer{app: a, row: row, schema: schema, options: options}
	var err error
	w.printer, err = w.newPrinter()
	return w, err
}

// Show writes a response that is not a list. It returns an error if the response reports a failure, such as a merge
// with conflicts.
func (w *Writer) Show(response client.Response) error {
	if !w.announceDryRun() {
		return nil
	}
	switch w.row.View() {
	case api.ViewChanges, api.ViewDiff:
		return w.writeChanges(response)
	case api.ViewMerge:
		return w.writeMerge(response.Body)
	case api.ViewGates:
		return w.showMergeability(response.Body)
	case api.ViewConflicts:
		return w.writeConflictList(response.Body)
	case api.ViewImport:
		return w.writeImport(response.Body)
	default:
		return w.writeRecord(response.Body)
	}
}

// announceDryRun says on standard error that the answer is that of a dry run, if it is. It returns false if there is nothing to write
// then, because what would be made has no name yet.
func (w *Writer) announceDryRun() (isWritten bool) {
	switch {
	case !w.options.DryRun:
	case w.printer.Format == app.FormatName && len(w.row.ProvisionalPaths()) > 0:
		w.app.Infof("dry run: nothing was changed; what would be made has no id yet")
		return false
	default:
		w.app.Infof("dry run: nothing was changed; this is what would be")
	}
	return true
}

// writeRecord writes a response of members or rows. After a content edit that is not a dry run, it also reports the revision of
// the change request on standard error.
func (w *Writer) writeRecord(body []byte) error {
	if err := w.writeValue(body); err != nil {
		return err
	}
	var result api.ContentResult
	if w.row.View() == api.ViewEdit && json.Unmarshal(body, &result) == nil && !w.options.DryRun {
		w.app.Infof("change request %d is at revision %s", result.ChangeRequest.Number, result.ChangeRequest.Revision)
	}
	return nil
}
