package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Format is an output format.
type Format string

// The output formats. FormatAuto is a table on a terminal and TSV otherwise.
const (
	FormatAuto   Format = ""
	FormatTable  Format = "table"
	FormatJSON   Format = "json"
	FormatNDJSON Format = "ndjson" // a line of JSON for each item
	FormatYAML   Format = "yaml"
	FormatCSV    Format = "csv"
	FormatName   Format = "name"
)

// Formats returns the values of -o.
func Formats() []string {
	return []string{
		string(FormatTable), string(FormatJSON), string(FormatNDJSON), string(FormatYAML), string(FormatCSV), string(FormatName),
	}
}

// Printer writes API responses to a stream in one of the formats.
type Printer struct {
	Out      io.Writer
	Terminal bool // whether Out is a terminal
	Width    int  // width of the terminal in cells; 0 is unlimited
	Color    bool
	Now      time.Time

	Format    Format
	Columns   []Column
	NoHeaders bool
	CSVRaw    bool // do not escape formulas in CSV
	JQ        string
	Template  string
}

// IsAligned reports whether the output is laid out for people rather than for programs.
func (p *Printer) IsAligned() bool {
	return p.Format == FormatTable || p.Format == FormatAuto && p.Terminal
}

// isData reports whether the format writes whole values instead of columns.
func (f Format) isData() bool { return f.isJSON() || f == FormatYAML }

func (f Format) isJSON() bool { return f == FormatJSON || f == FormatNDJSON }

// WritesRows reports whether lists are written as table, TSV, CSV or names, and not as JSON, as YAML, or by a jq expression or
// template.
func (p *Printer) WritesRows() bool {
	return p.JQ == "" && p.Template == "" && !p.Format.isData()
}

// Check validates the jq expression and the template. Commands call it before they send a request. Its errors are usage
// errors.
func (p *Printer) Check() error {
	if p.JQ != "" {
		if _, err := compileJQ(p.JQ); err != nil {
			return Usagef("%v", err)
		}
	}
	if p.Template != "" {
		if _, err := p.parseTemplate(); err != nil {
			return Usagef("%v", err)
		}
	}
	return nil
}

// Value writes a JSON value.
func (p *Printer) Value(data []byte) error {
	switch {
	case p.JQ != "":
		return p.writeJQ(data)
	case p.Template != "":
		return p.executeTemplate(data)
	}
	switch p.Format {
	case FormatJSON:
		return p.writeJSON(data)
	case FormatNDJSON:
		return lineList{p}.Add(data)
	case FormatYAML:
		return p.writeYAML(data)
	case FormatCSV, FormatName:
		list := p.NewList()
		return errors.Join(list.Add(data), list.Close())
	default:
		return p.writeRecord(data)
	}
}

// Text writes text, sanitized on a terminal and unchanged otherwise.
func (p *Printer) Text(text string) error {
	if p.Terminal {
		text = Sanitize(text)
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// ListWriter writes a list item by item.
type ListWriter interface {
	// Add writes an item, or buffers it until Close if the format needs all items first.
	Add(item []byte) error
	// Close ends the list. A JSON list that is not closed is invalid, so that a truncated list cannot pass for a
	// complete one.
	Close() error
}

// NewList starts a list in the format of p.
func (p *Printer) NewList() ListWriter {
	if p.JQ != "" || p.Template != "" {
		return &bufferedList{p: p}
	}
	switch p.Format {
	case FormatJSON:
		return &jsonList{p: p}
	case FormatNDJSON:
		return lineList{p}
	case FormatYAML:
		return &yamlList{p: p}
	case FormatCSV:
		return newCSVList(p)
	case FormatName:
		return nameList{p}
	case FormatAuto, FormatTable:
	}
	if p.IsAligned() {
		return &tableList{p: p}
	}
	return tsvList{p}
}

// NewStream starts a list whose items are written when they are added, because they may arrive far apart. A jq expression or a template
// gets each item by itself.
func (p *Printer) NewStream() ListWriter {
	switch {
	case p.JQ != "", p.Template != "":
		return valueList{p}
	case p.IsAligned():
		return &streamTable{p: p}
	}
	return p.NewList()
}

// PrintItems encodes items as JSON and writes them as a list.
func PrintItems[T any](p *Printer, items []T) error {
	list := p.NewList()
	for _, item := range items {
		data, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if err := list.Add(data); err != nil {
			return err
		}
	}
	return list.Close()
}

// bufferedList buffers the items and writes them as one JSON array when it is closed.
type bufferedList struct {
	p     *Printer
	items []json.RawMessage
}

func (l *bufferedList) Add(item []byte) error {
	l.items = append(l.items, item)
	return nil
}

func (l *bufferedList) Close() error {
	if l.items == nil {
		l.items = []json.RawMessage{}
	}
	data, err := json.Marshal(l.items)
	if err != nil {
		return err
	}
	return l.p.Value(data)
}

func (p *Printer) writeJSON(data []byte) error {
	indented, err := indentJSON(data, "")
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(indented, '\n'))
	return err
}

func indentJSON(data []byte, prefix string) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(data), prefix, "  "); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	return showJSON(b.Bytes()), nil
}

