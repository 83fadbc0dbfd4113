package app

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"
)

// csvList writes a header and a record per item. Spreadsheets execute cells that start like a formula, and the texts
// of a workspace come from other users, so an apostrophe is written before each formula in a text unless CSVRaw is set. Numbers
// are not changed.
type csvList struct {
	p           *Printer
	cell        func(value any) string
	wroteHeader bool
}

func newCSVList(p *Printer) *csvList {
	l := &csvList{p: p, cell: escapeFormulas}
	if p.CSVRaw {
		l.cell = func(value any) string { return Sanitize(formatValue(value)) }
	}
	return l
}

const (
	// formulaSigns are the characters that spreadsheets treat as the start of a formula, ASCII and full width.
	formulaSigns = "=+-@＝＋－＠"
	// cellSeparators are the characters at which spreadsheets split a line into cells: which one depends on the language of the
	// system. A quote that does not follow a separator has no effect there.
	cellSeparators = ";|\t\r\n"
)

// escapeFormulas formats a value for a cell, with an apostrophe wherever a spreadsheet would find the start of a formula: at the
// start of the cell and after each character that may separate cells.
func escapeFormulas(value any) string {
	cell := Sanitize(formatValue(value))
	if _, number := value.(json.Number); number {
		return cell
	}
	var b strings.Builder
	atStart := true
	for i, r := range cell {
		isSign, isSeparator := strings.ContainsRune(formulaSigns, r), strings.ContainsRune(cellSeparators, r)
		if atStart && (isSign || i == 0 && isSeparator) {
			b.WriteByte('\'')
		}
		atStart = isSeparator || atStart && unicode.Is(unicode.Cf, r) // spreadsheets ignore an invisible character
		b.WriteRune(r)
	}
	return b.String()
}

// quoteCell returns a cell as it is written to a record: in quotes if it contains a quote or a character that separates cells, or
// begins with a space.
func quoteCell(cell string) string {
	if !strings.ContainsAny(cell, `",`+cellSeparators) && strings.TrimLeftFunc(cell, unicode.IsSpace) == cell {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

func (l *csvList) writeRecord(cells []string) error {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		quoted[i] = quoteCell(cell)
	}
	_, err := io.WriteString(l.p.Out, strings.Join(quoted, ",")+"\n")
	return err
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
	return l.writeRecord(names)
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
	return l.writeRecord(cells)
}

// Close implements ListWriter.
func (l *csvList) Close() error { return l.writeHeader() }
