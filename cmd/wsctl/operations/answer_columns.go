package operations

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// defaultColumns are what tables of the answer show unless --columns says otherwise.
func (w *Writer) defaultColumns() []app.Column {
	if names := w.row.Columns(); names != "" {
		return app.ParseColumns(names)
	}
	return plainColumns(w.item())
}

// plainColumns are the first plain members of a thing.
func plainColumns(s *api.Schema) []app.Column {
	const most = 6
	var names []string
	for _, f := range s.Fields {
		if app.IsPlain(f.Schema) && f.Name != "object" && len(names) < most {
			names = append(names, f.Name)
		}
	}
	return app.ParseColumns(strings.Join(names, ","))
}

// item is the schema of what the rows of the output are: the things that the answer holds, or the answer itself.
func (w *Writer) item() *api.Schema {
	if list, ok := w.schema.Field(w.row.Items()); ok {
		return list.Schema.Items
	}
	return w.schema
}

// isTable reports whether an answer that is no list is written like one where the output has rows.
func (w *Writer) isTable() bool {
	switch w.row.View() {
	case api.ViewTable, api.ViewChanges, api.ViewEdit:
		return true
	default:
		return false
	}
}

// newPrinter returns the printer for the row's answer, or what is wrong with the flags that it follows.
func (w *Writer) newPrinter() (*app.Printer, error) {
	defaults := w.defaultColumns()
	if w.app.Format() != app.CSV && !w.row.IsList() && !w.isTable() {
		defaults = nil // a record shows all of its members
	}
	printer, err := w.app.Printer(defaults)
	if err != nil {
		return nil, err
	}
	if w.options.Envelope {
		if err := enveloped(printer); err != nil {
			return nil, err
		}
	}
	if w.app.HasColumns() {
		return printer, checkColumns(printer.Columns, w.item())
	}
	return printer, nil
}

// enveloped makes a printer write the whole answer of a list.
func enveloped(p *app.Printer) error {
	switch p.Format {
	case app.Auto:
		p.Format = app.JSON
	case app.JSON, app.YAML:
	default:
		if p.JQ == "" && p.Template == "" {
			return app.Usagef("--envelope goes with json or yaml, not with %s", p.Format)
		}
	}
	return nil
}

// checkColumns refuses columns that the contract does not have, naming those that it has.
func checkColumns(columns []app.Column, item *api.Schema) error {
	for _, c := range columns {
		schema := item
		for name := range strings.SplitSeq(c.Path, ".") {
			if schema.Kind == api.KindMap || schema.Kind == api.KindAny {
				break
			}
			field, ok := schema.Field(name)
			if !ok {
				return app.Usagef("there is no column %q", c.Path).WithHint("there are %s", strings.Join(fieldNames(schema), ", "))
			}
			schema = field.Schema
		}
	}
	return nil
}

func fieldNames(s *api.Schema) []string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}
