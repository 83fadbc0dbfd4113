package app

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
)

// csvList writes a header and a record per item. Spreadsheets execute cells that start like a formula, and the texts
// of a workspace come from other users, so such texts are prefixed with an apostrophe unless CSVRaw is set. Numbers
// are not prefixed.
type csvList struct {
	p           *Printer
	w           *csv.Writer
	cell        func(value any) string
	wroteHeader bool
}

func newCSVList(p *Printer) *csvList {
	l := &csvList{p: p, w: csv.NewWriter(p.Out), cell: escapeFormula}
	if p.CSVRaw {
		l.cell = func(value any) string { return Sanitize(formatValue(value)) }
	}
	return l
}

// formulaPrefixes lists the first characters that spreadsheets treat as the start of a formula.
const formulaPrefixes = "=+-@\t\r\n"

// escapeFormula formats a value for a cell and prefixes it with an apostrophe if a spreadsheet would execute it.
func escapeFormula(value any) string {
	cell := Sanitize(formatValue(value))
	if _, number := value.(json.Number); !number && cell != "" && strings.ContainsRune(formulaPrefixes, rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func (l *csvList) writeHeader() error {
	if l.wroteHeader || l.p.NoHeaders {
		return nil
	}
	l.wroteHeader = true
	names := make([]string, len(l.p.Columns))
	for i, c := range l.p.Columns {
		names[i] = c.Path
	}
	return l.w.Write(names)
}

// Add implements ListWriter.
func (l *csvList) Add(item []byte) error {
	if err := l.writeHeader(); err != nil {
		return err
	}
	cells, err := l.p.cells(item, l.cell)
	if err != nil {
		return err
	}
	return errors.Join(l.w.Write(cells), l.flush())
}

func (l *csvList) flush() error {
	l.w.Flush()
	return l.w.Error()
}

// Close implements ListWriter.
func (l *csvList) Close() error { return errors.Join(l.writeHeader(), l.flush()) }
