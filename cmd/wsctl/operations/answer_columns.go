package operations

import (
	"cmp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/names"
)

// defaultColumns returns the columns of tables without --columns.
func (w *Writer) defaultColumns() []app.Column {
	if w.row.Name == api.CreateInvite.Name { // only this answer has secrets
		return app.ParseColumns("id,email,role,expiresAt,existing=OPEN BEFORE,secret")
	}
	if columns := cmp.Or(w.options.Columns, w.row.Columns()); columns != "" {
		return app.ParseColumns(columns)
	}
	return scalarColumns(w.rowSchema())
}

// scalarColumns returns columns for the first scalar members of s.
func scalarColumns(s *api.Schema) []app.Column {
	const most = 6
	var columns []string
	for _, f := range s.Fields {
		if app.IsPlain(f.Schema) && f.Name != "object" && len(columns) < most {
			columns = append(columns, f.Name)
		}
	}
	return app.ParseColumns(strings.Join(columns, ","))
}

// rowSchema returns the schema of an output row: the item schema of a list, or the schema of the response.
func (w *Writer) rowSchema() *api.Schema {
	if list, ok := w.schema.Field(w.row.Items()); ok {
		return list.Schema.Items
	}
	return w.schema
}

// isTable reports whether a response that is not a list is written like one in formats with rows.
func (w *Writer) isTable() bool {
	switch w.row.View() {
	case api.ViewTable, api.ViewChanges, api.ViewEdit:
		return true
	default:
		return false
	}
}

// newPrinter returns the printer for the response, or an error if the output flags do not fit it.
func (w *Writer) newPrinter() (*app.Printer, error) {
	defaults := w.defaultColumns()
	if w.app.Format() != app.FormatCSV && !w.row.IsList() && !w.isTable() && !w.options.Several {
		defaults = nil // a record shows all members
	}
	printer, err := w.app.Printer(defaults)
	if err != nil {
		return nil, err
	}
	if w.options.Envelope {
		if err := useEnvelope(printer); err != nil {
			return nil, err
		}
	}
	if err := w.checkTemplate(printer); err != nil {
		return nil, err
	}
	if printer.Format == app.FormatName && printer.WritesRows() && !hasName(w.printedSchema()) {
		return nil, app.Usagef("-o name: what this command answers has no id").WithHint("choose another output with -o or --jq")
	}
	if w.app.HasColumns() {
		w.useHeadings(printer.Columns)
		return printer, checkColumns(printer.Columns, w.rowSchema())
	}
	return printer, nil
}

// useHeadings replaces columns that are no members of a row, but are printed as headings, by the members below them. Letter case
// does not matter, and neither does it in names of members.
func (w *Writer) useHeadings(columns []app.Column) {
	schema := w.rowSchema()
	for i, c := range columns {
		if checkColumns(columns[i:i+1], schema) == nil {
			continue
		}
		for _, d := range w.defaultColumns() {
			if sameHeading(d.Heading, c.Path) {
				columns[i].Path = d.Path
			}
		}
		for _, name := range fieldNames(schema) {
			if sameHeading(name, c.Path) {
				columns[i].Path = name
			}
		}
	}
}

// printedSchema returns the schema of what a format with rows prints: a row, or the whole response if it is a record.
func (w *Writer) printedSchema() *api.Schema {
	switch view := w.row.View(); {
	case view == api.ViewRecord, view == api.ViewDiff, view == api.ViewMerge:
		return w.schema
	case w.row.Name == api.CreateInvite.Name: // ids alone would lose the secrets
		return w.schema
	default:
		return w.rowSchema()
	}
}

// hasName reports whether -o name can print objects of a schema. An answer without a body prints nothing.
func hasName(s *api.Schema) bool {
	if len(s.Fields) == 0 {
		return true
	}
	return slices.ContainsFunc(app.NamePaths(), func(path string) bool { return hasMember(s, strings.Split(path, ".")...) })
}

// useEnvelope makes p write the whole response of a list, or returns a usage error if its format cannot.
func useEnvelope(p *app.Printer) error {
	switch p.Format {
	case app.FormatAuto:
		p.Format = app.FormatJSON
	case app.FormatJSON, app.FormatNDJSON, app.FormatYAML:
	default:
		if p.JQ == "" && p.Template == "" {
			return app.Usagef("--envelope goes with json or yaml, not with %s", p.Format)
		}
	}
	return nil
}

// checkColumns rejects columns that item does not have. The error lists the valid ones.
func checkColumns(columns []app.Column, item *api.Schema) error {
	for _, c := range columns {
		schema := item
		for name := range strings.SplitSeq(c.Path, ".") {
			if schema.Kind == api.KindMap || schema.Kind == api.KindAny {
				break
			}
			field, ok := schema.Field(name)
			if before, _, _ := strings.Cut(c.Path, "."+name); !ok && len(schema.Fields) == 0 {
				return app.Usagef("there is no column %q: %s has no members", c.Path, before)
			}
			if !ok {
				return app.Usagef("there is no column %q", c.Path).WithHint("there are %s", strings.Join(fieldNames(schema), ", "))
			}
			schema = field.Schema
		}
	}
	return nil
}

// sameHeading reports whether two headings have the same letters and digits: E-mail, EMAIL and email do.
func sameHeading(a, b string) bool {
	fold := func(text string) string { return strings.ReplaceAll(names.Fold(text), "-", "") }
	return fold(a) != "" && fold(a) == fold(b)
}

func fieldNames(s *api.Schema) []string {
	var fields []string
	for _, f := range s.Fields {
		fields = append(fields, f.Name)
	}
	slices.Sort(fields)
	return fields
}