// lineList writes each item as a line of JSON.
type lineList struct{ p *Printer }

func (l lineList) Add(item []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, item); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	_, err := l.p.Out.Write(append(showJSON(b.Bytes()), '\n'))
	return err
}

func (lineList) Close() error { return nil }

// valueList writes each item as a value.
type valueList struct{ p *Printer }

func (l valueList) Add(item []byte) error { return l.p.Value(item) }

func (valueList) Close() error { return nil }

type jsonList struct {
	p       *Printer
	started bool
}

func (l *jsonList) Add(item []byte) error {
	start := "[\n  "
	if l.started {
		start = ",\n  "
	}
	l.started = true
	indented, err := indentJSON(item, "  ")
	if err != nil {
		return err
	}
	_, err = l.p.Out.Write(append([]byte(start), indented...))
	return err
}

func (l *jsonList) Close() error {
	end := "[]\n"
	if l.started {
		end = "\n]\n"
	}
	_, err := io.WriteString(l.p.Out, end)
	return err
}

// nameList writes the name of each item on a line of its own.
type nameList struct{ p *Printer }

func (l nameList) Add(item []byte) error {
	value, err := decode(item)
	if err != nil {
		return err
	}
	id := itemName(value)
	if id == "" {
		return errors.New("the answer has no id; choose another output with -o")
	}
	_, err = fmt.Fprintln(l.p.Out, SanitizeLine(id))
	return err
}

func (nameList) Close() error { return nil }

// NamePaths returns the members of which -o name prints the first one that an object has: its id, the id of its user, the id
// of its page, or its revision.
func NamePaths() []string { return []string{"id", "user.id", "page.id", "revision"} }

// NamesOf returns the names of a JSON object, or of the objects in its lists if it has none itself, without duplicates.
func NamesOf(data []byte) []string {
	value, err := decode(data)
	if err != nil {
		return nil
	}
	if name := itemName(value); name != "" {
		return []string{name}
	}
	var names []string
	members, _ := value.(map[string]any) // nil if it is no object
	for _, key := range slices.Sorted(maps.Keys(members)) {
		items, _ := members[key].([]any) // nil if it is no list
		for _, item := range items {
			if name := itemName(item); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// itemName returns the name of an object, or "" if it has none; see NamePaths.
func itemName(value any) string {
	for _, path := range NamePaths() {
		if text := formatValue(lookup(value, path)); text != "" {
			return text
		}
	}
	return ""
}

// tsvList writes tab-separated values for pipes: no header, full values, timestamps as in the API.
type tsvList struct{ p *Printer }

func (l tsvList) Add(item []byte) error {
	cells, err := l.p.cells(item, formatLine)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(l.p.Out, strings.Join(cells, "\t"))
	return err
}

func (tsvList) Close() error { return nil }
