package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
)

// format is the value of the flag --output: text or json.
type format string

const (
	formatText format = "text"
	formatJSON format = "json"
)

// String implements pflag.Value.
func (f *format) String() string { return string(*f) }

// Set implements pflag.Value. It returns an error for an unknown format.
func (f *format) Set(text string) error {
	if !slices.Contains([]format{formatText, formatJSON}, format(text)) {
		return fmt.Errorf("%q is not text or json", text)
	}
	*f = format(text)
	return nil
}

// Type implements pflag.Value. It is the placeholder in the help.
func (f *format) Type() string { return "string" }

// addFormatFlag adds the flag --output to a command.
func addFormatFlag(cmd *cobra.Command, f *format) {
	*f = formatText
	cmd.Flags().VarP(f, "output", "o", "text or json")
}

// encodeJSON returns the JSON of a value in the form for output: <, > and & are plain, and the control characters of texts are
// escaped, because the output may be a terminal.
func encodeJSON(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return api.EscapeControls(api.PlainJSON(data)), err
}

// writeJSON writes a value as a line of JSON.
func writeJSON(w io.Writer, v any) error {
	data, err := encodeJSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// listWriter writes a list page by page: as a table with a heading, aligned within each page, or as one JSON array.
type listWriter[T any] struct {
	out     io.Writer
	format  format
	columns []string
	cells   func(T) []string // of the table

	rows int // written rows
}

// write writes a page.
func (l *listWriter[T]) write(page []T) error {
	if l.format == formatJSON {
		return l.writeJSON(page)
	}
	w := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	if l.rows == 0 && len(page) > 0 {
		fmt.Fprintln(w, strings.Join(l.columns, "\t"))
	}
	for _, row := range page {
		fmt.Fprintln(w, strings.Join(l.cells(row), "\t"))
	}
	l.rows += len(page)
	return w.Flush()
}

func (l *listWriter[T]) writeJSON(page []T) error {
	for _, row := range page {
		separator := ",\n"
		if l.rows == 0 {
			separator = "["
		}
		text, err := encodeJSON(row)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(l.out, "%s%s", separator, text); err != nil {
			return err
		}
		l.rows++
	}
	return nil
}

// close completes the list. Without rows it prints empty, the reason, to talk.
func (l *listWriter[T]) close(talk io.Writer, empty string) error {
	switch {
	case l.format == formatText && l.rows == 0:
		fmt.Fprintln(talk, empty)
	case l.format == formatJSON && l.rows == 0:
		fmt.Fprintln(l.out, "[]")
	case l.format == formatJSON:
		fmt.Fprintln(l.out, "]")
	}
	return nil
}

// cell returns a text of users for a table: quoted if it has spaces or characters that do not print, - if it is empty.
func cell(text string) string {
	quoted := strconv.Quote(text)
	switch {
	case text == "":
		return "-"
	case strings.ContainsAny(text, " \u00a0") || quoted != `"`+text+`"`:
		return quoted
	}
	return text
}

// timeCell returns a time for a table, and none for the zero time.
func timeCell(t api.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.RFC3339)
}
