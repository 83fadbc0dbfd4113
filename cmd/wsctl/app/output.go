// Package output writes what wsctl was answered: tables for people, TSV for pipes, JSON, YAML, CSV, names, jq and
// templates. It knows nothing of the network, of commands or of resources: it is given JSON and columns.
//
// Text from a server passes Sanitize before it reaches a terminal; a pipe gets text from jq, templates and raw
// output byte for byte.
package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Format is a way to write an answer.
type Format string

// The formats. Auto is a table on a terminal and TSV elsewhere.
const (
	Auto       Format = ""
	Table      Format = "table"
	JSON       Format = "json"
	YAML       Format = "yaml"
	CSV        Format = "csv"
	FormatName Format = "name"
)

// Formats returns the formats that can be asked for.
func Formats() []string {
	return []string{string(Table), string(JSON), string(YAML), string(CSV), string(FormatName)}
}

// Printer writes answers to one stream.
type Printer struct {
	Out      io.Writer
	Terminal bool // Out is one
	Width    int  // of the terminal in cells; 0 is unlimited
	Color    bool
	Now      time.Time

	Format    Format
	Columns   []Column
	NoHeaders bool
	CSVRaw    bool // formulas stay as they are
	JQ        string
	Template  string
}

// ErrQuery wraps what is wrong with a jq expression or a template.
var ErrQuery = errors.New("cannot apply")

// Aligned reports whether answers are laid out for people rather than for programs.
func (p *Printer) Aligned() bool {
	return p.Format == Table || p.Format == Auto && p.Terminal
}

// Rows reports whether lists are written as rows of columns, or as names.
func (p *Printer) Rows() bool {
	return p.JQ == "" && p.Template == "" && p.Format != JSON && p.Format != YAML
}

// Check reports what is wrong with the jq expression or the template, before anything is asked of a server.
func (p *Printer) Check() error {
	if p.JQ != "" {
		if _, err := compileJQ(p.JQ); err != nil {
			return err
		}
	}
	if p.Template != "" {
		if _, err := p.parseTemplate(); err != nil {
			return err
		}
	}
	return nil
}

// Value writes one JSON value.
func (p *Printer) Value(data []byte) error {
	switch {
	case p.JQ != "":
		return p.jq(data)
	case p.Template != "":
		return p.template(data)
	}
	switch p.Format {
	case JSON:
		return p.json(data)
	case YAML:
		return p.yaml(data)
	case CSV, FormatName:
		list := p.List()
		return errors.Join(list.Add(data), list.Close())
	default:
		return p.record(data)
	}
}

// Text writes text as it is, to a pipe byte for byte.
func (p *Printer) Text(text string) error {
	if p.Terminal {
		text = Sanitize(text)
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// List is a list that is written item by item.
type List interface {
	// Add writes an item, or keeps it until Close where the format needs all of them.
	Add(item []byte) error
	// Close ends the list. Without it a JSON list stays open, so that a broken one cannot be mistaken for a whole.
	Close() error
}

// List starts a list.
func (p *Printer) List() List {
	if p.JQ != "" || p.Template != "" {
		return &collected{p: p}
	}
	switch p.Format {
	case JSON:
		return &jsonList{p: p}
	case YAML:
		return &yamlList{p: p}
	case CSV:
		return newCSVList(p)
	case FormatName:
		return nameList{p}
	case Auto, Table:
	}
	if p.Aligned() {
		return &tableList{p: p}
	}
	return tsvList{p}
}

// Items writes things of the contract as a list.
func Items[T any](p *Printer, items []T) error {
	list := p.List()
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

// collected holds the items until all are there.
type collected struct {
	p     *Printer
	items []json.RawMessage
}

func (l *collected) Add(item []byte) error {
	l.items = append(l.items, item)
	return nil
}

func (l *collected) Close() error {
	if l.items == nil {
		l.items = []json.RawMessage{}
	}
	data, err := json.Marshal(l.items)
	if err != nil {
		return err
	}
	return l.p.Value(data)
}

func (p *Printer) json(data []byte) error {
	indented, err := indent(data, "")
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(indented, '\n'))
	return err
}

func indent(data []byte, prefix string) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(data), prefix, "  "); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	return escapeJSON(b.Bytes()), nil
}

type jsonList struct {
	p    *Printer
	some bool
}

func (l *jsonList) Add(item []byte) error {
	start := "[\n  "
	if l.some {
		start = ",\n  "
	}
	l.some = true
	indented, err := indent(item, "  ")
	if err != nil {
		return err
	}
	_, err = l.p.Out.Write(append([]byte(start), indented...))
	return err
}

func (l *jsonList) Close() error {
	end := "[]\n"
	if l.some {
		end = "\n]\n"
	}
	_, err := io.WriteString(l.p.Out, end)
	return err
}

// nameList writes the id of each item.
type nameList struct{ p *Printer }

func (l nameList) Add(item []byte) error {
	value, err := decode(item)
	if err != nil {
		return err
	}
	id := name(value)
	if id == "" {
		return errors.New("the answer has no id; choose another output with -o")
	}
	_, err = fmt.Fprintln(l.p.Out, Line(id))
	return err
}

func (nameList) Close() error { return nil }

// name is the id of a thing, or that of the user that it is about, or the revision that it ended in.
func name(value any) string {
	for _, path := range []string{"id", "user.id", "page.id", "revision"} {
		if text := text(lookup(value, path)); text != "" {
			return text
		}
	}
	return ""
}

// tsvList is for pipes: full values, machine times, no header.
type tsvList struct{ p *Printer }

func (l tsvList) Add(item []byte) error {
	cells, err := l.p.cells(item, line)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(l.p.Out, strings.Join(cells, "\t"))
	return err
}

func (tsvList) Close() error { return nil }
