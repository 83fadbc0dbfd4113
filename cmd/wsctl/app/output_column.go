package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
)

// Column is a column of a list. Path is a dotted path into the item, such as createdBy.displayName.
type Column struct {
	Path    string
	Heading string
}

// isSecret reports whether the cells of the column are secrets.
func (c Column) isSecret() bool { return c.Path == "secret" || strings.HasSuffix(c.Path, ".secret") }

// ParseColumns parses comma-separated columns of the form path or path=HEADING.
func ParseColumns(text string) []Column {
	var columns []Column
	for part := range strings.SplitSeq(text, ",") {
		path, heading, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			heading = SplitWords(path)
		}
		if path != "" {
			columns = append(columns, Column{Path: path, Heading: strings.ToUpper(heading)})
		}
	}
	return columns
}

// SplitWords splits a camel-case name into lower-case words: changeRequestsOpen becomes change requests open.
func SplitWords(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		switch {
		case r == '.' || r == '-':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// Pluralize returns n with the noun in the singular or plural: 1 item, 2 items.
func Pluralize(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func decode(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// lookup returns the value at a dotted path, in which a number is an index, or nil if the path does not exist.
func lookup(value any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch in := value.(type) {
		case map[string]any:
			value = in[key]
		case []any:
			at, err := strconv.Atoi(key)
			if err != nil || at < 0 || at >= len(in) {
				return nil
			}
			value = in[at]
		default:
			return nil
		}
	}
	return value
}

// formatValue formats a value for a cell. Lists of scalars are joined; deeper values are written as JSON.
func formatValue(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		if allScalars(v) {
			parts := make([]string, len(v))
			for i, item := range v {
				parts[i] = formatValue(item)
			}
			return strings.Join(parts, ", ")
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a decoded value can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// formatCell formats a value for a cell of a table for people. Lists of objects are counted, and objects are named, because JSON is
// hard to read there.
func formatCell(value any) string {
	switch v := value.(type) {
	case []any:
		if !allScalars(v) {
			return countItems(v)
		}
	case map[string]any:
		for _, path := range []string{"title", "displayName", "subject", "name", "id"} {
			if name, _ := v[path].(string); name != "" {
				return SanitizeLine(name)
			}
		}
	}
	return formatLine(value)
}

// countItems returns the number of items of a list in words.
func countItems(list []any) string { return Pluralize(len(list), "item") }

// isObjectList reports whether all items of a list are objects.
func isObjectList(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool {
		_, ok := item.(map[string]any)
		return !ok
	})
}

func allScalars(list []any) bool {
	for _, item := range list {
		switch item.(type) {
		case map[string]any, []any:
			return false
		}
	}
	return true
}

// formatLine formats a value for a cell that must stay on one line.
func formatLine(value any) string { return SanitizeLine(formatValue(value)) }

// cells returns the values of the columns of p for a JSON item, each formatted by the function cell. It returns an error if the
// item is invalid JSON.
func (p *Printer) cells(item []byte, cell func(value any) string) ([]string, error) {
	value, err := decode(item)
	if err != nil {
		return nil, err
	}
	cells := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		cells[i] = cell(lookup(value, c.Path))
	}
	return cells, nil
}

// humanizeTime replaces a timestamp with its age, if the output is for people.
func (p *Printer) humanizeTime(cell string) string {
	return replaceTime(cell, func(at time.Time) string { return relativeTime(at, p.Now) })
}

// localTime replaces a timestamp with the time in the zone of the user.
func (p *Printer) localTime(cell string) string {
	return replaceTime(cell, func(at time.Time) string { return at.In(p.Now.Location()).Format(time.DateTime) })
}

// replaceTime replaces a timestamp with its text. Other cells stay as they are.
func replaceTime(cell string, text func(at time.Time) string) string {
	const layout = "2006-01-02T15:04:05.000Z"
	if len(cell) != len(layout) {
		return cell
	}
	at, err := time.Parse(layout, cell)
	if err != nil {
		return cell
	}
	return text(at)
}

// relativeTime returns a time as people say it, such as 2 hours ago. humanize rounds down; a time to come is rounded to the next
// unit if that is less than a hundredth away, because a token that was just made for 30 days ends in 30 days less a second.
func relativeTime(at, now time.Time) string {
	return humanize.RelTime(at.Add(max(0, at.Sub(now)/100)), now, "ago", "from now")
}
