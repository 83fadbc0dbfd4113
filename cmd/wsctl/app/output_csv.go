package app

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
)

// csvList writes a heading and a line for each item, for other programs. A spreadsheet runs a cell that begins like a
// formula, and the texts of a workspace are other people's: such a text gets a ' in front, unless the formulas are
// wanted. Numbers are no texts.
type csvList struct {
	p    *Printer
	w    *csv.Writer
	cell func(value any) string
	some bool
}

func newCSVList(p *Printer) *csvList {
	l := &csvList{p: p, w: csv.NewWriter(p.Out), cell: unarmed}
	if p.CSVRaw {
		l.cell = func(value any) string { return Sanitize(text(value)) }
	}
	return l
}

// formulas are the characters that make a spreadsheet compute what follows.
const formulas = "=+-@\t\r\n"

// unarmed writes a value into a cell that no spreadsheet runs.
func unarmed(value any) string {
	cell := Sanitize(text(value))
	if _, number := value.(json.Number); !number && cell != "" && strings.ContainsRune(formulas, rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func (l *csvList) header() error {
	if l.some || l.p.NoHeaders {
		return nil
	}
	l.some = true
	names := make([]string, len(l.p.Columns))
	for i, c := range l.p.Columns {
		names[i] = c.Path
	}
	return l.w.Write(names)
}

// Add implements List.
func (l *csvList) Add(item []byte) error {
	if err := l.header(); err != nil {
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

// Close implements List.
func (l *csvList) Close() error { return errors.Join(l.header(), l.flush()) }
